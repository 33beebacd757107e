//! Images: decoding, resizing, cropping, colours and boxes.

op_list! { colors, crop_and_resize, decode_bmp, decode_image, draw_boxes, encode_png, extract_patches, non_max_suppression, resize, resize_cubic }

//! Images: decoding, resizing, cropping, colours and boxes.

mod resize;

op_list! {
    colors, crop_and_resize, decode_bmp, decode_image, draw_boxes, encode_png, extract_patches, non_max_suppression,
    resize_area, resize_bicubic, resize_bilinear, resize_nearest_neighbor,
}

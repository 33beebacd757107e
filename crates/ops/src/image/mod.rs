//! Images: decoding, resizing, cropping, colours and boxes.

mod resize;

op_list! {
    colors, combined_non_max_suppression, crop_and_resize, decode_bmp, decode_gif, decode_image, dilation2d,
    draw_boxes, encode_jpeg, encode_png, extract_patches, non_max_suppression, resize_area, resize_bicubic,
    resize_bilinear, resize_nearest_neighbor,
}

//! Images: decoding, resizing, cropping, colours and boxes.

mod resize;

op_list! {
    colors, combined_non_max_suppression, crop_and_resize, decode_bmp, decode_gif, decode_image, dilation2d,
    draw_boxes, encode_jpeg, encode_png, extract_glimpse, extract_patches, extract_volume_patches, non_max_suppression, projective_transform, resize_area, resize_bicubic,
    resize_bilinear, resize_nearest_neighbor, sample_distorted_bounding_box, scale_and_translate,
}

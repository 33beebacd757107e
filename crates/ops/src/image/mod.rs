//! Images: decoding and resizing.

op_list! { decode_image, extract_patches, resize }

//! Images: decoding and resizing.

op_list! { decode_image, resize }

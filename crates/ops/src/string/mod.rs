//! Ops on strings.

op_list! {
    as_string, base64, decode_csv, print, reduce_join, regex_full_match, regex_replace, serialize_tensor, string_case,
    string_format, string_join, string_length, string_split, string_strip, string_to_hash_bucket, string_to_number,
    substr, timestamp, unsorted_segment_join,
}

//! Ops on strings.

op_list! {
    as_string, base64, decode_csv, fingerprint, print, reduce_join, regex_full_match, regex_replace, serialize_tensor,
    string_case, string_format, string_join, string_length, string_n_grams, string_split, string_strip,
    string_to_hash_bucket, string_to_number, substr, timestamp, unicode, unicode_script, unsorted_segment_join,
}

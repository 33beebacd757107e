//! Ops on strings.

op_list! {
    as_string, decode_csv, hash_bucket, letters, reduce_join, regex_full_match, regex_replace, string_format, string_join, string_split, to_number,
}

//! Ops on strings.

op_list! { as_string, regex_full_match, string_join }

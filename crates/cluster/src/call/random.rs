//! Numbers that nobody has used before.

use std::hash::{BuildHasher, Hasher};

/// Returns a random number; every hasher of the standard library has keys of its own.
fn random() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

/// Returns a positive number for steps and requests; the seven highest bits stay free, as in TensorFlow.
pub(super) fn random_id() -> i64 {
    (random() >> 7).max(1) as i64
}

/// Returns 16 hexadecimal digits that nobody can guess, for handles.
pub(crate) fn random_handle() -> String {
    format!("{:016x}", random())
}

//! Numbers that nobody has used before, and nobody can guess.

use std::hash::{BuildHasher, Hasher};

/// Fills bytes from the system's generator, which nobody can predict.
fn fill(bytes: &mut [u8]) {
    let filled = rustix::rand::getrandom(&mut *bytes, rustix::rand::GetRandomFlags::empty());
    // The system answers so small a wish always, and whole. If it ever did not: every hasher has random keys of its own.
    if filled != Ok(bytes.len()) {
        for chunk in bytes.chunks_mut(8) {
            let word = std::collections::hash_map::RandomState::new().build_hasher().finish();
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
    }
}

/// Returns a positive number for steps and requests; the seven highest bits stay free, as in TensorFlow.
pub(super) fn random_id() -> i64 {
    let mut bytes = [0; 8];
    fill(&mut bytes);
    (u64::from_le_bytes(bytes) >> 7).max(1) as i64
}

/// Returns 32 hexadecimal digits that nobody can guess, for handles: whoever knows one may use what it stands for.
pub(crate) fn random_handle() -> String {
    let mut bytes = [0; 16];
    fill(&mut bytes);
    format!("{:032x}", u128::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_long_and_differ() {
        let handles: std::collections::HashSet<String> = (0..1000).map(|_| random_handle()).collect();
        assert_eq!(handles.len(), 1000);
        assert!(handles.iter().all(|handle| handle.len() == 32));
        assert!((0..1000).map(|_| random_id()).all(|id| id > 0 && id < 1 << 57));
    }
}

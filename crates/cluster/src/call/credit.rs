//! Credits of tensors that were pushed here and that nobody has claimed yet.

use std::sync::Weak;

/// Whoever pushed tensors and waits for the credits of those that are claimed.
pub(crate) trait Creditor: Send + Sync {
    /// Takes credits back.
    fn give_back(&self, bytes: usize);
}

/// Gives credits back when a pushed tensor was claimed or dropped.
pub(crate) struct CreditGuard {
    creditor: Weak<dyn Creditor>,
    bytes: usize,
}

impl CreditGuard {
    /// Owes so many bytes to a creditor, for as long as that is there.
    pub fn new(creditor: Weak<dyn Creditor>, bytes: usize) -> CreditGuard {
        CreditGuard { creditor, bytes }
    }
}

impl Drop for CreditGuard {
    fn drop(&mut self) {
        if let Some(creditor) = self.creditor.upgrade() {
            creditor.give_back(self.bytes);
        }
    }
}

//! Checks used by tests

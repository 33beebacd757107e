//! Real server processes: what they promise when others die, stop, misbehave or go away.

mod behaviour;
mod connections;
mod faults;
mod fleet;
mod program;
mod proxy;

//! The terminal face: the `borges` command.
fn main() {}

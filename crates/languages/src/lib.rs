//! Model languages on the multiverse core.

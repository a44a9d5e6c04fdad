//! Session files.

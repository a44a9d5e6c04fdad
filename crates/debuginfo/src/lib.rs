//! Source-level information: code offsets to lines, variables to places.

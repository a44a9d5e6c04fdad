//! A live debugging session.

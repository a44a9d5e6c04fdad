//! What states hold, piece by piece: for who keeps many of them within a budget.

/// What has pieces that it may share with others.
pub(crate) trait Held {
    /// Visits the pieces: addresses with sizes in bytes. A piece is looked into if the visitor says so.
    fn pieces(&self, visit: &mut dyn FnMut(usize, usize) -> bool);

    /// The bytes of the pieces that `other` does not have at the same place.
    fn beyond(&self, other: Option<&Self>) -> usize;
}

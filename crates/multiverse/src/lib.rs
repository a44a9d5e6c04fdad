//! The core: the recipe for languages, the multiverse as a tree and as a graph.

//! The contract suite and frozen references.

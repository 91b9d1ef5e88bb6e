//! Mercer: the whole classical canon of machine learning in one toolkit.

//! Preparation: scaling, encoding, imputation, pipelines.

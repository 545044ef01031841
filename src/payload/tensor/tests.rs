//! Tests of tensors.

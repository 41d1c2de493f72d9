//! Symbolic execution of LLVM IR with address-aware query caching.
pub mod query;

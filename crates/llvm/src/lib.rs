//! LLVM IR text to a module.

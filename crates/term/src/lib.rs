//! Hash-consed SMT terms: sorts, rewriting, evaluation, printing.

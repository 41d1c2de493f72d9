//! Prolog text to terms, clauses and assertions.

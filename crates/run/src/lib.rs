//! A Prolog abstract machine with cached run-time checks.

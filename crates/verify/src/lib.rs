//! Verification conditions for Boogie programs and the caching of results.

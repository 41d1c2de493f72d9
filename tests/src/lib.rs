//! End-to-end tests that drive the built `stet` binary; helpers live here, the tests under `tests/`.

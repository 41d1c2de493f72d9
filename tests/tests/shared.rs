//! One store for a team, against real servers: Redis, an S3 server, an HTTP server and a directory pass the same suite.
//!
//! Servers that are not installed make their test say so and pass, unless `STET_REQUIRE_TOOLS` is set.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "shared/faults.rs"]
mod faults;
#[path = "shared/servers.rs"]
mod servers;
#[path = "shared/suite.rs"]
mod suite;

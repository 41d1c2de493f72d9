//! What `--version` says, put together at compile time.

/// `stet 0.1.0 (commit, profile, target)`.
pub(crate) fn line() -> &'static str {
    concat!(
        "stet ",
        env!("CARGO_PKG_VERSION"),
        " (",
        env!("STET_COMMIT"),
        ", ",
        env!("STET_PROFILE"),
        ", ",
        env!("STET_TARGET"),
        ")"
    )
}

/// The version number alone.
pub(crate) const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// The number and a line for each build detail; clap puts the program's name in front.
pub(crate) const LONG: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit:  ",
    env!("STET_COMMIT"),
    "\nprofile: ",
    env!("STET_PROFILE"),
    "\ntarget:  ",
    env!("STET_TARGET"),
    "\nrustc:   ",
    env!("STET_RUSTC"),
);

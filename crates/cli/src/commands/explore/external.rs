//! Options about functions that are defined nowhere.

use crate::native::{Limits, NativeLibraries};
use crate::options::{ByteSize, Seconds};
use clap::ValueEnum;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use stet_explore::{ExternalConfig, ExternalPolicy, ExternalWarnings};

/// Options about external functions.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct External {
    /// What happens where a function is called that neither the program nor a library defines.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        default_value = "none",
        help_heading = "External functions"
    )]
    pub(crate) external_calls: Calls,
    /// A shared library whose functions are called natively; may be repeated. Those of the system's C library are found without.
    #[arg(long, value_name = "FILE", help_heading = "External functions")]
    pub(crate) external_library: Vec<PathBuf>,
    /// The time for one native call, in seconds.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "10",
        help_heading = "External functions"
    )]
    pub(crate) external_time: Seconds,
    /// The memory of a process in which functions are called natively.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "2G",
        help_heading = "External functions"
    )]
    pub(crate) external_memory: ByteSize,
    /// Which native calls are told as they happen.
    #[arg(skip)]
    pub(crate) warnings: ExternalWarnings,
}

/// Which external functions are called.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Calls {
    /// None: the path ends.
    None,
    /// Those whose arguments and reachable memory are concrete, natively.
    Concrete,
    /// All, natively; symbolic values are fixed.
    All,
    /// None, but the path goes on with any result.
    #[value(alias = "over-approx")]
    OverApproximate,
}

impl External {
    /// The engine's settings.
    pub(crate) fn config(&self) -> ExternalConfig {
        let policy = match self.external_calls {
            Calls::None => ExternalPolicy::Refuse,
            Calls::Concrete => ExternalPolicy::Concrete,
            Calls::All => ExternalPolicy::All,
            Calls::OverApproximate => ExternalPolicy::OverApproximate,
        };
        let libraries = NativeLibraries {
            files: self.external_library.clone(),
            limits: Limits {
                time: Duration::from_secs_f64(self.external_time.0.clamp(0.001, 1e6)),
                memory: self.external_memory.0,
            },
        };
        ExternalConfig {
            policy,
            warnings: self.warnings,
            externals: Some(Arc::new(libraries)),
        }
    }
}

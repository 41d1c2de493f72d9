//! `stet lsp`: the language server, on standard input and output.

use super::dafny::load::Files;
use crate::catalog::CATALOG;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::version;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::Duration;
use stet_lsp::{Config, Dialect};
use stet_solve::pipe::{ProverConfig, ProverKind};
use stet_verify::Options as Choices;

/// Options of `stet lsp`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Milliseconds after an edit before verification starts.
    #[arg(long, value_name = "MS", default_value_t = 150)]
    pause: u64,
    /// Seconds per procedure.
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    procedure_time_limit: f64,
    /// Z3's executable [default: STET_Z3, else searched in PATH].
    #[arg(long, value_name = "PATH")]
    prover_path: Option<PathBuf>,
    /// Send the notifications of the Dafny extension, too.
    #[arg(long)]
    dafny: bool,
    /// Accepted for editors that pass it; the server always uses standard input and output.
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let prover = ProverConfig::located(ProverKind::Z3, options.prover_path.as_deref());
    let mut choices = Choices::new(prover);
    choices.jobs = session.jobs();
    choices.time_limit = Duration::try_from_secs_f64(options.procedure_time_limit).ok();
    let config = Config {
        store: session.store().clone(),
        options: choices,
        pause: Duration::from_millis(options.pause),
        catalog: CATALOG,
        version: version::NUMBER,
        includes: Box::new(Files),
        dialect: if options.dafny {
            Dialect::Dafny
        } else {
            Dialect::Stet
        },
    };
    let input = Box::new(BufReader::new(std::io::stdin()));
    if stet_lsp::serve(config, input, Box::new(std::io::stdout())) {
        ExitStatus::Clean
    } else {
        // The editor ended without saying so: the protocol asks for this code.
        ExitStatus::Findings
    }
}

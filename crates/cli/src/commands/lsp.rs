//! `stet lsp`: the language server, on standard input and output.

mod functions;
pub(crate) mod workspace;

use super::dafny::load::ProjectFiles;
use crate::catalog::CATALOG;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::version;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use stet_base::Budget;
use stet_diag::Diagnostic;
use stet_lsp::{Assertion, Config, Dialect, PrologChecker, VerifyOn};
use stet_solve::pipe::{ProverConfig, ProverKind};
use stet_store::Store;
use stet_verify::Options as Choices;

/// Options of `stet lsp`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Milliseconds after an edit before verification starts.
    #[arg(long, value_name = "MS", default_value_t = 150)]
    pub(crate) pause: u64,
    /// Seconds per procedure.
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    pub(crate) procedure_time_limit: f64,
    /// Z3's executable [default: STET_Z3, else searched in PATH].
    #[arg(long, value_name = "PATH")]
    pub(crate) prover_path: Option<PathBuf>,
    /// When documents are verified.
    #[arg(long, value_name = "WHEN", default_value = "change")]
    pub(crate) verify_on: When,
    /// Load Prolog files when they are opened and saved, which runs their directives, and show which assertions hold in every run.
    #[arg(long)]
    pub(crate) prolog_analysis: bool,
    /// Send the notifications of the Dafny extension, too.
    #[arg(long)]
    pub(crate) dafny: bool,
    /// Accepted for editors that pass it; the server always uses standard input and output.
    #[arg(long, hide = true)]
    stdio: bool,
}

/// When documents are verified.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// A little after every edit.
    Change,
    /// When they are opened and saved.
    Save,
    /// When the editor asks for it.
    Never,
}

impl From<When> for VerifyOn {
    fn from(when: When) -> VerifyOn {
        match when {
            When::Change => VerifyOn::Change,
            When::Save => VerifyOn::Save,
            When::Never => VerifyOn::Never,
        }
    }
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    let prover = ProverConfig::located(ProverKind::Z3, options.prover_path.as_deref());
    let mut choices = Choices::new(prover);
    choices.jobs = session.jobs();
    choices.time_limit = Duration::try_from_secs_f64(options.procedure_time_limit).ok();
    choices.check_cache = session.check_cache();
    let store = session.store().clone();
    let prolog = options.prolog_analysis.then(|| {
        let store = store.clone();
        Arc::new(Analyser { store }) as Arc<dyn PrologChecker>
    });
    serve(Config {
        store,
        options: choices,
        pause: Duration::from_millis(options.pause),
        verify_on: options.verify_on.into(),
        ghosts: true,
        gutter: true,
        catalog: CATALOG,
        version: version::NUMBER,
        includes: Box::new(ProjectFiles),
        workspace: Box::new(workspace::Disk),
        prolog,
        explorer: Some(Arc::new(functions::Functions::new(session))),
        dialect: if options.dafny {
            Dialect::Dafny
        } else {
            Dialect::Stet
        },
    })
}

/// Serves the editor at the standard streams.
pub(crate) fn serve(config: Config) -> ExitStatus {
    let input = Box::new(BufReader::new(std::io::stdin()));
    if stet_lsp::serve(config, input, Box::new(std::io::stdout())) {
        ExitStatus::Clean
    } else {
        // The editor ended without saying so: the protocol asks for this code.
        ExitStatus::Findings
    }
}

/// Analyses Prolog files as `stet check` does.
struct Analyser {
    store: Arc<Store>,
}

impl PrologChecker for Analyser {
    fn check(&self, path: &str, text: &str, budget: &Budget) -> (Vec<Assertion>, Vec<Diagnostic>) {
        let file = PathBuf::from(path);
        // What is loaded is the file on disk: a text that differs from it has no status.
        if std::fs::read_to_string(&file).ok().as_deref() != Some(text) {
            return (Vec::new(), Vec::new());
        }
        let found = super::check::analyse(&[file], budget, &self.store);
        let Some((statuses, problems)) = found else {
            return (Vec::new(), Vec::new());
        };
        let own = statuses.iter().filter(|status| status.file == path);
        let assertions = own.map(|status| Assertion {
            place: (status.place.bytes.0 as usize, status.place.bytes.1 as usize),
            predicate: status.predicate.clone(),
            status: super::check::word(status.status()),
            parts: status
                .parts
                .iter()
                .map(|(name, part)| ((*name).to_owned(), super::check::word(*part)))
                .collect(),
        });
        let problems = problems.iter().map(|problem| {
            let shown = match problem.place {
                Some(place) => format!("{} (line {})", problem.message, place.lines.0),
                None => problem.message.clone(),
            };
            match problem.error {
                true => Diagnostic::error(problem.code, shown),
                false => Diagnostic::warning(problem.code, shown),
            }
        });
        (assertions.collect(), problems.collect())
    }
}

//! One program verified in this process, with what Dafny would print about it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use stet_base::{Budget, FileId, SourceMap};
use stet_dafny::Includes;
use stet_dafny_verify::console;
use stet_diag::Diagnostic;
use stet_solve::pipe::{ProverConfig, ProverKind, locate};
use stet_store::{Config, Mode, Store};
use stet_verify::{Caching, Conclusion, Engine, ImplementationResult, Options, Request};

/// How a program fared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fate {
    /// Everything in it was verified.
    Verified,
    /// Some checks fail.
    Errors,
    /// Some checks have no verdict.
    Undecided,
    /// It uses something that is not supported.
    Unsupported,
    /// It was rejected before verification.
    Rejected,
    /// The translation is broken.
    Broken,
}

/// What was found about a program.
#[derive(Debug)]
pub struct Finding {
    /// How it fared.
    pub fate: Fate,
    /// What Dafny would print, without the last line.
    pub lines: Vec<String>,
    /// The last line, if the program was verified.
    pub trailer: String,
    /// One for every implementation that was verified, in the order of the program.
    pub results: Vec<ImplementationResult>,
    /// Checks the prover was asked about.
    pub asked: usize,
}

/// Reads included files relative to the file that includes them.
struct Files;

impl Includes for Files {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, Arc<str>), String> {
        let file: PathBuf = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        match std::fs::read_to_string(&file) {
            Ok(text) => Ok((file.display().to_string(), text.into())),
            Err(error) => Err(format!("{path}: {error}")),
        }
    }
}

/// Verifies programs one after the other.
pub struct Verifier {
    engine: Engine,
    options: Options,
    store: Arc<Store>,
}

impl Verifier {
    /// A verifier without reuse; nothing if there is no prover.
    pub fn fresh(time_limit: Duration) -> Option<Verifier> {
        let prover = locate(ProverKind::Z3, None).ok()?;
        let mut options = Options::new(ProverConfig::new(ProverKind::Z3, prover));
        options.time_limit = Some(time_limit);
        options.caching = Caching::Off;
        Some(Verifier {
            engine: Engine::new(),
            options,
            store: Store::open(Config::memory(Mode::Off)),
        })
    }

    /// A verifier that reuses what it found before, as far as was chosen; nothing if there is no prover.
    pub fn reusing(time_limit: Duration, caching: Caching) -> Option<Verifier> {
        let mut verifier = Verifier::fresh(time_limit)?;
        verifier.options.caching = caching;
        verifier.forget();
        Some(verifier)
    }

    /// Forgets what was found before.
    pub fn forget(&mut self) {
        self.store = match self.options.caching {
            Caching::Off => Store::open(Config::memory(Mode::Off)),
            _ => Store::in_memory(),
        };
    }

    /// Whether the front end accepts a program.
    pub fn accepts(&self, name: &str, text: &str) -> bool {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text.to_owned());
        file.is_some_and(|file| {
            let loaded = stet_dafny_verify::load(&mut sources, &[file], &mut Files);
            loaded.translation.is_some()
        })
    }

    /// The same without reuse, with so many errors told of each batch; 0: all.
    pub fn limited(&self, error_limit: usize) -> Verifier {
        let mut options = self.options.clone();
        options.error_limit = error_limit;
        options.caching = Caching::Off;
        Verifier {
            engine: Engine::new(),
            options,
            store: Store::open(Config::memory(Mode::Off)),
        }
    }

    /// Verifies only procedures whose names match.
    pub fn only(&mut self, patterns: Vec<String>) {
        self.options.procedures = patterns;
    }

    /// Verifies a program.
    pub fn check(&self, name: &str, text: &str) -> Finding {
        self.check_with(name, text, stet_dafny::Options::DEFAULT)
    }

    /// Verifies a program with options of Dafny.
    pub fn check_with(&self, name: &str, text: &str, options: stet_dafny::Options) -> Finding {
        let mut sources = SourceMap::new();
        let Some(file) = sources.add(name, text.to_owned()) else {
            return refused(Fate::Rejected, vec!["too large".into()]);
        };
        let loaded = stet_dafny_verify::load_with(&mut sources, &[file], &mut Files, options);
        let Some(translation) = loaded.translation else {
            let has = |code: &str| loaded.diagnostics.iter().any(|d| d.code == code);
            let fate = if has("internal/translation") {
                Fate::Broken
            } else if has("dafny/unsupported") {
                Fate::Unsupported
            } else {
                Fate::Rejected
            };
            return refused(fate, console::lines(&sources, &loaded.diagnostics).0);
        };
        self.verify(name, &sources, file, translation, &loaded.diagnostics)
    }

    fn verify(
        &self,
        name: &str,
        sources: &SourceMap,
        file: FileId,
        translation: stet_dafny_verify::Translation,
        said: &[Diagnostic],
    ) -> Finding {
        let request = Request {
            subject: name,
            sources,
            files: &[file],
            front: &mut stet_dafny_verify::front(translation),
            options: &self.options,
            store: &self.store,
            budget: &Budget::unlimited(),
        };
        let outcome = self.engine.check(request, &mut |_| {});
        let (mut lines, _) = console::lines(sources, said);
        let (found, errors) = console::lines(sources, &outcome.diagnostics);
        lines.extend(found);
        let is_unsupported =
            |r: &ImplementationResult| matches!(r.conclusion, Conclusion::Unsupported { .. });
        let fate = if outcome.verdicts.iter().any(is_unsupported) {
            Fate::Unsupported
        } else if errors > 0 && outcome.statistics.errors > 0 {
            Fate::Errors
        } else if !outcome.is_complete() {
            Fate::Undecided
        } else {
            Fate::Verified
        };
        Finding {
            fate,
            lines,
            trailer: console::trailer(&outcome),
            asked: outcome.statistics.solved + outcome.statistics.partial,
            results: outcome.verdicts,
        }
    }
}

fn refused(fate: Fate, lines: Vec<String>) -> Finding {
    Finding {
        fate,
        lines,
        trailer: String::new(),
        results: Vec::new(),
        asked: 0,
    }
}

/// The Dafny files below a folder, in order.
pub fn dafny_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(next) = pending.pop() {
        if next.is_dir() {
            let entries = std::fs::read_dir(&next).into_iter().flatten();
            pending.extend(entries.flatten().map(|e| e.path()));
        } else if next.extension().is_some_and(|e| e == "dfy") {
            found.push(next);
        }
    }
    found.sort();
    found
}

/// The names and texts of every n-th program below a folder, those whose names have `filter` in them.
pub fn chosen<'o>(
    root: &Path,
    filter: Option<&'o str>,
    every: usize,
) -> impl Iterator<Item = (String, String)> + use<'o> {
    let files = dafny_files(root).into_iter().step_by(every.max(1));
    files.filter_map(move |path| {
        let name = file_name(&path);
        let is_wanted = filter.is_none_or(|filter| name.contains(filter));
        let text = is_wanted.then(|| std::fs::read_to_string(&path).ok())??;
        Some((name, text))
    })
}

/// The last part of a path.
pub fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default()
}

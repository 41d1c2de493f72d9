//! The one entry to exploration: a program, settings and a store in; paths as they end, then totals, out.
//!
//! An [`Input`] is the program: modules of IR text and libraries, which are cut down to what the program needs. A [`Request`] adds
//! settings, a store and a budget. [`Engine::explore`] tells a [`Sink`] every path as it ends, and returns the [`Summary`]: why
//! the exploration ended, what it left out, and all counts. A later call with an edited program finds what is still true in the
//! store, which may be one in memory. A call is cancelled through its [`Budget`]. The command line, workers, tests, benchmarks and
//! campaigns all call [`Engine::explore`].

use crate::engine::{Config, Summary, explore_part};
use crate::part::Part;
use crate::program::ProgramError;
use crate::report::Sink;
use std::sync::Arc;
use stet_base::{Budget, FileId, SourceMap};
use stet_diag::Diagnostic;
use stet_llvm::{LibraryText, Module, needed};
use stet_solve::{InProcess, Logged, QueryLog, Solver};
use stet_store::Store;

pub use stet_llvm::Grain;

/// What the engine starts at, beside the entry.
const ROOTS: &[&str] = &[
    "main",
    "sx_start",
    "sx_posix_start",
    "sx_prepare",
    "sx_bad_alloc",
    "sx_no_memory",
];

#[derive(Default)]
pub struct Engine {
    log: Option<QueryLog>,
}

/// What to explore, and how.
pub struct Request<'a, 'p> {
    pub input: Input,
    /// What was chosen.
    pub config: &'a Config,
    /// Where verdicts of queries are kept; nothing is reused from other runs without one.
    pub store: Option<Arc<Store>>,
    /// How long the call may take, and whether it was interrupted.
    pub budget: &'a Budget,
    /// The part of the tree of paths to explore; all of it without.
    pub part: Option<&'a mut Part<'p>>,
}

impl Engine {
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Tells of every query that reaches the solver.
    pub fn with_query_log(mut self, log: QueryLog) -> Engine {
        self.log = Some(log);
        self
    }

    /// Explores a program; `sink` is told of paths as they end.
    pub fn explore(
        &self,
        request: Request<'_, '_>,
        sink: &mut dyn Sink,
    ) -> Result<Summary, ProgramError> {
        let Request {
            input,
            config,
            store,
            budget,
            part,
        } = request;
        let mut whole = Part::whole();
        let part = part.unwrap_or(&mut whole);
        let solver: Box<dyn Solver> = match &self.log {
            None => Box::new(InProcess::new()),
            Some(log) => Box::new(Logged::new(InProcess::new(), log.clone())),
        };
        explore_part(
            input.modules,
            &input.library,
            config,
            solver,
            store,
            budget,
            sink,
            part,
        )
    }
}

/// A program: modules of IR text, and libraries.
///
/// Copies share the modules: several engines explore a program that was read once.
#[derive(Clone, Debug, Default)]
pub struct Input {
    modules: Arc<Vec<Module>>,
    library: Vec<bool>,
    texts: Vec<Arc<str>>,
}

/// A library as IR text.
#[derive(Clone, Debug)]
pub struct Library {
    /// What it is called in messages.
    pub name: String,
    pub text: String,
    /// How much of it comes with one name.
    pub grain: Grain,
}

impl Input {
    /// A program without modules.
    pub fn new() -> Input {
        Input::default()
    }

    /// A program of one module.
    pub fn of_text(
        sources: &mut SourceMap,
        name: &str,
        text: &str,
    ) -> Result<Input, Box<Diagnostic>> {
        let mut input = Input::new();
        let file = added(sources, name, text.to_owned())?;
        input.add(sources, file)?;
        Ok(input)
    }

    /// Adds a module of the program.
    pub fn add(&mut self, sources: &SourceMap, file: FileId) -> Result<(), Box<Diagnostic>> {
        self.add_module(sources, file, false)
    }

    /// Adds what the program needs of libraries, which are asked in this order. Modules of the program must have been added
    /// before. `roots` are needed beside what the program mentions.
    pub fn add_libraries<'r>(
        &mut self,
        sources: &mut SourceMap,
        libraries: &[Library],
        roots: impl IntoIterator<Item = &'r str>,
    ) -> Result<(), Box<Diagnostic>> {
        let texts: Vec<LibraryText<'_>> = libraries
            .iter()
            .map(|library| LibraryText {
                text: &library.text,
                grain: library.grain,
            })
            .collect();
        let roots: Vec<&str> = ROOTS.iter().copied().chain(roots).collect();
        for (library, text) in libraries.iter().zip(needed(&self.modules, &roots, &texts)) {
            if let Some(text) = text {
                let file = added(sources, &library.name, text)?;
                self.add_module(sources, file, true)?;
            }
        }
        Ok(())
    }

    /// The texts of the program's own modules, without libraries.
    pub fn own_texts(&self) -> impl Iterator<Item = &str> {
        let texts = self.texts.iter().zip(&self.library);
        texts
            .filter(|(_, library)| !**library)
            .map(|(text, _)| &**text)
    }

    pub(crate) fn add_module(
        &mut self,
        sources: &SourceMap,
        file: FileId,
        is_library: bool,
    ) -> Result<(), Box<Diagnostic>> {
        let text = sources.file(file).text().clone();
        let module = stet_llvm::read(&text, file)?;
        let Some(modules) = Arc::get_mut(&mut self.modules) else {
            let message = "a program that is being explored cannot get another module";
            return Err(Box::new(Diagnostic::error("explore/workers", message)));
        };
        modules.push(module);
        self.library.push(is_library);
        self.texts.push(text);
        Ok(())
    }

    /// The texts of all modules, libraries as far as they are needed.
    pub fn texts(&self) -> &[Arc<str>] {
        &self.texts
    }

    /// For each module, whether it only fills gaps.
    pub(crate) fn library(&self) -> &[bool] {
        &self.library
    }
}

fn added(sources: &mut SourceMap, name: &str, text: String) -> Result<FileId, Box<Diagnostic>> {
    sources.add_made(name, text).ok_or_else(|| {
        let message = format!("cannot read `{name}`: it is larger than 4 GiB");
        Box::new(Diagnostic::error("input/too-large", message))
    })
}

/// Threads share a program.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Input>();
};

//! The one entry to verification: sources, options and a store in; verdicts, diagnostics and statistics out.
//!
//! An [`Engine`] is called again with edited sources; it keeps its provers running in between, and what was found before is
//! found again through the store, which may be one in memory. A call is cancelled through its [`Budget`]. The command line,
//! the tests, the benchmarks and the campaigns all call [`Engine::check`].

use crate::codes;
use crate::front::{FrontEnd, TextUse};
use crate::layers::checks::ChecksLayer;
use crate::layers::program::ProgramLayer;
use crate::layers::{LayerCount, Metered, recheck};
use crate::options::{Caching, Options};
use crate::report;
use crate::result::{Conclusion, ImplementationResult, Origin};
use crate::run::{self, Context, Run};
use crate::setup::{Setup, prover_identity};
use crate::takeover::{Takeover, Ticket};
use crate::task::ENGINE_VERSION;
use crate::text::Texts;
use crate::workers::Provers;
use std::sync::Arc;
use stet_base::{Budget, FileId, SourceMap, Span};
use stet_boogie::{Origins, Program};
use stet_diag::Diagnostic;
use stet_key::{Digest, Encoder};
use stet_solve::pipe;
use stet_store::Store;

#[derive(Debug, Default)]
pub struct Engine {
    provers: Arc<Provers>,
    takeover: Arc<Takeover>,
}

/// What to check.
pub struct Request<'a> {
    /// What the program is called from one call to the next, e.g. its file name: edits are compared with what was verified
    /// under this name.
    pub subject: &'a str,
    /// All source files, and those of them that are the program.
    pub sources: &'a SourceMap,
    /// The files that are the program, in order.
    pub files: &'a [FileId],
    /// The language they are in.
    pub front: &'a mut dyn FrontEnd,
    /// What was chosen.
    pub options: &'a Options,
    /// Where verdicts are kept.
    pub store: &'a Store,
    /// How long the call may take, and whether it was interrupted.
    pub budget: &'a Budget,
}

/// What happens during a call.
pub enum Event<'e> {
    /// The program was read and has this many implementations.
    Read { implementations: usize },
    /// A result is known.
    Result {
        result: &'e ImplementationResult,
        /// What there is to say about it.
        diagnostics: &'e [Diagnostic],
    },
}

/// Something that was not checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    pub implementation: String,
    pub span: Span,
    /// Why there is no verdict.
    pub why: Conclusion,
}

/// Counters of a call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Implementations with a result.
    pub implementations: usize,
    /// Those that were verified.
    pub verified: usize,
    /// Errors in all of them.
    pub errors: usize,
    /// Those without a verdict.
    pub undecided: usize,
    /// Checks without a verdict.
    pub undecided_checks: usize,
    /// Decided checks the prover was asked about in this call.
    pub solved: usize,
    /// Checks whose verdict was reused.
    pub cached: usize,
    /// Checks that were asked about for what changed only.
    pub partial: usize,
    /// Errors that were reported again.
    pub recycled: usize,
    /// The layers of the cascade, in order.
    pub layers: Vec<LayerCount>,
}

/// What a call found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The results of all implementations that were selected, in the order of the program.
    pub verdicts: Vec<ImplementationResult>,
    /// Everything there is to say: about the program, then about results in the order they became known.
    pub diagnostics: Vec<Diagnostic>,
    pub statistics: Statistics,
    /// Implementations without a verdict.
    pub left_out: Vec<LeftOut>,
    /// Whether the files are a program and there is a prover: otherwise nothing was checked.
    pub is_usable: bool,
    /// Reused verdicts that differ from their recomputation: a defect (law 6).
    pub mismatches: Vec<String>,
    /// Recursive `:inline` functions, once for every call that was left as it is.
    pub expansion_loops: Vec<String>,
    /// The program with what verification added to it, unless it did not have to be read.
    pub program: Option<Program>,
}

impl Outcome {
    /// Whether every selected implementation has a verdict.
    pub fn is_complete(&self) -> bool {
        self.is_usable && self.left_out.is_empty()
    }
}

/// Called with what happens, as it happens.
pub type OnEvent<'s> = dyn FnMut(&Event<'_>) + Send + 's;

impl Engine {
    /// An engine without running provers.
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Ends the provers that are kept for the next call.
    pub fn stop(&self) {
        self.provers.stop();
    }

    /// Calls about a subject that are under way begin nothing more: there is another text. What they have begun goes on until
    /// the next call about the subject says whether it needs it. (A call is stopped altogether through its budget.)
    pub fn retire(&self, subject: &str) {
        self.takeover.retire(subject);
    }

    /// Checks a program; `on_event` is told of results as they become known.
    pub fn check(&self, request: Request<'_>, on_event: &mut OnEvent<'_>) -> Outcome {
        // Expressions may nest deeply; trees are walked by recursion on a stack that is deep enough.
        stet_base::deep_stack(move || self.check_here(request, on_event))
    }

    fn check_here(&self, request: Request<'_>, on_event: &mut OnEvent<'_>) -> Outcome {
        let Request {
            sources,
            files,
            front,
            ..
        } = request;
        let mut call = Call {
            reader: reader(front),
            text_use: front.text_use(sources, files),
            front,
            options: request.options,
            store: request.store,
            subject: request.subject,
            budget: request.budget,
            ticket: self.takeover.begin(request.subject),
            sources,
            origins: Origins::default(),
            outcome: Outcome::default(),
        };
        // A program is reported on before provers are, but results that are known need no program.
        let setup = self.setup(call.options, call.store);
        let files_with_text: Vec<(FileId, &str)> = files
            .iter()
            .map(|&file| (file, &**sources.file(file).text()))
            .collect();
        let setup = setup.map(|setup| call.with_texts(setup, &files_with_text));
        let mut layer = match &setup {
            Ok(setup) => call.program_layer(&files_with_text, setup),
            Err(_) => None,
        };
        let known = layer.as_mut().and_then(|layer| layer.ask(()));
        let mut given = Vec::new();
        if let (Some(known), Ok(setup)) = (known, &setup) {
            call.make_last(setup, &known);
            if !known.iter().any(|r| recheck::is_due(r, setup)) {
                return call.finish_known(known, layer.as_ref(), on_event);
            }
            given = known;
        }
        let reading = call.front.read(sources, files);
        let is_silent = reading.diagnostics.is_empty();
        if let Some(program) = &reading.program {
            call.origins = program.origins.clone();
        }
        let said = reading.diagnostics.into_iter();
        call.outcome.diagnostics = said.map(|d| call.with_origin(d)).collect();
        let Some(program) = reading.program else {
            return call.outcome;
        };
        let setup = match &setup {
            Ok(setup) => setup,
            Err(error) => {
                let problem = Diagnostic::error(codes::NO_PROVER, error.to_string());
                call.outcome.diagnostics.push(problem);
                return call.outcome;
            }
        };
        on_event(&Event::Read {
            implementations: program.impls.len(),
        });
        let found = call.run(program, given, setup, on_event);
        if let Some(layer) = &mut layer
            && is_silent
            && found.expansion_loops.is_empty()
        {
            layer.tell((), &found.results);
        }
        let count = layer.as_ref().map(Metered::count).cloned();
        call.finish(found, count)
    }

    fn setup(&self, options: &Options, store: &Store) -> Result<Setup, pipe::PipeError> {
        Ok(Setup {
            options: options.clone(),
            identity: prover_identity(&options.prover, store)?,
            provers: self.provers.clone(),
            texts: None,
        })
    }
}

/// Who reads texts: the running build of Stet, and the front end with its options; `None` if the build cannot be told from
/// others.
fn reader(front: &dyn FrontEnd) -> Option<Digest> {
    let mut encoder = Encoder::new();
    encoder.str(ENGINE_VERSION);
    encoder.str(&pipe::running_build()?);
    front.identify(&mut encoder);
    Some(encoder.digest_of_all())
}

struct Call<'a> {
    front: &'a mut dyn FrontEnd,
    reader: Option<Digest>,
    text_use: TextUse,
    options: &'a Options,
    store: &'a Store,
    subject: &'a str,
    budget: &'a Budget,
    ticket: Ticket,
    sources: &'a SourceMap,
    /// What `#line` says.
    origins: Origins,
    outcome: Outcome,
}

impl Call<'_> {
    /// Whether results are looked for by text: not if they come with something that is not kept.
    fn uses_text(&self) -> bool {
        self.options.caching != Caching::Off && !self.options.want_models && !self.options.smoke
    }

    fn with_texts(&self, setup: Setup, files: &[(FileId, &str)]) -> Setup {
        let is_cut = self.uses_text() && self.reader.is_some() && self.text_use == TextUse::Boogie;
        let texts = if is_cut { Texts::new(files) } else { None };
        Setup {
            texts: texts.map(Arc::new),
            ..setup
        }
    }

    fn program_layer<'s>(
        &self,
        files: &[(FileId, &str)],
        setup: &'s Setup,
    ) -> Option<Metered<ProgramLayer<'s>>>
    where
        Self: 's,
    {
        if !self.uses_text() || self.text_use == TextUse::None {
            return None;
        }
        let whole = self.text_use == TextUse::Whole;
        let layer = ProgramLayer::new(self.reader?, files, whole, setup, self.store);
        Some(Metered::new(layer))
    }

    /// Makes the snapshots of known results those the next edit is compared with.
    fn make_last(&self, setup: &Setup, results: &[ImplementationResult]) {
        if self.options.caching != Caching::Fine {
            return;
        }
        let layer = ChecksLayer::new(setup, self.store, self.subject);
        for result in results {
            layer.make_last(result);
        }
    }

    /// What there is to say about a result.
    fn describe(&self, result: &ImplementationResult) -> Vec<Diagnostic> {
        let errors = result.errors.iter();
        let mut found: Vec<Diagnostic> = errors.map(|e| self.front.describe(result, e)).collect();
        found.extend(report::trouble(result));
        found
    }

    /// Says where the text comes from, if `#line` tells.
    fn with_origin(&self, diagnostic: Diagnostic) -> Diagnostic {
        let span = diagnostic.primary.as_ref().map(|label| label.span);
        let origin = span.and_then(|span| self.origins.mapped(self.sources, span));
        match origin {
            Some(place) => diagnostic.with_note(format!(
                "this is {}:{}:{}, as `#line` tells",
                place.file, place.line, place.column
            )),
            None => diagnostic,
        }
    }

    fn tell(&self, result: &ImplementationResult, on_event: &mut OnEvent<'_>) {
        on_event(&Event::Result {
            result,
            diagnostics: &self.described(result),
        });
    }

    fn described(&self, result: &ImplementationResult) -> Vec<Diagnostic> {
        let diagnostics = self.describe(result).into_iter();
        diagnostics.map(|d| self.with_origin(d)).collect()
    }

    /// Results become known in any order; what is said about them has the order of the program.
    fn take_diagnostics(&mut self, results: &[ImplementationResult]) {
        for result in results {
            let diagnostics = self.described(result);
            self.outcome.diagnostics.extend(diagnostics);
        }
    }

    fn finish_known(
        mut self,
        results: Vec<ImplementationResult>,
        layer: Option<&Metered<ProgramLayer<'_>>>,
        on_event: &mut OnEvent<'_>,
    ) -> Outcome {
        for result in &results {
            self.tell(result, on_event);
        }
        self.take_diagnostics(&results);
        self.outcome.is_usable = true;
        let layers = layer.map(Metered::count).cloned();
        self.outcome.statistics = Statistics::new(&results, layers.into_iter().collect());
        self.outcome.verdicts = results;
        self.outcome
    }

    fn run(
        &mut self,
        program: Program,
        given: Vec<ImplementationResult>,
        setup: &Setup,
        on_event: &mut OnEvent<'_>,
    ) -> Run {
        debug_assert!(
            setup.texts.is_none() || self.reader.is_some(),
            "results are found by text only where the reader is known"
        );
        let context = Context {
            setup,
            store: self.store,
            subject: self.subject,
            budget: self.budget,
            ticket: &self.ticket,
            reader: self.reader.unwrap_or_else(|| Digest::of_bytes(b"")),
        };
        run::run(program, given, &context, &mut |result| {
            self.tell(result, on_event)
        })
    }

    fn finish(mut self, run: Run, program_layer: Option<LayerCount>) -> Outcome {
        let mut layers: Vec<LayerCount> = program_layer.into_iter().collect();
        layers.extend(run.layers);
        self.take_diagnostics(&run.results);
        let outcome = &mut self.outcome;
        outcome.is_usable = true;
        outcome.statistics = Statistics::new(&run.results, layers);
        let unreachable = run.results.iter().flat_map(report::unreachable);
        outcome.diagnostics.extend(unreachable);
        let loops = report::expansion_loops(&run.program, &run.expansion_loops);
        outcome.diagnostics.extend(loops);
        let mismatches = run.mismatches.iter().map(|m| report::mismatch(m));
        outcome.diagnostics.extend(mismatches);
        let undecided = run.results.iter().filter(|r| !is_decided(r));
        let left_out = undecided.map(|r| LeftOut {
            implementation: r.name.clone(),
            span: r.span,
            why: r.conclusion.clone(),
        });
        outcome.left_out = left_out.collect();
        outcome.mismatches = run.mismatches;
        outcome.expansion_loops = run.expansion_loops;
        outcome.program = Some(run.program);
        outcome.verdicts = run.results;
        self.outcome
    }
}

fn is_decided(result: &ImplementationResult) -> bool {
    matches!(result.conclusion, Conclusion::Verified | Conclusion::Errors)
}

impl Statistics {
    fn new(results: &[ImplementationResult], layers: Vec<LayerCount>) -> Statistics {
        let of = |origin| results.iter().map(|r| r.decided(origin)).sum();
        let statistics = Statistics {
            implementations: results.len(),
            verified: results
                .iter()
                .filter(|r| r.conclusion == Conclusion::Verified)
                .count(),
            errors: results.iter().map(|r| r.errors.len()).sum(),
            undecided: results.iter().filter(|r| !is_decided(r)).count(),
            undecided_checks: results.iter().map(ImplementationResult::undecided).sum(),
            solved: of(Origin::Solved),
            cached: of(Origin::Cached),
            partial: of(Origin::Partial),
            recycled: of(Origin::Recycled),
            layers,
        };
        debug_assert_eq!(
            statistics.solved
                + statistics.cached
                + statistics.partial
                + statistics.recycled
                + statistics.undecided_checks,
            results.iter().map(|r| r.obligations.len()).sum::<usize>(),
            "every check is counted once"
        );
        statistics
    }
}

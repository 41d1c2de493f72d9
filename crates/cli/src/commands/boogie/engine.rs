//! Verification of a typed program, with results in Boogie's words.

use super::front::Front;
use super::options::Arguments;
use super::xml;
use crate::exit::ExitStatus;
use crate::session::Session;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use stet_base::{FileId, Span, Symbol};
use stet_boogie::ast::{Block, CmdId, CmdKind, ExprId, ExprKind, ImplId, Transfer, TransferKind};
use stet_boogie::print::{Bodies, PrintOptions, expr_text, print_implementation};
use stet_boogie::{Program, is_nowhere};
use stet_diag::{Diagnostic, Severity};
use stet_solve::pipe::{ProverConfig, ProverKind};
use stet_store::{Config, Mode, Store};
use stet_verify::{
    Caching, CheckKind, Conclusion, ImplementationResult, Options as Choices, Origin, Request,
    Unreachable, VerificationError, smoke_value,
};

/// What one program came to.
#[derive(Default)]
pub(super) struct Statistics {
    verified: usize,
    errors: usize,
    inconclusive: usize,
    timed_out: usize,
    out_of_memory: usize,
    out_of_resource: usize,
}

impl Statistics {
    fn count(&mut self, result: &ImplementationResult) {
        match &result.conclusion {
            Conclusion::Verified => self.verified += 1,
            Conclusion::Errors => self.errors += result.errors.len(),
            Conclusion::TimedOut => self.timed_out += 1,
            Conclusion::OutOfMemory => self.out_of_memory += 1,
            Conclusion::OutOfResource => self.out_of_resource += 1,
            Conclusion::Inconclusive(_)
            | Conclusion::Cancelled
            | Conclusion::Unsupported { .. } => {
                self.inconclusive += 1;
            }
        }
        if result.conclusion != Conclusion::Errors {
            self.errors += result.errors.len();
        }
    }

    /// The last line.
    pub(super) fn trailer(&self) -> String {
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let mut text = format!(
            "Boogie program verifier finished with {} verified, {} error{}",
            self.verified,
            self.errors,
            plural(self.errors)
        );
        for (count, what, counted) in [
            (self.inconclusive, "inconclusive", true),
            (self.timed_out, "time out", true),
            (self.out_of_memory, "out of memory", false),
            (self.out_of_resource, "out of resource", false),
        ] {
            if count > 0 {
                let ending = if counted { plural(count) } else { "" };
                text.push_str(&format!(", {count} {what}{ending}"));
            }
        }
        text
    }
}

/// What programs of one command line share: the verifier and the memory of results.
pub(super) struct Engine {
    verifier: stet_verify::Engine,
    choices: Choices,
    /// Results of this command line only, if they are not to be mixed with others.
    store: Option<Arc<Store>>,
    error_trace: u64,
    removes_empty_blocks: bool,
    trace: bool,
    trace_caching: bool,
    print_models: bool,
    /// `/mv`: where models are kept.
    model_file: Option<PathBuf>,
    pub(super) xml: Option<xml::Sink>,
}

impl Engine {
    /// Reads the options about verification; says what is wrong with them otherwise.
    pub(super) fn new(session: &Session, arguments: &Arguments) -> Result<Self, String> {
        let mut choices = Choices::new(prover(arguments));
        let trace_caching = arguments.number("traceCaching");
        choices.caching = match arguments.number("verifySnapshots") {
            Some(0) => Caching::Off,
            Some(1) => Caching::Basic,
            // Nothing is prepared for a cache that is off.
            None if session.store().mode() == Mode::Off => Caching::Off,
            _ => Caching::Fine,
        };
        choices.check_cache = session.check_cache();
        set_limits(arguments, &mut choices);
        choices.jobs = match arguments.number("vcsCores") {
            Some(cores) => usize::try_from(cores).unwrap_or(1).max(1),
            None => session.jobs(),
        };
        let named = model_file(arguments);
        let prints_models = named.as_deref() == Some("-");
        let model_file = named.filter(|_| !prints_models).map(PathBuf::from);
        if let Some(path) = &model_file {
            std::fs::write(path, "")
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        // What was reused is to be told as if nothing had been known before; snapshots are reused even if the store is off.
        let is_alone = trace_caching.is_some_and(|n| n > 0)
            || (choices.caching != Caching::Off && session.store().mode() == Mode::Off);
        Ok(Engine {
            verifier: stet_verify::Engine::new(),
            choices,
            store: is_alone.then(|| Store::open(Config::memory(Mode::ReadWrite))),
            error_trace: arguments.number("errorTrace").unwrap_or(1),
            removes_empty_blocks: arguments.number("removeEmptyBlocks") != Some(0),
            trace: arguments.has("trace") || arguments.has("tracePOs"),
            trace_caching: trace_caching.is_some_and(|n| n == 1 || n == 3),
            print_models: arguments.number("printModel").is_some_and(|n| n > 0) || prints_models,
            model_file,
            xml: arguments.file_name("xml").map(xml::Sink::new),
        })
    }

    /// Verifies a program and prints what was found.
    pub(super) fn verify(
        &mut self,
        session: &Session,
        front: &mut Front<'_>,
        files: &[FileId],
        subject: &str,
    ) -> ExitStatus {
        let outcome = self.verifier.check(
            Request {
                subject,
                sources: &session.sources,
                files,
                front,
                options: &self.choices,
                store: self.store.as_ref().unwrap_or(session.store()),
                budget: session.budget(),
            },
            &mut |_| {},
        );
        if !outcome.is_usable {
            // The front end has told what is wrong with the program.
            let is_error = |d: &&Diagnostic| d.severity == Severity::Error;
            for diagnostic in outcome.diagnostics.iter().filter(is_error) {
                let problem = &diagnostic.message;
                session.output.line(&format!("*** Error: {problem}"));
            }
            return ExitStatus::Usage;
        }
        for name in &outcome.expansion_loops {
            session
                .output
                .line(&format!("*** detected expansion loop on {name}"));
        }
        let mut statistics = Statistics::default();
        let program = outcome.program.unwrap_or_default();
        let reporter = Reporter {
            session,
            engine: self,
            program: &program,
        };
        for result in &outcome.verdicts {
            reporter.result(result);
            for code in &result.unreachable {
                reporter.unreachable(result, code);
            }
            statistics.count(result);
        }
        if let Some(xml) = &mut self.xml {
            for result in &outcome.verdicts {
                xml.method(result, &|span| place(session, &program.origins, span));
            }
        }
        session.output.line("");
        session.output.line(&statistics.trailer());
        if !outcome.mismatches.is_empty() {
            return ExitStatus::Internal;
        }
        if session.budget().is_cancelled() {
            return ExitStatus::Interrupted;
        }
        ExitStatus::Code(0)
    }
}

/// How the prover is started.
fn prover(arguments: &Arguments) -> ProverConfig {
    let is_cvc = solver(arguments).is_some_and(|name| CVC.contains(&name.as_str()));
    let kind = if is_cvc || arguments.has("cvc5exe") || arguments.has("cvc4exe") {
        ProverKind::Cvc5
    } else {
        ProverKind::Z3
    };
    let given = arguments
        .text("z3exe")
        .or(arguments.text("cvc5exe"))
        .or(arguments.text("cvc4exe"))
        .or(prover_options(arguments).find_map(|o| o.strip_prefix("PROVER_PATH=")));
    let log = arguments.file_name("proverLog").map(PathBuf::from);
    if let Some(log) = &log
        && !arguments.has("proverLogAppend")
    {
        // Boogie starts a new log; a missing one is as good.
        let _ = std::fs::remove_file(log);
    }
    ProverConfig {
        log,
        ..ProverConfig::located(kind, given.map(Path::new))
    }
}

/// The names of cvc5 and of what it replaces, for `/proverOpt:SOLVER=`.
const CVC: [&str; 2] = ["cvc5", "cvc4"];

/// The solver that `/proverOpt:SOLVER=` names, in lower case.
fn solver(arguments: &Arguments) -> Option<String> {
    let mut named = prover_options(arguments).filter_map(|o| o.strip_prefix("SOLVER="));
    named.next_back().map(str::to_ascii_lowercase)
}

/// The solver that was asked for and is none Stet can ask: another one must not answer in its place.
pub(super) fn missing_solver(arguments: &Arguments) -> Option<String> {
    solver(arguments).filter(|name| name != "z3" && !CVC.contains(&name.as_str()))
}

fn prover_options(arguments: &Arguments) -> impl DoubleEndedIterator<Item = &str> {
    arguments
        .texts("proverOpt")
        .iter()
        .chain(arguments.texts("p"))
        .map(String::as_str)
}

fn set_limits(arguments: &Arguments, choices: &mut Choices) {
    let number = |name: &str| arguments.number(name);
    if let Some(limit) = number("errorLimit") {
        choices.error_limit = usize::try_from(limit).unwrap_or(usize::MAX);
    }
    if let Some(seconds) = number("timeLimit").filter(|&s| s > 0) {
        choices.time_limit = Some(Duration::from_secs(seconds));
    }
    if let Some(limit) = number("rlimit") {
        choices.resource_limit = limit;
    }
    if let Some(level) = number("subsumption") {
        choices.subsumption = u8::try_from(level).unwrap_or(2);
    }
    choices.loop_unroll = number("loopUnroll").and_then(|n| u32::try_from(n).ok());
    choices.sound_unrolling = arguments.has("soundLoopUnrolling");
    choices.refuse_irreducible = true;
    choices.smoke = arguments.has("smoke");
    choices.max_splits = number("vcsMaxSplits")
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(1);
    choices.split_on_every_assert = arguments.has("vcsSplitOnEveryAssert");
    choices.every_path = arguments.has("z3multipleErrors");
    choices.erase_types = arguments
        .text("typeEncoding")
        .is_some_and(|scheme| scheme == "n" || scheme == "none");
    // The front end has merged blocks, inlined and inferred already.
    choices.coalesce_blocks = false;
    choices.inline_calls = false;
    choices.infer_intervals = false;
    choices.branches_in_order = arguments
        .text("vc")
        .is_some_and(|variety| !variety.starts_with('l'));
    choices.arrays = arguments.has("useArrayTheory");
    choices.procedures = arguments.texts("proc").to_vec();
    choices.want_models =
        number("printModel").is_some_and(|n| n > 0) || model_file(arguments).is_some();
    for option in prover_options(arguments) {
        // O:name=value goes to the prover; other keys steer Boogie's own interface.
        let option = option.strip_prefix("O:");
        if let Some((name, value)) = option.and_then(|o| o.split_once('=')) {
            choices
                .prover_options
                .push((name.to_owned(), value.to_owned()));
        }
    }
}

/// `file(line,column)`.
fn place(session: &Session, origins: &stet_boogie::Origins, span: Span) -> (String, u32, u32) {
    let place = origins.place(&session.sources, span);
    (place.file, place.line, place.column)
}

struct Reporter<'a> {
    session: &'a Session,
    engine: &'a Engine,
    program: &'a Program,
}

impl Reporter<'_> {
    fn at(&self, span: Span) -> String {
        let (file, line, column) = place(self.session, &self.program.origins, span);
        format!("{file}({line},{column})")
    }

    fn line(&self, text: &str) {
        self.session.output.line(text);
    }

    /// What was done about each check, in the words of Boogie's `/traceCaching`.
    fn caching(&self, result: &ImplementationResult) {
        if result.cached {
            return;
        }
        for obligation in &result.obligations {
            let Some(condition) = obligation.condition else {
                continue;
            };
            let condition = expr_text(self.program, condition);
            let at = self.at(obligation.span);
            self.line(&format!("Processing command (at {at}) assert {condition};"));
            self.line(match obligation.origin {
                Origin::Solved => "  >>> DoNothingToAssert",
                Origin::Cached => "  >>> MarkAsFullyVerified",
                Origin::Partial => "  >>> MarkAsPartiallyVerified",
                Origin::Recycled => "  >>> RecycleError",
            });
        }
    }

    fn result(&self, result: &ImplementationResult) {
        if self.engine.trace_caching {
            self.caching(result);
        }
        if self.engine.trace {
            let count = result.obligations.len();
            let plural = if count == 1 { "" } else { "s" };
            self.line(&format!("\nVerifying {} ...", result.name));
            let word = match result.conclusion {
                Conclusion::Verified => "verified",
                Conclusion::Errors if result.errors.len() == 1 => "error",
                Conclusion::Errors => "errors",
                Conclusion::TimedOut => "timed out",
                Conclusion::OutOfMemory => "out of memory",
                Conclusion::OutOfResource => "out of resource",
                _ => "inconclusive",
            };
            self.line(&format!("  [{count} proof obligation{plural}]  {word}"));
        }
        for error in &result.errors {
            self.error(error);
        }
        let at = self.at(result.span);
        let name = &result.name;
        match &result.conclusion {
            Conclusion::Verified | Conclusion::Errors | Conclusion::Cancelled => {}
            Conclusion::TimedOut => {
                let limit = self.engine.choices.time_limit.unwrap_or_default().as_secs();
                self.line(&format!(
                    "{at}: Verification of '{name}' timed out after {limit} seconds"
                ));
            }
            Conclusion::OutOfMemory => {
                self.line(&format!("{at}: Verification out of memory ({name})"))
            }
            Conclusion::OutOfResource => {
                self.line(&format!("{at}: Verification out of resource ({name})"));
            }
            Conclusion::Inconclusive(why) => {
                if let Some(error) = prover_error(why) {
                    self.line(&format!("Prover error: {error}"));
                }
                self.line(&format!("{at}: Verification inconclusive ({name})"));
            }
            Conclusion::Unsupported { what, span } => {
                let at = self.at(*span);
                self.line(&format!(
                    "{at}: BP5010: {what} (encountered in implementation {name})."
                ));
                self.line(&format!("{at}: Verification inconclusive ({name})"));
            }
        }
    }

    /// Shows a way to unreachable code as an implementation.
    fn unreachable(&self, result: &ImplementationResult, code: &Unreachable) {
        let mut program = self.program.clone();
        let id = only_path(&mut program, result.implementation, &code.path);
        let options = PrintOptions {
            pretty: false,
            bodies: Bodies::Blocks,
        };
        self.line("found unreachable code:");
        let text = stet_base::deep_stack(|| print_implementation(&program, id, options));
        // Boogie leaves two lines between locals and the first block.
        let text = if program.impls[id].locals.is_empty() {
            text
        } else {
            text.replacen("\n  0:", "\n\n  0:", 1)
        };
        self.session.output.raw(text.as_bytes());
    }

    /// `/printModel` and `/mv`.
    fn model(&self, lines: &[String]) {
        if self.engine.print_models {
            lines.iter().for_each(|line| self.line(line));
        }
        if let Some(path) = &self.engine.model_file {
            let file = std::fs::OpenOptions::new().append(true).open(path);
            let written = file.and_then(|mut file| writeln!(file, "{}", lines.join("\n")));
            if let Err(error) = written {
                self.line(&format!("cannot write {}: {error}", path.display()));
            }
        }
    }

    fn error(&self, error: &VerificationError) {
        if let Some(model) = &error.model {
            self.model(&model.lines());
        }
        let merged = match &error.merged_exit {
            exit if self.engine.removes_empty_blocks => Some(exit),
            _ => None,
        };
        let at = self.at(merged.and_then(|exit| exit.place).unwrap_or(error.span));
        let (code, text, related) = words(error.kind);
        let text = error.message.as_deref().unwrap_or(text);
        self.line(&format!("{at}: Error {code}: {text}"));
        if let (Some(span), Some(related)) = (error.related, related) {
            self.line(&format!("{}: Related location: {related}", self.at(span)));
        }
        if self.engine.error_trace > 0 {
            self.line("Execution trace:");
            let exit = merged.and_then(|exit| exit.step.as_ref());
            for step in error.trace.iter().chain(exit) {
                if step.silent && self.engine.removes_empty_blocks {
                    continue;
                }
                if let Some(span) = step.span.filter(|&s| !is_nowhere(s)) {
                    self.line(&format!("    {}: {}", self.at(span), step.label));
                }
            }
        }
    }
}

/// An implementation of the blocks on ways to code that cannot be reached, where it ends with `assert false`.
fn only_path(program: &mut Program, imp: ImplId, path: &[String]) -> ImplId {
    let mut copy = program.impls[imp].clone();
    let span = copy.span;
    let no = program.add_expr(span, ExprKind::Bool(false), None);
    let end = program.add_cmd(span, CmdKind::Assert(no));
    let find = |label: &String| copy.blocks.iter().find(|b| program.name(b.label) == label);
    let mut blocks: Vec<Block> = path.iter().filter_map(find).cloned().collect();
    let shown: Vec<Symbol> = blocks.iter().map(|block| block.label).collect();
    for block in &mut blocks {
        if let TransferKind::Goto { labels, .. } = &mut block.transfer.kind {
            labels.retain(|label| shown.contains(label));
        }
    }
    if let Some(last) = blocks.last_mut() {
        let stop = last.cmds.iter().position(|&cmd| stops(program, cmd));
        if let Some(stop) = stop {
            if let CmdKind::Assume(expr) = program.cmds[last.cmds[stop]].kind
                && is_false(program, expr)
            {
                last.transfer.kind = TransferKind::Return;
            }
            last.cmds.truncate(stop);
        }
        if let TransferKind::Goto { labels, .. } = &mut last.transfer.kind {
            labels.clear();
        }
        last.cmds.push(end);
    }
    let entry = Block {
        span,
        label: program.names.intern("0"),
        cmds: Vec::new(),
        transfer: Transfer {
            span,
            kind: TransferKind::Goto {
                labels: shown.first().copied().into_iter().collect(),
                targets: Vec::new(),
            },
        },
    };
    blocks.insert(0, entry);
    copy.blocks = blocks;
    program.impls.push(copy)
}

/// `/mv:FILE` or `/printModelToFile:FILE`.
fn model_file(arguments: &Arguments) -> Option<String> {
    let file = arguments.file_name("mv");
    file.or_else(|| arguments.file_name("printModelToFile"))
}

fn is_false(program: &Program, expr: ExprId) -> bool {
    matches!(program.exprs[expr].kind, ExprKind::Bool(false))
}

/// Whether nothing is meant to come after a command.
fn stops(program: &Program, cmd: CmdId) -> bool {
    match &program.cmds[cmd].kind {
        CmdKind::Assume(expr) => smoke_value(program, *expr) == Some(false),
        CmdKind::Call(call) => call.proc.is_some_and(|proc| {
            let mut ensures = program.procs[proc].ensures.iter();
            ensures.any(|clause| smoke_value(program, clause.expr) == Some(false))
        }),
        _ => false,
    }
}

/// What the prover complained about, if that is why there is no verdict.
fn prover_error(why: &str) -> Option<&str> {
    let (_, message) = why.split_once("(error \"")?;
    Some(
        message
            .rsplit_once("\")")
            .map_or(message, |(inside, _)| inside),
    )
}

/// The code, the message, and what the related location is.
pub(super) fn words(kind: CheckKind) -> (&'static str, &'static str, Option<&'static str>) {
    match kind {
        CheckKind::Assert => ("BP5001", "This assertion might not hold.", None),
        CheckKind::Requires => (
            "BP5002",
            "A precondition for this call might not hold.",
            Some("This is the precondition that might not hold."),
        ),
        CheckKind::Ensures => (
            "BP5003",
            "A postcondition might not hold on this return path.",
            Some("This is the postcondition that might not hold."),
        ),
        CheckKind::InvariantEntry => (
            "BP5004",
            "This loop invariant might not hold on entry.",
            None,
        ),
        CheckKind::InvariantMaintained => (
            "BP5005",
            "This loop invariant might not be maintained by the loop.",
            None,
        ),
    }
}

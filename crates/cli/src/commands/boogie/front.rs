//! From files to a resolved, typed program, with the messages on the way.

use super::engine::{Engine, Statistics};
use super::options::Arguments;
use crate::exit::ExitStatus;
use crate::output::Output;
use crate::session::Session;
use std::cell::RefCell;
use std::path::Path;
use stet_base::{FileId, SourceMap};
use stet_boogie::inline::Inlining;
use stet_boogie::intervals::Places;
use stet_boogie::print::{Bodies, PrintOptions, print_implementation, print_procedure};
use stet_boogie::{Decl, Program};
use stet_diag::Diagnostic;
use stet_key::Encoder;
use stet_verify::{FrontEnd, Reading, TextUse};

/// Processes all files: together, one by one with `/verifySeparately`, version by version with `/verifySnapshots`.
pub(super) fn process(session: &mut Session, arguments: &Arguments) -> ExitStatus {
    let mut groups: Vec<Vec<String>> = if arguments.has("verifySeparately") {
        arguments.files.iter().map(|f| vec![f.clone()]).collect()
    } else {
        vec![arguments.files.clone()]
    };
    if arguments.has("verifySnapshots") {
        groups = groups.iter().flat_map(|g| snapshots(g)).collect();
    }
    let mut engine = None;
    let mut worst = ExitStatus::Code(0);
    for group in &groups {
        let status = process_files(session, arguments, group, &mut engine);
        if status.code() > worst.code() {
            worst = status;
        }
    }
    if let Some(Engine { xml: Some(xml), .. }) = &engine
        && let Err(error) = xml.write(&arguments.raw.join(" "))
    {
        session
            .output
            .line(&format!("Error writing the XML file: {error}"));
        return ExitStatus::Usage;
    }
    worst
}

/// `x.v0.bpl`, `x.v1.bpl`, … for `x.bpl`; the file itself if there are none.
fn snapshots(files: &[String]) -> Vec<Vec<String>> {
    let mut versions: Vec<Vec<String>> = Vec::new();
    for file in files {
        let base = file.strip_suffix(".bpl").unwrap_or(file);
        let versioned = |n: usize| format!("{base}.v{n}.bpl");
        let count = (0..)
            .take_while(|&n| Path::new(&versioned(n)).exists())
            .count();
        for n in 0..count.max(1) {
            let name = if count == 0 {
                file.clone()
            } else {
                versioned(n)
            };
            match versions.get_mut(n) {
                Some(version) => version.push(name),
                None => versions.push(vec![name]),
            }
        }
    }
    versions
}

/// What a program is called from one snapshot to the next.
fn subject(files: &[String]) -> String {
    let names: Vec<&str> = files
        .iter()
        .map(|file| {
            let base = file.strip_suffix(".bpl").unwrap_or(file);
            let version = base.rfind(".v").filter(|&at| {
                !base[at + 2..].is_empty() && base[at + 2..].bytes().all(|b| b.is_ascii_digit())
            });
            version.map_or(base, |at| &base[..at])
        })
        .collect();
    names.join("+")
}

fn process_files(
    session: &mut Session,
    arguments: &Arguments,
    files: &[String],
    engine: &mut Option<Engine>,
) -> ExitStatus {
    let last = files
        .last()
        .map_or(String::new(), |f| shown_name(arguments, f));
    let ids = match read(session, arguments, files) {
        Ok(ids) => ids,
        Err(status) => return status,
    };
    let mut front = Front {
        arguments,
        last: &last,
        output: &session.output,
        said: None,
        warnings: RefCell::default(),
    };
    if arguments.has("noVerify") || arguments.has("noResolve") || arguments.has("noTypecheck") {
        let read = || front.read(&session.sources, &ids);
        let reading = stet_base::deep_stack(read);
        if reading.program.is_some() {
            session.output.line("");
            session.output.line(&Statistics::default().trailer());
        }
        return front.said.unwrap_or(ExitStatus::Code(0));
    }
    let engine = match engine {
        Some(engine) => engine,
        none => match Engine::new(session, arguments) {
            Ok(new) => none.insert(new),
            Err(problem) => {
                session.output.line(&format!("*** Error: {problem}"));
                return ExitStatus::Usage;
            }
        },
    };
    if let Some(xml) = &mut engine.xml {
        xml.file(&last);
    }
    let status = engine.verify(session, &mut front, &ids, &subject(files));
    if let Some(xml) = &mut engine.xml {
        xml.end_file();
    }
    front.said.unwrap_or(status)
}

/// Reads programs as Boogie does, and says what is wrong with them in its words.
pub(super) struct Front<'a> {
    arguments: &'a Arguments,
    /// The last file, which summaries of errors name.
    last: &'a str,
    output: &'a Output,
    /// How the command ends, if it ends here.
    said: Option<ExitStatus>,
    /// What was found that is no error.
    warnings: RefCell<Vec<Diagnostic>>,
}

/// Options that print programs, so that they have to be read.
const PRINTING: [&str; 4] = ["print", "printInstrumented", "printInlined", "traceCaching"];

/// Options that a program depends on after it was read.
const READING: [&str; 12] = [
    "coalesceBlocks",
    "doModSetAnalysis",
    "infer",
    "inferModifies",
    "inline",
    "inlineDepth",
    "instrumentInfer",
    "lib",
    "noinfer",
    "noTypecheck",
    "noResolve",
    "overlookTypeErrors",
];

impl FrontEnd for Front<'_> {
    fn identify(&self, encoder: &mut Encoder) {
        encoder.str("stet boogie");
        for name in READING {
            encoder.bool(self.arguments.has(name));
            encoder.option(self.arguments.text(name), Encoder::str);
        }
    }

    fn text_use(&self, sources: &SourceMap, files: &[FileId]) -> TextUse {
        // an inferred clause depends on the bodies of other procedures
        let is_cut_wrongly = infers_modifies(self.arguments);
        if is_cut_wrongly || PRINTING.iter().any(|name| self.arguments.has(name)) {
            return TextUse::None;
        }
        stet_verify::boogie_text(sources, files)
    }

    fn read(&mut self, sources: &SourceMap, files: &[FileId]) -> Reading {
        let program = self.program(sources, files);
        self.said = program.as_ref().err().copied();
        Reading {
            program: program.ok(),
            // they have been told; with these, the text is read again next time, and they are told again
            diagnostics: self.warnings.take(),
        }
    }
}

impl Front<'_> {
    fn program(&self, sources: &SourceMap, files: &[FileId]) -> Result<Program, ExitStatus> {
        let (arguments, output) = (self.arguments, self.output);
        if let Some(library) = arguments.text("lib") {
            output.line(&format!(
                "*** Error: the library '{library}' is not available"
            ));
            return Err(ExitStatus::Code(2));
        }
        let mut program = self.parse(sources, files)?;
        print_if_wanted(output, arguments, &program)?;
        if arguments.has("noResolve") || !self.resolve_and_check(sources, &mut program) {
            return Err(ExitStatus::Code(0));
        }
        if arguments.has("printDesugared") {
            print_if_wanted(output, arguments, &program)?;
        }
        transform(output, arguments, &mut program);
        Ok(program)
    }

    /// Parses the files; all syntax errors are reported.
    fn parse(&self, sources: &SourceMap, files: &[FileId]) -> Result<Program, ExitStatus> {
        let mut program = Program::default();
        let mut failed = false;
        for (i, &id) in files.iter().enumerate() {
            let defines = [format!("FILE_{i}")];
            let found = stet_boogie::parse(&mut program, sources, id, &defines);
            if !found.is_empty() {
                self.tell(sources, &program, &found);
                let (count, shown) = (found.len(), sources.file(id).name());
                self.output
                    .line(&format!("{count} parse errors detected in {shown}"));
                failed = true;
            }
        }
        if failed {
            return Err(ExitStatus::Code(0));
        }
        Ok(program)
    }

    fn tell(&self, sources: &SourceMap, program: &Program, found: &[Diagnostic]) {
        for diagnostic in found {
            let line = stet_boogie::boogie_line(diagnostic, sources, &program.origins);
            self.output.line(&line);
        }
    }

    /// Resolves and checks; `false` if verification must not go on.
    fn resolve_and_check(&self, sources: &SourceMap, program: &mut Program) -> bool {
        let last = self.last;
        let (resolved, found) = stet_boogie::resolve(program);
        self.tell(sources, program, &found);
        let count = errors(&found);
        if count > 0 {
            self.output.line(&format!(
                "{count} name resolution errors detected in {last}"
            ));
            return false;
        }
        if self.arguments.has("noTypecheck") {
            return false;
        }
        if infers_modifies(self.arguments) {
            stet_boogie::infer_modifies(program);
        }
        let found = stet_boogie::typecheck(program, resolved);
        self.tell(sources, program, &found);
        let count = errors(&found);
        if count > 0 {
            self.output
                .line(&format!("{count} type checking errors detected in {last}"));
            return false;
        }
        self.warnings.borrow_mut().extend(found);
        true
    }
}

/// Whether `modifies` clauses come from bodies.
fn infers_modifies(arguments: &Arguments) -> bool {
    arguments.has("inferModifies") || arguments.has("doModSetAnalysis")
}

/// Merging of blocks, inlining, inference; and printing of what comes out.
fn transform(output: &Output, arguments: &Arguments, program: &mut Program) {
    stet_boogie::drop_unused_locals(program);
    if arguments.number("coalesceBlocks") != Some(0) {
        stet_boogie::coalesce(program);
    }
    inline_calls(output, arguments, program);
    infer(arguments, program);
    if arguments.has("printInstrumented") {
        let options = PrintOptions {
            pretty: is_pretty(arguments),
            bodies: Bodies::Blocks,
        };
        let text = stet_boogie::print::print_program(program, options);
        output.raw(text.as_bytes());
    }
    skip_inlined(arguments, program);
    stet_boogie::lower_code_expressions(program);
}

/// Procedures that are inlined wherever they are called are not verified by themselves.
fn skip_inlined(arguments: &Arguments, program: &mut Program) {
    let inlining = inlining(arguments);
    let mut skipped = Vec::new();
    for id in program.impls.ids() {
        if stet_boogie::inline::skips_verification(program, id, inlining) {
            skipped.push(id);
        }
    }
    program.decls.retain(|decl| match decl {
        Decl::Implementation(id) => !skipped.contains(id),
        _ => true,
    });
}

fn inlining(arguments: &Arguments) -> Inlining {
    match arguments.text("inline") {
        Some("none") => Inlining::None,
        Some("assert") => Inlining::Assert,
        Some("spec") => Inlining::Spec,
        _ => Inlining::Assume,
    }
}

/// `{:inline n}`, and `/printInlined`.
fn inline_calls(output: &Output, arguments: &Arguments, program: &mut Program) {
    let depth = arguments
        .number("inlineDepth")
        .and_then(|d| u32::try_from(d).ok());
    let changed = stet_boogie::inline::inline(program, inlining(arguments), depth, &|_, _| true);
    if arguments.has("printInlined") {
        let options = PrintOptions {
            pretty: false,
            bodies: Bodies::Blocks,
        };
        for id in changed {
            output.line("after inlining procedure calls");
            let implementation = &program.impls[id];
            if let Some(proc) = implementation.proc {
                output.raw(print_procedure(program, proc, options).as_bytes());
            }
            output.raw(print_implementation(program, id, options).as_bytes());
        }
    }
}

/// Intervals, unless they are switched off.
fn infer(arguments: &Arguments, program: &mut Program) {
    let trivial = arguments
        .text("infer")
        .is_some_and(|flags| flags.contains('t'));
    if arguments.has("noinfer") || trivial {
        return;
    }
    let places = match arguments.text("instrumentInfer") {
        Some("e") => Places::Everywhere,
        _ => Places::LoopHeads,
    };
    stet_boogie::intervals::infer(program, places);
}

/// How a file is called in messages.
fn shown_name(arguments: &Arguments, file: &str) -> String {
    if arguments.has("useBaseNameForFileName")
        && let Some(name) = Path::new(file).file_name()
    {
        return name.to_string_lossy().into_owned();
    }
    file.to_owned()
}

/// Reads the files.
fn read(
    session: &mut Session,
    arguments: &Arguments,
    files: &[String],
) -> Result<Vec<FileId>, ExitStatus> {
    let mut ids = Vec::new();
    for file in files {
        let path = if file == "stdin.bpl" { "-" } else { file };
        let text = match crate::input::read_text(Path::new(path)) {
            Ok(text) => text,
            Err(diagnostic) => {
                let reason = &diagnostic.message;
                session
                    .output
                    .line(&format!("Error opening file \"{file}\": {reason}"));
                for note in &diagnostic.notes {
                    session.output.line(&format!("  {note}"));
                }
                continue;
            }
        };
        let shown = shown_name(arguments, file);
        match session.sources.add(shown, text) {
            Some(id) => ids.push(id),
            None => session.output.line(&format!(
                "Error opening file \"{file}\": it is larger than 4 GiB"
            )),
        }
    }
    if ids.len() < files.len() {
        return Err(ExitStatus::Usage);
    }
    Ok(ids)
}

fn errors(found: &[Diagnostic]) -> usize {
    found.iter().filter(|d| d.is_error()).count()
}

fn is_pretty(arguments: &Arguments) -> bool {
    arguments.number("pretty") != Some(0)
}

/// `/print`: the program as read, before resolution.
fn print_if_wanted(
    output: &Output,
    arguments: &Arguments,
    program: &Program,
) -> Result<(), ExitStatus> {
    let Some(file) = arguments.file_name("print") else {
        return Ok(());
    };
    let bodies = if arguments.has("printInstrumented") || arguments.has("printInlined") {
        Bodies::Blocks
    } else if arguments.has("printUnstructured") {
        Bodies::Both
    } else {
        Bodies::Structured
    };
    let options = PrintOptions {
        pretty: is_pretty(arguments),
        bodies,
    };
    let mut text = String::new();
    if arguments.number("env") != Some(0) {
        text.push_str(&format!("// {}\n", super::LOGO));
        text.push_str(&format!(
            "// Command Line Options: {}\n",
            arguments.raw.join(" ")
        ));
    }
    text.push('\n');
    text.push_str(&stet_boogie::print::print_program(program, options));
    if file == "-" {
        output.raw(text.as_bytes());
        return Ok(());
    }
    std::fs::write(&file, text).map_err(|error| {
        output.line(&format!("Error writing file \"{file}\": {error}"));
        ExitStatus::Usage
    })
}

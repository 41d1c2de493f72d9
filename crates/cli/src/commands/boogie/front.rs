//! From files to a resolved, typed program, with the messages on the way.

use super::engine::{Engine, Statistics};
use super::options::Arguments;
use crate::exit::ExitStatus;
use crate::session::Session;
use std::path::Path;
use stet_boogie::inline::Inlining;
use stet_boogie::intervals::Places;
use stet_boogie::print::{Bodies, PrintOptions, print_implementation, print_procedure};
use stet_boogie::{Decl, Message, MessageKind, Program};

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
    let mut program = match read(session, arguments, files) {
        Ok(program) => program,
        Err(status) => return status,
    };
    if let Err(status) = print_if_wanted(session, arguments, &program) {
        return status;
    }
    if arguments.has("noResolve") || !resolve_and_check(session, arguments, &mut program, &last) {
        return ExitStatus::Code(0);
    }
    if arguments.has("printDesugared")
        && let Err(status) = print_if_wanted(session, arguments, &program)
    {
        return status;
    }
    transform(session, arguments, &mut program);
    if arguments.has("noVerify") {
        session.output.line("");
        session.output.line(&Statistics::default().trailer());
        return ExitStatus::Code(0);
    }
    if engine.is_none() {
        match Engine::new(session, arguments) {
            Ok(new) => *engine = Some(new),
            Err(problem) => {
                session.output.line(&format!("*** Error: {problem}"));
                return ExitStatus::Usage;
            }
        }
    }
    let Some(engine) = engine else {
        return ExitStatus::Usage;
    };
    if let Some(xml) = &mut engine.xml {
        xml.file(&last);
    }
    let status = engine.verify(session, program, &subject(files));
    if let Some(xml) = &mut engine.xml {
        xml.end_file();
    }
    status
}

/// Merging of blocks, inlining, inference; and printing of what comes out.
fn transform(session: &Session, arguments: &Arguments, program: &mut Program) {
    stet_boogie::drop_unused_locals(program);
    if arguments.number("coalesceBlocks") != Some(0) {
        stet_boogie::coalesce(program);
    }
    inline_calls(session, arguments, program);
    infer(arguments, program);
    if arguments.has("printInstrumented") {
        let options = PrintOptions {
            pretty: is_pretty(arguments),
            bodies: Bodies::Blocks,
        };
        let text = stet_boogie::deep_stack(|| stet_boogie::print::print_program(program, options));
        session.output.raw(text.as_bytes());
    }
    skip_inlined(arguments, program);
    stet_boogie::deep_stack(|| stet_boogie::lower_code_expressions(program));
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
fn inline_calls(session: &Session, arguments: &Arguments, program: &mut Program) {
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
            session.output.line("after inlining procedure calls");
            let implementation = &program.impls[id];
            if let Some(proc) = implementation.proc {
                session
                    .output
                    .raw(print_procedure(program, proc, options).as_bytes());
            }
            session
                .output
                .raw(print_implementation(program, id, options).as_bytes());
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
    stet_boogie::deep_stack(|| stet_boogie::intervals::infer(program, places));
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

/// Reads and parses the files; all syntax errors are reported.
fn read(
    session: &mut Session,
    arguments: &Arguments,
    files: &[String],
) -> Result<Program, ExitStatus> {
    let mut program = Program::default();
    let mut failed = None;
    for (i, file) in files.iter().enumerate() {
        let text = match crate::input::read_text(Path::new(if file == "stdin.bpl" {
            "-"
        } else {
            file
        })) {
            Ok(text) => text,
            Err(diagnostic) => {
                let reason = &diagnostic.message;
                session
                    .output
                    .line(&format!("Error opening file \"{file}\": {reason}"));
                for note in &diagnostic.notes {
                    session.output.line(&format!("  {note}"));
                }
                failed = Some(ExitStatus::Usage);
                continue;
            }
        };
        let shown = shown_name(arguments, file);
        let Some(id) = session.sources.add(shown.clone(), text) else {
            session.output.line(&format!(
                "Error opening file \"{file}\": it is larger than 4 GiB"
            ));
            failed = Some(ExitStatus::Usage);
            continue;
        };
        let defines = [format!("FILE_{i}")];
        let sources = &session.sources;
        let messages =
            stet_boogie::deep_stack(|| stet_boogie::parse(&mut program, sources, id, &defines));
        if !messages.is_empty() {
            tell(session, &program, &messages);
            let count = messages.len();
            session
                .output
                .line(&format!("{count} parse errors detected in {shown}"));
            failed.get_or_insert(ExitStatus::Code(0));
        }
    }
    match failed {
        Some(status) => Err(status),
        None => Ok(program),
    }
}

fn tell(session: &Session, program: &Program, messages: &[Message]) {
    for message in messages {
        let line = message.render(&session.sources, &program.origins);
        session.output.line(&line);
    }
}

fn errors(messages: &[Message]) -> usize {
    let is_error = |m: &&Message| m.kind == MessageKind::Error;
    messages.iter().filter(is_error).count()
}

/// Resolves and checks; `false` if verification must not go on.
fn resolve_and_check(
    session: &Session,
    arguments: &Arguments,
    program: &mut Program,
    last: &str,
) -> bool {
    let (resolved, messages) = stet_boogie::deep_stack(|| stet_boogie::resolve(program));
    tell(session, program, &messages);
    let count = errors(&messages);
    if count > 0 {
        session.output.line(&format!(
            "{count} name resolution errors detected in {last}"
        ));
        return false;
    }
    if arguments.has("noTypecheck") {
        return false;
    }
    let messages = stet_boogie::deep_stack(|| stet_boogie::typecheck(program, resolved));
    tell(session, program, &messages);
    let count = errors(&messages);
    if count > 0 {
        session
            .output
            .line(&format!("{count} type checking errors detected in {last}"));
        return false;
    }
    true
}

fn is_pretty(arguments: &Arguments) -> bool {
    arguments.number("pretty") != Some(0)
}

/// `/print`: the program as read, before resolution.
fn print_if_wanted(
    session: &Session,
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
    text.push_str(&stet_boogie::deep_stack(|| {
        stet_boogie::print::print_program(program, options)
    }));
    if file == "-" {
        session.output.raw(text.as_bytes());
        return Ok(());
    }
    std::fs::write(&file, text).map_err(|error| {
        session
            .output
            .line(&format!("Error writing file \"{file}\": {error}"));
        ExitStatus::Usage
    })
}

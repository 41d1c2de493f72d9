//! The front end on small programs: messages, labels, printing, transformations, and inputs that are meant to break it.

#[path = "front/hostile.rs"]
mod hostile;
#[path = "front/messages.rs"]
mod messages;
#[path = "front/printing.rs"]
mod printing;
#[path = "front/transformations.rs"]
mod transformations;

use std::path::PathBuf;
use stet_base::SourceMap;
use stet_boogie::print::{Bodies, PrintOptions, print_program};
use stet_boogie::{Program, boogie_line};
use stet_diag::Diagnostic;

/// A program and everything said about it.
struct Front {
    program: Program,
    messages: Vec<String>,
    ok: bool,
}

/// Takes a text through parsing, resolution and type checking, as far as it goes.
fn front(text: &str) -> Front {
    stet_base::deep_stack(|| front_here(text))
}

fn front_here(text: &str) -> Front {
    let mut sources = SourceMap::new();
    let file = sources.add("f.bpl", text).expect("small");
    let mut program = Program::default();
    let mut lines = Vec::new();
    let mut tell = |program: &Program, messages: &[Diagnostic]| {
        for message in messages {
            lines.push(boogie_line(message, &sources, &program.origins));
        }
        !messages.iter().any(Diagnostic::is_error)
    };
    let messages = stet_boogie::parse(&mut program, &sources, file, &[]);
    let mut ok = tell(&program, &messages);
    if ok {
        let (resolved, messages) = stet_boogie::resolve(&mut program);
        ok = tell(&program, &messages);
        if ok {
            let messages = stet_boogie::typecheck(&mut program, resolved);
            ok = tell(&program, &messages);
        }
    }
    Front {
        program,
        messages: lines,
        ok,
    }
}

/// Parses only; the text must be well formed.
fn parsed(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("f.bpl", text).expect("small");
    let mut program = Program::default();
    let messages = stet_base::deep_stack(|| stet_boogie::parse(&mut program, &sources, file, &[]));
    let lines: Vec<String> = messages
        .iter()
        .map(|m| boogie_line(m, &sources, &program.origins))
        .collect();
    assert!(lines.is_empty(), "{lines:#?}\n{text}");
    program
}

fn printed(program: &Program, bodies: Bodies, pretty: bool) -> String {
    stet_base::deep_stack(|| print_program(program, PrintOptions { pretty, bodies }))
}

/// The programs of the corpus, if it is there.
fn corpus() -> Vec<(String, String)> {
    let root = std::env::var_os("STET_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    let mut files = Vec::new();
    let mut folders = vec![root.join("boogie/suite"), root.join("boogie/snapshots")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "bpl")
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                files.push((path.display().to_string(), text));
            }
        }
    }
    if files.is_empty() {
        stet_testkit::skip_corpus("the Boogie corpus, STET_CORPUS");
    }
    files.sort();
    files
}

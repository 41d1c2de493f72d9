//! The oracle of "complete": random C functions of two small numbers with floating point, allocations, pointers, variable
//! arguments, jumps, standard input, signals, threads and faults. Every input is run natively; whenever an exploration
//! claims to be complete, its outcomes must be exactly those, and every test must end as predicted. Memory that is not written is filled with
//! zeroes natively, and with something else in a second run: where they differ, an exploration of the code as written must not claim anything.
//!
//! Many functions are compiled at a time; each is explored as if the file were a library that it is taken from.

mod gadgets;

use super::expressions::Writer;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use stet_base::{Budget, SourceMap};
use stet_explore::{
    Config, Engine, ErrorKind, Grain, Input, Library, Outcome, PathEnd, Progress, Request, Sink,
    Summary,
};

/// The first input is a byte, the second has three bits.
const SECOND: usize = 8;
/// Time for one exploration; beyond, nothing is claimed.
const PATIENCE: Duration = Duration::from_secs(1);

/// What programs return when an allocation fails.
const NO_MEMORY: i32 = 9001;

/// What a batch of programs showed.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Programs that were compiled, run natively and explored.
    pub programs: usize,
    /// Programs whose exploration claimed to be complete.
    pub claims: usize,
    /// Programs that were not explored to the end in time.
    pub late: usize,
    /// Programs that memory decides which was never written.
    pub undefined: usize,
    /// Tests compared with the native run.
    pub tests: usize,
    /// Claims or tests that the native run contradicts.
    pub wrong: Vec<String>,
    /// Why explorations were not complete.
    pub left_out: Vec<String>,
}

/// The body of a function that returns a constant on every path.
fn statement(w: &mut Writer, depth: u32, next: &mut u32) -> String {
    if depth == 0 {
        *next += 1;
        return format!("return {next};");
    }
    let known = w.scope.len();
    let text = match w.below(3) {
        0 => {
            let name = format!("v{depth}_{next}");
            let piece = gadgets::gadget(w, &name);
            let rest = statement(w, depth - 1, next);
            format!("{{ {piece} {rest} }}")
        }
        _ => {
            let condition = w.condition();
            let yes = statement(w, depth - 1, next);
            let no = statement(w, depth - 1, next);
            format!("if ({condition}) {{ {yes} }} else {{ {no} }}")
        }
    };
    w.scope.truncate(known);
    text
}

fn function(seed: u64, number: usize) -> String {
    let mut w = Writer::new(
        seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(number as u64),
    );
    let mut text = format!(
        "static int f{number}(int x, int y) {{ seen = 0; memset(shared, 0, sizeof shared);\n"
    );
    for k in 0..1 + w.below(3) {
        let _ = writeln!(text, "  {}", gadgets::gadget(&mut w, &format!("g{k}")));
    }
    let mut next = 0;
    let body = statement(&mut w, 3, &mut next);
    let _ = writeln!(text, "  {body}\n}}");
    text
}

/// A file of functions `f0`, `f1`, … and for each a `main0`, … that makes its arguments symbolic.
fn source(seed: u64, count: usize) -> String {
    let mut text = gadgets::PRELUDE.to_owned();
    for number in 0..count {
        text += &function(seed, number);
    }
    text += "#ifdef NATIVE\nextern int printf(const char *, ...);\nint main(void) {\n";
    for k in 0..count {
        let _ = writeln!(
            text,
            "for (int x = 0; x < 256; x++) for (int y = 0; y < {SECOND}; y++) printf(\"%d \", f{k}(x, y)); printf(\"\\n\");"
        );
    }
    text += "}\n#else\nextern void klee_make_symbolic(void *, unsigned long, const char *);\n";
    for k in 0..count {
        let _ = writeln!(
            text,
            "int main{k}(void) {{ unsigned char x, y; klee_make_symbolic(&x, 1, \"x\"); klee_make_symbolic(&y, 1, \"y\"); return leave(f{k}(x, y & {})); }}",
            SECOND - 1
        );
    }
    text + "#endif\n"
}

/// The paths of an exploration.
#[derive(Default)]
pub(crate) struct Collect(pub(crate) Vec<PathEnd>);

impl Sink for Collect {
    fn path(&mut self, end: PathEnd) {
        self.0.push(end);
    }
    fn warning(&mut self, _: &str) {}
    fn message(&mut self, _: &str) {}
    fn progress(&mut self, _: &Progress) {}
}

/// Generates a file of programs, runs them natively on all inputs, explores them, and compares; an error says what failed
/// outside of Stet.
pub fn batch(clang: &str, seed: u64, count: usize, level: &str) -> Result<Verdict, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("p.c");
    std::fs::write(&path, source(seed, count)).map_err(|error| error.to_string())?;
    let native = native_table(clang, &path)?;
    let filled = native_filled(clang, &path, "pattern", "0xaa")?;
    if native.len() != count || filled.len() != count {
        return Err(format!("{} of {count} native results", native.len()));
    }
    let text = ir(clang, &path, level)?;
    let mut verdict = Verdict::default();
    for (number, table) in native.iter().enumerate() {
        let (summary, ends) = explore_one(&text, number)?;
        // optimised code has zeroes in the source
        let is_undefined = level == "-O0" && filled[number] != *table;
        if is_undefined && summary.is_complete() {
            verdict.wrong.push(format!(
                "seed {seed} function {number}: claimed to be complete, but memory that was never written decides"
            ));
        }
        verdict.undefined += usize::from(is_undefined);
        compare(
            &format!("seed {seed} function {number}"),
            table,
            &summary,
            &ends,
            &mut verdict,
        );
    }
    Ok(verdict)
}

/// For each function its results, by `SECOND * x + y`.
pub(crate) fn native_table(clang: &str, path: &Path) -> Result<Vec<Vec<i32>>, String> {
    native_filled(clang, path, "zero", "0")
}

/// As [`native_table`], with local variables and fresh memory that hold something.
fn native_filled(
    clang: &str,
    path: &Path,
    locals: &str,
    byte: &str,
) -> Result<Vec<Vec<i32>>, String> {
    let binary = path.with_extension("native");
    let mut compiler = Command::new(clang);
    compiler
        .args(["-w", "-DNATIVE", "-ffp-contract=off", "-O0"])
        .arg(format!("-ftrivial-auto-var-init={locals}"))
        .arg(format!("-DFILL={byte}"))
        .arg(path)
        .arg("-o")
        .arg(&binary)
        .args(["-lm", "-lpthread"]);
    output_of(&mut compiler)?;
    let text = output_of(&mut Command::new(&binary))?;
    let numbers = |line: &str| {
        let numbers = line.split_whitespace();
        numbers.filter_map(|number| number.parse().ok()).collect()
    };
    Ok(text.lines().map(numbers).collect())
}

fn ir(clang: &str, path: &Path, level: &str) -> Result<String, String> {
    let mut compiler = Command::new(clang);
    compiler.args(["-w", "-S", "-emit-llvm", "-ffp-contract=off", level]);
    if level != "-O0" {
        compiler.arg("-DGUARDED");
    }
    output_of(compiler.args(["-o", "-"]).arg(path))
}

/// The standard output of a program that succeeds.
pub(crate) fn output_of(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            let first = said.lines().find(|line| line.contains("error"));
            Err(format!("{}: {}", output.status, first.unwrap_or("")))
        }
    }
}

/// Explores one program of a file.
fn explore_one(text: &str, number: usize) -> Result<(Summary, Vec<PathEnd>), String> {
    let mut config = Config::standard();
    config.entry = format!("main{number}");
    config.query.solver_time = Some(PATIENCE);
    let library = [Library {
        name: "p.ll".to_owned(),
        text: text.to_owned(),
        grain: Grain::Definition,
    }];
    let (mut input, mut sources) = (Input::new(), SourceMap::new());
    let added = input.add_libraries(&mut sources, &library, [config.entry.as_str()]);
    added.map_err(|error| error.message.clone())?;
    let mut sink = Collect::default();
    let request = Request {
        input,
        config: &config,
        store: None,
        budget: &Budget::unlimited().limited_to(PATIENCE),
        part: None,
    };
    let explored = Engine::new().explore(request, &mut sink);
    let summary = explored.map_err(|error| error.to_string())?;
    Ok((summary, sink.0))
}

/// The code that the native side returns for a path's end; `None` if the path says nothing about the program.
fn code(outcome: &Outcome) -> Option<i32> {
    match outcome {
        // whether memory is left is a matter of the machine
        Outcome::Exit(NO_MEMORY) => None,
        Outcome::Exit(status) => Some(*status),
        Outcome::Error(ErrorKind::OutOfBounds, _) => Some(gadgets::OUT_OF_BOUNDS),
        Outcome::Error(ErrorKind::DivisionByZero, _) => Some(gadgets::DIVISION),
        Outcome::Error(ErrorKind::Null, _) => Some(gadgets::NULL),
        Outcome::Error(ErrorKind::UseAfterFree, _) => Some(gadgets::AFTER_FREE),
        Outcome::Error(kind, _) if !kind.is_unsupported() => Some(-1),
        _ => None,
    }
}

fn compare(name: &str, native: &[i32], summary: &Summary, ends: &[PathEnd], verdict: &mut Verdict) {
    verdict.programs += 1;
    let mut explored = BTreeSet::new();
    for end in ends {
        let Some(code) = code(&end.outcome) else {
            continue;
        };
        explored.insert(code);
        let byte = |name: &str| {
            let objects = end.test.iter().flatten();
            let mut named = objects.filter(|object| object.name == name);
            named
                .next()
                .map_or(0, |object| usize::from(object.bytes[0]))
        };
        let (x, y) = (byte("x"), byte("y") % SECOND);
        let expected = native.get(SECOND * x + y);
        verdict.tests += 1;
        if expected != Some(&code) {
            verdict.wrong.push(format!(
                "{name}: x = {x}, y = {y} ends with {:?}, natively {expected:?}",
                end.outcome
            ));
        }
    }
    if summary.is_complete() {
        verdict.claims += 1;
        let all: BTreeSet<i32> = native.iter().copied().collect();
        if all != explored {
            let missed: Vec<&i32> = all.symmetric_difference(&explored).collect();
            verdict.wrong.push(format!(
                "{name}: claimed to be complete, but outcomes {missed:?} differ"
            ));
        }
    } else if summary.halt != stet_explore::Halt::Complete {
        verdict.late += 1;
    }
    let left_out = summary.left_out.iter();
    verdict
        .left_out
        .extend(left_out.map(|entry| format!("{}: {}", entry.kind.name(), entry.what)));
}

/// The clang to compile with, if there is one.
pub fn clang() -> Option<&'static str> {
    let names = ["clang", "clang-19", "clang-18", "clang-16", "clang-14"];
    names.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    })
}

/// The source of one program, to look at what was found.
pub fn show(seed: u64, number: usize) -> String {
    function(seed, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_of_completeness_are_true() {
        let Some(clang) = clang() else {
            stet_testkit::skip("clang");
            return;
        };
        let mut total = Verdict::default();
        for (seed, level) in [(1, "-O0"), (2, "-O1"), (3, "-O2")] {
            let verdict = batch(clang, seed, 12, level).expect("a batch compiles and runs");
            total.programs += verdict.programs;
            total.claims += verdict.claims;
            total.wrong.extend(verdict.wrong);
        }
        assert_eq!(total.wrong, Vec::<String>::new());
        assert_eq!(total.programs, 36);
        assert!(total.claims > 12, "only {} claims", total.claims);
    }
}

//! The oracle of "complete" for programs that are linked with the C library: random C programs that read a few bytes (standard input, an
//! argument, a file, an environment variable, or symbolic memory) and use texts, numbers, formats, files, signals, threads, clocks and other
//! parts of the library and the system.
//!
//! A program is explored as a user would, by the `stet` binary, from C or through `stet cc`; the native side (`harness.c`) runs the
//! same program with the platform's own library. Every test of the exploration must end natively as it says; where the exploration
//! claims to be complete, every native outcome must be among its own. Inputs of one byte are all run, longer ones are sampled.

mod pieces;
mod rarer;

use super::claims::{Verdict, output_of};
use super::expressions::Writer;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stet_explore::KTest;
use stet_testkit::Random;

/// Longer inputs than one byte are run on so many samples.
const SAMPLES: usize = 600;
/// Seconds for one exploration; beyond, nothing is claimed.
const PATIENCE: &str = "4";
/// Values of the second input.
const SECOND: u8 = 4;
/// What a fault or a signal is, on both sides; and a native run that took too long.
const FAULT: i32 = -1;
const TOO_LONG: i32 = -2;
/// Characters that programs look for.
const ALPHABET: &[u8] = b"\0 \t\n0123789abcdefgxyzABEIKNQX-+.,:;=%/\\*?[]()~#_\"'\x7f\x80\xc3\xff";
/// What an exploration assumes, and the native side fulfils.
const FULFILLED: [&str; 2] = [
    "files other than those given do not exist here",
    "standard input is read and is empty here",
];
const HARNESS: &str = include_str!("library/harness.c");

/// The programs that a campaign needs, and where it works.
#[derive(Debug)]
pub struct Tools {
    pub stet: PathBuf,
    pub clang: String,
    /// The C library to link, if it is not in its usual place.
    pub runtime: Option<PathBuf>,
}

impl Tools {
    fn stet(&self) -> Command {
        let mut command = Command::new(&self.stet);
        if let Some(runtime) = &self.runtime {
            command.env("STET_RUNTIME", runtime);
        }
        command
    }
}

/// Where a program reads its bytes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Memory,
    Input,
    Argument,
    File,
    Variable,
}

impl Source {
    const ALL: [Source; 5] = [
        Source::Memory,
        Source::Input,
        Source::Argument,
        Source::File,
        Source::Variable,
    ];

    /// The harness's letter.
    fn letter(self) -> &'static str {
        match self {
            Source::Memory => "K",
            Source::Input => "I",
            Source::Argument => "A",
            Source::File => "F",
            Source::Variable => "E",
        }
    }

    /// The options that make it symbolic.
    fn options(self, size: usize) -> Vec<String> {
        match self {
            Source::Memory => vec![],
            Source::Input => vec!["--sym-stdin".into(), size.to_string()],
            Source::Argument => vec!["--sym-arg".into(), size.to_string()],
            Source::File => vec!["--sym-file".into(), format!("A={size}")],
            Source::Variable => vec!["--sym-env".into(), format!("IN={size}")],
        }
    }

    /// The name of the object in tests.
    fn object(self) -> &'static str {
        match self {
            Source::Memory => "x",
            Source::Input => "stdin",
            Source::Argument => "arg00",
            Source::File => "A-data",
            Source::Variable => "IN",
        }
    }

    /// Statements that read `s`, which is zero.
    fn reading(self, w: &mut Writer, size: usize) -> String {
        let ways: &[&str] = match self {
            Source::Memory => &["klee_make_symbolic(s, $n, \"x\");"],
            Source::Argument => &[
                "if (argc < 2) return 99; strncpy(s, argv[1], $n);",
                "if (argc < 2) return 99; snprintf(s, 8, \"%s\", argv[1]);",
            ],
            Source::Variable => &["if (!getenv(\"IN\")) return 99; strcpy(s, getenv(\"IN\"));"],
            Source::Input => &[
                "if (read(0, s, $n) < 0) return 99;",
                "for (int i = 0, c; i < $n && (c = getchar()) != EOF; i++) s[i] = (char)c;",
                "if (!fgets(s, $n + 1, stdin)) return 98;",
                "if (fread(s, 1, $n, stdin) < 1) return 98;",
                "if (scanf(\"%3s\", s) != 1) return 98;",
                "if (scanf(\"%3[^\\n]\", s) != 1) return 98;",
                "char *line = 0; size_t room = 0; if (getline(&line, &room, stdin) < 0) return 98; strcpy(s, line);",
            ],
            Source::File => &[
                "int f = open(\"A\", O_RDONLY); if (f < 0 || read(f, s, 5) < 0) return 99; close(f);",
                "FILE *f = fopen(\"A\", \"r\"); if (!f) return 99; if (!fgets(s, 8, f)) return 98; fclose(f);",
                "FILE *f = fopen(\"A\", \"r\"); if (!f) return 99; if (fread(s, 1, 7, f) < 1) return 98; fclose(f);",
                "if (!freopen(\"A\", \"r\", stdin)) return 99; if (scanf(\"%3s\", s) != 1) return 98;",
                "FILE *f = fopen(\"A\", \"r\"); if (!f) return 99; for (int i = 0, c; i < 5 && (c = getc(f)) != EOF; i++) s[i] = (char)c; fclose(f);",
            ],
        };
        w.pick(ways).replace("$n", &size.to_string())
    }
}

/// A generated program.
#[derive(Debug)]
struct Program {
    text: String,
    source: Source,
    size: usize,
    /// Compiled by `stet cc` against the platform's headers, or by `stet explore` against the library's own.
    is_wrapped: bool,
    level: &'static str,
}

fn piece(w: &mut Writer, name: &str) -> String {
    let table = match w.below(11) {
        0 | 1 => pieces::TEXTS,
        2 | 3 => pieces::NUMBERS,
        4 => pieces::FORMATS,
        5 | 6 => pieces::FILES,
        7 | 8 => pieces::SYSTEM,
        _ => rarer::RARER,
    };
    let (a, b) = (w.int(1), w.int(1));
    let text = w.pick(table);
    w.scope.push(name.to_owned());
    text.replace("$v", name).replace("$a", &a).replace("$b", &b)
}

/// Statements that return a number on every path.
fn decision(w: &mut Writer, depth: u32, next: &mut u32) -> String {
    if depth == 0 {
        *next += 1;
        return format!("return leave({next});");
    }
    let known = w.scope.len();
    let text = match w.below(5) {
        0 => {
            let name = format!("w{depth}_{next}");
            let piece = piece(w, &name);
            format!("{{ {piece} {} }}", decision(w, depth - 1, next))
        }
        _ => {
            let (value, limit) = (w.variable(), w.below(260) as i64 - 20);
            let condition = match w.below(4) {
                0 => w.condition(),
                1 => format!("{value} == {limit}"),
                2 => format!("{value} % {} == 1", 2 + limit.unsigned_abs() % 5),
                _ => format!("{value} < {limit}"),
            };
            let yes = decision(w, depth - 1, next);
            let no = decision(w, depth - 1, next);
            format!("if ({condition}) {{ {yes} }} else {{ {no} }}")
        }
    };
    w.scope.truncate(known);
    text
}

/// What every program starts with.
fn prelude() -> String {
    format!("{}{}", pieces::PRELUDE, rarer::PRELUDE)
}

fn program(seed: u64) -> Program {
    let mut w = Writer::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let source = Source::ALL[w.below(5) as usize];
    let size = 1 + w.below(6) as usize / 3 + w.below(6) as usize / 5;
    let mut text = prelude();
    text += "int main(int argc, char **argv, char **environment) {\n  char s[8] = { 0 }; unsigned char y0; klee_make_symbolic(&y0, 1, \"y\");\n";
    let _ = writeln!(text, "  {}", source.reading(&mut w, size));
    let _ = writeln!(
        text,
        "  int x = (unsigned char)s[0], y = y0 & {};",
        SECOND - 1
    );
    for k in 0..1 + w.below(3) {
        let _ = writeln!(text, "  {}", piece(&mut w, &format!("v{k}")));
    }
    let _ = writeln!(text, "  {}\n}}", decision(&mut w, 3, &mut 0));
    let is_wrapped = w.below(2) == 0;
    let level = w.pick(&["-O0", "-O0", "-O1", "-O2"]);
    Program {
        text,
        source,
        size,
        is_wrapped,
        level,
    }
}

/// One program: generated, explored, run, and compared. An error says what failed outside of Stet.
pub fn one(tools: &Tools, seed: u64) -> Result<Verdict, String> {
    let program = program(seed);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let work = folder.path();
    let lost = |error: std::io::Error| error.to_string();
    // the harness gives up its rights before it runs anything
    make_readable(work).map_err(lost)?;
    std::fs::write(work.join("p.c"), &program.text).map_err(lost)?;
    std::fs::write(work.join("harness.c"), HARNESS).map_err(lost)?;
    let native = build_native(tools, work)?;
    let explored = explore(tools, &program, work)?;
    let mut inputs = inputs(&program, seed);
    inputs.extend(explored.tests.iter().map(|(input, _)| input.clone()));
    let inputs: Vec<Vec<u8>> = inputs.into_iter().collect();
    let ends = run_native(&native, &program, work, &inputs)?;
    let table: BTreeMap<&[u8], i32> = inputs.iter().map(Vec::as_slice).zip(ends).collect();
    Ok(compare(seed, &program, &explored, &table))
}

fn make_readable(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::create_dir(folder.join("run"))?;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
}

fn build_native(tools: &Tools, work: &Path) -> Result<PathBuf, String> {
    let binary = work.join("native");
    let mut compiler = Command::new(&tools.clang);
    compiler.current_dir(work);
    compiler.args(["-w", "-O0", "-DGUARD=1", "-ffp-contract=off"]);
    compiler.args(["-Dmain=stet_main", "-c", "p.c", "-o", "p.native.o"]);
    output_of(&mut compiler)?;
    let mut linker = Command::new(&tools.clang);
    linker
        .current_dir(work)
        .args(["-w", "harness.c", "p.native.o"]);
    linker.args(["-o", "native", "-lm", "-lpthread"]);
    output_of(&mut linker)?;
    Ok(binary)
}

/// What an exploration said.
#[derive(Debug, Default)]
struct Explored {
    is_complete: bool,
    is_late: bool,
    /// Inputs, with the value of `y` as the last byte, and how they end.
    tests: Vec<(Vec<u8>, i32)>,
    /// How paths end, also those of tests that cannot be run natively.
    outcomes: BTreeSet<i32>,
    left_out: Vec<String>,
}

fn explore(tools: &Tools, program: &Program, work: &Path) -> Result<Explored, String> {
    let mut command = tools.stet();
    command.current_dir(work).arg("explore");
    let guard = match program.level {
        "-O0" => "-DGUARD=0",
        _ => "-DGUARD=1",
    };
    if program.is_wrapped {
        let mut compiler = tools.stet();
        compiler.current_dir(work).args(["cc", "-w", guard]);
        compiler.args(["-ffp-contract=off", "-g", program.level]);
        compiler.args(["-Wl,--unresolved-symbols=ignore-all", "p.c", "-o", "p"]);
        output_of(compiler.args(["-lm", "-lpthread"]))?;
        command.arg("p");
    } else {
        command
            .arg("p.c")
            .arg("--opt-level")
            .arg(&program.level[2..]);
        for flag in ["-w", guard, "-ffp-contract=off"] {
            command.arg(format!("--cflag={flag}"));
        }
    }
    command.args(program.source.options(program.size));
    command.args(["--cache", "off", "--time-limit", PATIENCE]);
    command.args(["--format", "json", "--output-dir", "out"]);
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).map_err(|error| {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!("{error}: {}", errors.lines().next().unwrap_or_default())
    })?;
    let result = &said["result"];
    let entries = result["left_out"].as_array().into_iter().flatten();
    let ended = result["ended"].as_str().unwrap_or_default();
    let mut explored = Explored {
        is_late: !matches!(ended, "all paths were explored" | "something was left out"),
        left_out: entries
            .filter_map(|entry| entry["what"].as_str())
            .filter(|what| !FULFILLED.iter().any(|known| what.starts_with(known)))
            .map(str::to_owned)
            .collect(),
        ..Explored::default()
    };
    explored.is_complete = match explored.left_out.is_empty() {
        true => !explored.is_late,
        false => result["complete"] == true,
    };
    read_tests(program, &work.join("out"), &mut explored)?;
    Ok(explored)
}

/// The tests of an output directory; a path that Stet could not follow says nothing.
fn read_tests(program: &Program, folder: &Path, explored: &mut Explored) -> Result<(), String> {
    let lost = |error: std::io::Error| error.to_string();
    let exits = std::fs::read_to_string(folder.join("exits.txt")).map_err(lost)?;
    let words = exits.lines().filter_map(|line| line.split_once(' '));
    let mut ends: BTreeMap<String, i32> = words
        .filter_map(|(stem, status)| Some((stem.to_owned(), status.parse().ok()?)))
        .collect();
    let names: Vec<String> = std::fs::read_dir(folder)
        .map_err(lost)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    for name in &names {
        let mut parts = name.split('.');
        let (stem, kind) = (parts.next().unwrap_or_default(), parts.next());
        let is_fault = name.ends_with(".err") && !matches!(kind, Some("exec" | "external"));
        if is_fault {
            ends.insert(stem.to_owned(), FAULT);
        }
    }
    for (stem, end) in ends {
        // as the kernel shows it
        let end = if end == FAULT { FAULT } else { end & 255 };
        explored.outcomes.insert(end);
        let bytes = std::fs::read(folder.join(format!("{stem}.ktest")));
        let test = bytes.ok().and_then(|bytes| KTest::decode(&bytes));
        if let Some(input) = test.and_then(|test| input_of(program, &test)) {
            explored.tests.push((input, end));
        }
    }
    Ok(())
}

/// The bytes of a test in the harness's order; `None` where files have other permissions than the harness gives them, or are terminals.
fn input_of(program: &Program, test: &KTest) -> Option<Vec<u8>> {
    let named = |name: &str| test.objects.iter().find(|object| object.name == name);
    for object in &test.objects {
        let is_usual = |mode: &[u8]| matches!(mode, [0xa4, 0x81, 0, 0]);
        if object.name.ends_with("-stat") && !is_usual(object.bytes.get(24..28)?) {
            return None;
        }
    }
    let mut input = named(program.source.object())?.bytes.clone();
    input.truncate(program.size);
    let second = named("y").map_or(0, |object| object.bytes[0] % SECOND);
    input.push(second);
    Some(input)
}

/// Inputs to run natively: all, or samples.
fn inputs(program: &Program, seed: u64) -> BTreeSet<Vec<u8>> {
    let seconds = 0..SECOND;
    if program.size == 1 {
        let firsts = 0..=u8::MAX;
        return firsts
            .flat_map(|first| seconds.clone().map(move |second| vec![first, second]))
            .collect();
    }
    let mut random = Random::new(seed);
    let sample = |_| {
        let mut input: Vec<u8> = (0..program.size)
            .map(|_| match random.one_in(6) {
                true => random.bits() as u8,
                false => random.pick(ALPHABET),
            })
            .collect();
        input.push(random.below(u32::from(SECOND)) as u8);
        input
    };
    (0..SAMPLES).map(sample).collect()
}

fn run_native(
    native: &Path,
    program: &Program,
    work: &Path,
    inputs: &[Vec<u8>],
) -> Result<Vec<i32>, String> {
    let lost = |error: std::io::Error| error.to_string();
    let mut lines = tempfile::tempfile().map_err(lost)?;
    for input in inputs {
        let digits: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(lines, "{digits}").map_err(lost)?;
    }
    std::io::Seek::rewind(&mut lines).map_err(lost)?;
    let mut harness = Command::new(native);
    harness.arg(work.join("run")).arg(program.source.letter());
    harness.arg(program.size.to_string()).stdin(lines);
    let output = harness.output().map_err(lost)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let ends: Vec<i32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    match ends.len() == inputs.len() {
        true => Ok(ends),
        false => Err(format!(
            "the harness ended after {} of {} runs: {}",
            ends.len(),
            inputs.len(),
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

fn compare(
    seed: u64,
    program: &Program,
    explored: &Explored,
    native: &BTreeMap<&[u8], i32>,
) -> Verdict {
    let mut verdict = Verdict {
        programs: 1,
        claims: usize::from(explored.is_complete),
        late: usize::from(explored.is_late),
        left_out: explored.left_out.clone(),
        ..Verdict::default()
    };
    let how = if program.is_wrapped { "stet cc" } else { "C" };
    let name = format!(
        "seed {seed} ({how} {}, {:?})",
        program.level, program.source
    );
    // a run is only held to what it did not assume; files outside of the folder exist natively
    let is_outside = ["\"/proc/", "\"/etc/", "\"/dev/urandom"]
        .iter()
        .any(|path| program.text.contains(path));
    let is_bound = explored.left_out.is_empty() && !is_outside;
    for (input, end) in &explored.tests {
        verdict.tests += 1;
        let ended = native.get(input.as_slice());
        if is_bound && ended != Some(end) && ended != Some(&TOO_LONG) {
            verdict.wrong.push(format!(
                "{name}: the test {input:?} says {end}, natively {ended:?}"
            ));
        }
    }
    if explored.is_complete && !is_outside {
        let missed = native
            .iter()
            .find(|(_, end)| **end != TOO_LONG && !explored.outcomes.contains(end));
        if let Some((input, end)) = missed {
            verdict.wrong.push(format!(
                "{name}: claimed to be complete, but {input:?} ends with {end}"
            ));
        }
    }
    verdict
}

/// The source of one program, to look at what was found.
pub fn show(seed: u64) -> String {
    let program = program(seed);
    let body = program.text.strip_prefix(prelude().as_str());
    format!(
        "/* {:?} of {} bytes, {}, stet cc: {} */\n{}",
        program.source,
        program.size,
        program.level,
        program.is_wrapped,
        body.unwrap_or(&program.text)
    )
}

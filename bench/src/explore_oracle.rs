//! The oracle of "complete": random C functions of two bytes with floating point, allocations of computed sizes, standard
//! input, signals and threads. All 65,536 inputs are run natively; whenever an exploration claims to be complete, its
//! outcomes must be exactly those, and every test must end as predicted.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use stet_base::{Budget, SourceMap};
use stet_explore::{Config, InProcess, Outcome, PathEnd, Progress, Sink, explore};

/// What a batch of programs showed.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Programs explored.
    pub programs: usize,
    /// Programs whose exploration claimed to be complete.
    pub claims: usize,
    /// Tests compared with the native run.
    pub tests: usize,
    /// Claims or tests that the native run contradicts.
    pub wrong: Vec<String>,
}

/// A small generator of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// An integer expression over the bytes, without undefined behaviour.
    fn int(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(4) == 0 {
            return match self.below(3) {
                0 => format!("{}", self.below(300)),
                1 => "x".to_owned(),
                _ => "y".to_owned(),
            };
        }
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        match self.below(9) {
            0 => format!("(int)((unsigned)({a}) + (unsigned)({b}))"),
            1 => format!("(int)((unsigned)({a}) - (unsigned)({b}))"),
            2 => format!("(int)((unsigned)({a}) * (unsigned)({b}))"),
            3 => format!("(({a}) ^ ({b}))"),
            4 => format!("(({a}) & ({b}))"),
            5 => format!("(int)((unsigned)({a}) / (1u + (({b}) & 7)))"),
            6 => format!("(int)((unsigned)({a}) << (({b}) & 7))"),
            7 => format!("(({a}) > ({b}))"),
            _ => format!("(int)clamp({})", self.float(depth - 1)),
        }
    }

    /// A floating-point expression over the bytes.
    fn float(&mut self, depth: u32) -> String {
        let kind = self.pick(&["float", "double"]);
        if depth == 0 {
            return match self.below(3) {
                0 => format!(
                    "({kind}){}.{}",
                    self.below(40),
                    self.pick(&["0", "5", "25", "1"])
                ),
                _ => format!("({kind})({})", self.pick(&["x", "y", "x - y"])),
            };
        }
        let (a, b) = (self.float(depth - 1), self.float(depth - 1));
        match self.below(8) {
            0 => format!("(({a}) + ({b}))"),
            1 => format!("(({a}) - ({b}))"),
            2 => format!("(({a}) * ({b}))"),
            3 => format!("(({a}) / ({b}))"),
            4 => format!("({kind})({a})"),
            5 => format!("__builtin_floor({a})"),
            6 => format!("-({a})"),
            _ => format!("({kind})({})", self.int(depth - 1)),
        }
    }

    fn condition(&mut self) -> String {
        let compare = self.pick(&["<", "<=", "==", "!=", ">"]);
        match self.below(2) {
            0 => {
                let (a, b) = (self.int(2), self.int(1));
                format!("({a}) {compare} ({b})")
            }
            _ => {
                let (a, b) = (self.float(2), self.float(1));
                format!("({a}) {compare} ({b})")
            }
        }
    }

    /// The body of a function that returns a constant on every path.
    fn statement(&mut self, depth: u32, next: &mut u32) -> String {
        let mut constant = || {
            *next += 1;
            format!("return {};", *next)
        };
        if depth == 0 {
            return constant();
        }
        match self.below(12) {
            // an allocation whose size may be large
            0 => {
                let size = self.pick(&["x", "x * 4000", "(y & 3) + 1", "x * y * 100"]);
                let rest = self.statement(depth - 1, next);
                format!(
                    "{{ char *p = malloc({size}); if (!p) return 9001; p[0 * ({size})] = 1; free(p); {rest} }}"
                )
            }
            1 => {
                let rest = self.statement(depth - 1, next);
                let (a, b) = (self.int(1), self.below(200));
                format!(
                    "{{ if (({a}) == {b}) {{ unsigned char c; if (read(0, &c, 1) == 1 && c == 'q') return 9002; }} {rest} }}"
                )
            }
            2 => {
                let rest = self.statement(depth - 1, next);
                let (a, b) = (self.int(1), self.below(200));
                format!(
                    "{{ if (({a}) == {b}) {{ signal(10, handler); raise(10); if (seen) return 9003; }} {rest} }}"
                )
            }
            _ => {
                let condition = self.condition();
                let yes = self.statement(depth - 1, next);
                let no = self.statement(depth - 1, next);
                format!("if ({condition}) {{ {yes} }} else {{ {no} }}")
            }
        }
    }
}

/// What every file starts with.
const PRELUDE: &str = "\
extern void *malloc(unsigned long); extern void free(void *); extern long read(int, void *, unsigned long);\n\
extern void (*signal(int, void (*)(int)))(int); extern int raise(int);\n\
static volatile int seen; static void handler(int number) { seen = number; }\n\
/* An optimiser may compute the outcome without a branch: one path for each outcome all the same. */\n\
static int __attribute__((noinline, optnone)) leave(int r) { for (int k = 0; k < 64; k++) if (r == k) return k; return r; }\n\
static double clamp(double v) { return v >= -1000000.0 && v <= 1000000.0 ? v : 0.0; }\n";

/// A file of functions `f0`, `f1`, … and for each a `main0`, … that makes its arguments symbolic.
fn source(seed: u64, count: usize) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = PRELUDE.to_owned();
    for k in 0..count {
        let mut next = 0;
        let body = random.statement(4, &mut next);
        let _ = writeln!(text, "static int f{k}(int x, int y) {{ seen = 0; {body} }}");
    }
    text += "#ifdef NATIVE\nextern int printf(const char *, ...);\nint main(void) {\n";
    for k in 0..count {
        let _ = writeln!(
            text,
            "for (int x = 0; x < 256; x++) for (int y = 0; y < 256; y++) printf(\"%d \", f{k}(x, y)); printf(\"\\n\");"
        );
    }
    text += "}\n#else\nextern void klee_make_symbolic(void *, unsigned long, const char *);\n";
    for k in 0..count {
        let _ = writeln!(
            text,
            "int main{k}(void) {{ unsigned char x, y; klee_make_symbolic(&x, 1, \"x\"); klee_make_symbolic(&y, 1, \"y\"); return leave(f{k}(x, y)); }}"
        );
    }
    text + "#endif\n"
}

#[derive(Default)]
struct Collect(Vec<PathEnd>);

impl Sink for Collect {
    fn path(&mut self, end: PathEnd) {
        self.0.push(end);
    }
    fn warning(&mut self, _: &str) {}
    fn message(&mut self, _: &str) {}
    fn progress(&mut self, _: &Progress) {}
}

/// Generates a file of programs, runs them natively on all inputs, explores them, and compares. `None` without clang.
pub fn batch(clang: &str, seed: u64, count: usize, level: &str) -> Option<Verdict> {
    let folder = tempfile::tempdir().ok()?;
    let path = folder.path().join("p.c");
    std::fs::write(&path, source(seed, count)).ok()?;
    let native = native_table(clang, &path, level)?;
    let text = compile(clang, &path, level)?;
    let mut verdict = Verdict::default();
    for (k, table) in native.iter().enumerate().take(count) {
        check_one(&text, k, table, seed, &mut verdict)?;
    }
    Some(verdict)
}

/// For each function its results, by `256 * x + y`.
fn native_table(clang: &str, path: &Path, level: &str) -> Option<Vec<Vec<i32>>> {
    let binary = path.with_extension("native");
    let built = Command::new(clang)
        .args(["-w", "-DNATIVE", "-ffp-contract=off", level])
        .arg(path)
        .arg("-o")
        .arg(&binary)
        .arg("-lm")
        .status()
        .ok()?;
    built.success().then_some(())?;
    let output = Command::new(&binary)
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let numbers = |line: &str| {
        let numbers = line.split_whitespace();
        numbers.filter_map(|number| number.parse().ok()).collect()
    };
    Some(text.lines().map(numbers).collect())
}

fn compile(clang: &str, path: &Path, level: &str) -> Option<String> {
    let output = Command::new(clang)
        .args([
            "-w",
            "-S",
            "-emit-llvm",
            "-ffp-contract=off",
            level,
            "-o",
            "-",
        ])
        .arg(path)
        .output()
        .ok()?;
    String::from_utf8(output.stdout).ok()
}

fn check_one(
    text: &str,
    number: usize,
    native: &[i32],
    seed: u64,
    verdict: &mut Verdict,
) -> Option<()> {
    let mut sources = SourceMap::new();
    let file = sources.add("p.ll", text)?;
    let text: Arc<str> = sources.file(file).text().clone();
    let module = stet_llvm::read(&text, file).ok()?;
    let mut config = Config::standard();
    config.entry = format!("main{number}");
    config.query.solver_time = Some(std::time::Duration::from_secs(10));
    let mut sink = Collect::default();
    let budget = Budget::unlimited().limited_to(std::time::Duration::from_secs(60));
    let core = Box::new(InProcess::new());
    let summary = explore(
        vec![module],
        &[false],
        &config,
        core,
        None,
        &budget,
        &mut sink,
    )
    .ok()?;
    verdict.programs += 1;
    let mut explored = BTreeSet::new();
    for end in &sink.0 {
        let Outcome::Exit(status) = end.outcome else {
            continue;
        };
        explored.insert(status);
        let byte = |name: &str| {
            let objects = end.test.iter().flatten();
            let mut named = objects.filter(|object| object.name == name);
            named
                .next()
                .map_or(0, |object| usize::from(object.bytes[0]))
        };
        let expected = native.get(256 * byte("x") + byte("y"));
        verdict.tests += 1;
        if expected != Some(&status) {
            verdict.wrong.push(format!(
                "seed {seed} function {number}: x = {}, y = {} ends with {status}, natively {expected:?}",
                byte("x"),
                byte("y")
            ));
        }
    }
    if summary.is_complete() {
        verdict.claims += 1;
        let all: BTreeSet<i32> = native.iter().copied().collect();
        if all != explored {
            let missed: Vec<&i32> = all.symmetric_difference(&explored).collect();
            verdict.wrong.push(format!(
                "seed {seed} function {number}: claimed to be complete, but outcomes {missed:?} differ"
            ));
        }
    }
    Some(())
}

/// The clang to compile with, if there is one.
pub fn clang() -> Option<&'static str> {
    let names = ["clang", "clang-19", "clang-18", "clang-16", "clang-14"];
    names.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_of_completeness_are_true() {
        let Some(clang) = clang() else {
            println!("skipped: no clang on this machine");
            return;
        };
        let mut total = Verdict::default();
        for (seed, level) in [(1, "-O0"), (2, "-O1")] {
            let verdict = batch(clang, seed, 4, level).expect("a batch compiles and runs");
            total.programs += verdict.programs;
            total.claims += verdict.claims;
            total.wrong.extend(verdict.wrong);
        }
        assert_eq!(total.wrong, Vec::<String>::new());
        assert_eq!(total.programs, 8);
        assert!(total.claims > 1, "only {} claims", total.claims);
    }
}

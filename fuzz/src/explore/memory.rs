//! The oracle of the memory models: random C functions of two bytes over a table of heap, global and stack objects that is indexed by
//! the inputs: reads, writes, copies, aliases, lists, frees and reallocations through pointers into several objects.
//!
//! All 65,536 inputs are run natively with bounds and lifetimes checked by the program itself. Checked for both models, and for both with
//! objects split:
//!
//! * the outcomes and the places of errors are exactly the native ones, each error of a kind that happens there natively;
//! * every test ends natively as predicted;
//! * the models cover the same blocks, and the segmented one explores no more paths.

use crate::explore::claims::{Collect, native_table, output_of};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use stet_base::{Budget, SourceMap};
use stet_explore::query::CacheMode;
use stet_explore::{
    Config, Engine, ErrorKind, Grain, Input, Library, MemoryModel, Outcome, Request, Split,
};
use stet_testkit::Random;

/// What a batch of programs showed.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Programs that were compiled, run natively and explored.
    pub programs: usize,
    /// Programs whose explorations were complete.
    pub complete: usize,
    /// Paths in the forking and in the segmented model.
    pub paths: (u64, u64),
    /// Queries that reached the solver in the forking and in the segmented model.
    pub solver: (u64, u64),
    /// Complete explorations with objects split, and their paths.
    pub split: (usize, u64),
    /// Whatever differs from the native run or between the models.
    pub wrong: Vec<String>,
}

/// Native outcomes from here on are errors: place × 10 + kind.
const ERRORS: i32 = 5000;

/// Writes statements of random programs.
struct Writer(Random);

impl Writer {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }

    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        self.0.pick(choices)
    }

    /// An index of the table.
    fn entry(&mut self) -> String {
        match self.below(4) {
            0 => format!("{}", self.below(4)),
            _ => self
                .pick(&[
                    "x & 3",
                    "y & 3",
                    "(x >> 2) & 3",
                    "(x ^ y) & 3",
                    "a & 3",
                    "x & 1",
                ])
                .to_owned(),
        }
    }

    /// An index in an object; at most 12 bytes past the end of the largest one.
    fn index(&mut self, most: u64) -> String {
        match self.below(4) {
            0 => format!("{}", self.below(most)),
            1 => format!("(y % {most})"),
            2 => format!("((x >> 4) % {most})"),
            _ => format!("{}", self.below(most / 2)),
        }
    }

    fn value(&mut self) -> &'static str {
        self.pick(&["x", "y", "a", "17", "x + 3"])
    }

    fn condition(&mut self) -> String {
        let compare = self.pick(&["<", "==", "!=", ">"]);
        let left = self.pick(&["x", "y", "(a & 15)", "(x & y)"]);
        format!("{left} {compare} {}", self.below(64))
    }

    /// One statement on a line of its own, with `#line` telling its place.
    fn statement(&mut self, place: &mut u32, depth: u32) -> String {
        *place += 1;
        let at = *place;
        let line = |text: String| format!("#line {at}\n{text}\n");
        match self.below(14) {
            0..=2 => {
                let (i, j) = (self.entry(), self.index(20));
                line(format!(
                    "{{ int i = {i}, j = {j}; ACCESS(i, j, 1, {at}); a += (unsigned char)P[i][j]; }}"
                ))
            }
            3 | 4 => {
                let (i, j, v) = (self.entry(), self.index(20), self.value());
                line(format!(
                    "{{ int i = {i}, j = {j}; ACCESS(i, j, 1, {at}); P[i][j] = {v}; }}"
                ))
            }
            5 => {
                let (i, j) = (self.entry(), self.index(6));
                line(format!(
                    "{{ int i = {i}, j = {j}; ACCESS(i, j, 4, {at}); a += ((int *)P[i])[j] & 255; }}"
                ))
            }
            6 => {
                let (i, j, v) = (self.entry(), self.index(6), self.value());
                line(format!(
                    "{{ int i = {i}, j = {j}; ACCESS(i, j, 4, {at}); ((int *)P[i])[j] = {v}; }}"
                ))
            }
            7 => {
                let i = self.entry();
                line(format!("{{ int i = {i}; FREE(i, {at}); }}"))
            }
            8 => {
                let (i, k) = (self.entry(), self.entry());
                line(format!(
                    "{{ int i = {i}, k = {k}; P[i] = P[k]; ALIAS(i, k); }}"
                ))
            }
            9 => {
                let (i, k, n) = (self.entry(), self.entry(), 1 + self.below(12));
                line(format!(
                    "{{ int i = {i}, k = {k}; ACCESS(i, {n} - 1, 1, {at}); ACCESS(k, {n} - 1, 1, {at}); memmove(P[i], P[k], {n}); }}"
                ))
            }
            10 => {
                let (i, n) = (self.entry(), 1 + self.below(16));
                line(format!("{{ int i = {i}; REALLOC(i, {n}, {at}); }}"))
            }
            11 => {
                let (i, k) = (self.entry(), self.entry());
                line(format!(
                    "{{ int i = {i}, k = {k}; if (P[i] == P[k]) a += 3; }}"
                ))
            }
            12 => {
                // a list through the nodes: which node comes next was chosen by the inputs
                let (i, k) = (self.entry(), self.entry());
                line(format!(
                    "{{ N[{i}].next = &N[{k}]; struct node *q = N[{k}].next; a += q->next->value; q->value = a & 63; }}"
                ))
            }
            _ if depth > 0 => {
                let condition = self.condition();
                let yes = self.statement(place, depth - 1);
                let no = self.statement(place, depth - 1);
                format!("if ({condition}) {{\n{yes}}} else {{\n{no}}}\n")
            }
            _ => line(format!("a += {};", self.value())),
        }
    }
}

const PRELUDE: &str = "\
extern void *memmove(void *, const void *, unsigned long);\n\
extern void *memset(void *, int, unsigned long);\n\
struct node { struct node *next; int value; };\n\
static char shared[20]; static char *P[4];\n\
static int __attribute__((noinline, optnone)) leave(int r) { for (int k = 0; k < 64; k++) if (r == k) return k; return r; }\n\
#ifdef NATIVE\n\
static char arena[8192]; static int top, made, id[4], size[64], heap[64], alive[64];\n\
static void *take(int n) { char *p = arena + top; top += (n + 31) / 16 * 16; return p; }\n\
static void *fresh(int i, int n) { id[i] = made; size[made] = n; heap[made] = alive[made] = 1; made++; return take(n); }\n\
#define ALLOCATE(i, n) (P[i] = fresh(i, n))\n\
#define PLACE(i, p, n) (P[i] = (p), id[i] = made, size[made] = (n), heap[made] = 0, alive[made++] = 1)\n\
#define START() (memset(arena, 0, sizeof arena), memset(shared, 0, sizeof shared), top = 0, made = 0)\n\
#define FAIL(at, kind) return 5000 + (at) * 10 + (kind)\n\
#define ACCESS(i, j, w, at) do { if (!alive[id[i]]) FAIL(at, 1); if (((j) + 1) * (w) > size[id[i]]) FAIL(at, 2); } while (0)\n\
#define FREE(i, at) do { if (!alive[id[i]] || !heap[id[i]]) FAIL(at, 3); alive[id[i]] = 0; } while (0)\n\
#define REALLOC(i, n, at) do { FREE(i, at); int was = size[id[i]]; char *old = P[i]; ALLOCATE(i, n); memmove(P[i], old, was < (n) ? was : (n)); } while (0)\n\
#define ALIAS(i, k) (id[i] = id[k])\n\
#else\n\
extern void *malloc(unsigned long); extern void free(void *); extern void *realloc(void *, unsigned long);\n\
#define ALLOCATE(i, n) (P[i] = malloc(n))\n\
#define PLACE(i, p, n) (P[i] = (p))\n\
#define START() ((void)0)\n\
#define ACCESS(i, j, w, at) ((void)0)\n\
#define FREE(i, at) free(P[i])\n\
#define REALLOC(i, n, at) (P[i] = realloc(P[i], n))\n\
#define ALIAS(i, k) ((void)0)\n\
#endif\n";

fn source(seed: u64, count: usize) -> String {
    let mut random = Writer(Random::new(seed));
    let mut text = PRELUDE.to_owned();
    for k in 0..count {
        let _ = writeln!(
            text,
            "#line 9000\nstatic int f{k}(int x, int y) {{ unsigned a = 0; START();"
        );
        text += "char local[20]; memset(local, 1, 20); struct node N[4];\n";
        text +=
            "for (int k = 0; k < 4; k++) { N[k].next = &N[(k + 1) & 3]; N[k].value = 5 * k; }\n";
        for entry in 0..4 {
            let size = random.pick(&["8", "12", "16", "20", "13"]);
            let _ = match random.below(6) {
                0 => writeln!(text, "PLACE({entry}, shared, 20);"),
                1 => writeln!(text, "PLACE({entry}, local, 20);"),
                _ => writeln!(text, "ALLOCATE({entry}, {size});"),
            };
        }
        // natively, the same object placed twice must be one object
        text += "#ifdef NATIVE\nfor (int i = 0; i < 4; i++) for (int k = 0; k < i; k++) if (P[i] == P[k]) id[i] = id[k];\n#endif\n";
        let mut place = 0;
        for _ in 0..3 + random.below(4) {
            text += &random.statement(&mut place, 2);
        }
        text += "#line 9500\nreturn a & 63; }\n";
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

/// What one exploration of one function found.
struct Explored {
    complete: bool,
    paths: u64,
    covered: (u64, u64),
    solver: u64,
    exits: BTreeSet<i32>,
    /// Kinds of errors by place.
    errors: BTreeMap<i32, BTreeSet<ErrorKind>>,
    /// Inputs and what they lead to.
    tests: Vec<(usize, Result<i32, i32>)>,
    mismatches: usize,
}

/// Explores one function.
fn explore_one(text: &str, number: usize, settings: &Settings) -> Option<Explored> {
    let mut config = Config::standard();
    config.entry = format!("main{number}");
    config.memory = settings.model;
    config.split = settings.split;
    config.query.query_cache = settings.cache;
    config.query.validate = settings.validate;
    config.query.solver_time = Some(std::time::Duration::from_secs(10));
    let mut sink = Collect::default();
    let budget = Budget::unlimited().limited_to(std::time::Duration::from_secs(60));
    let library = [Library {
        name: "p.ll".to_owned(),
        text: text.to_owned(),
        grain: Grain::Definition,
    }];
    let (mut input, mut sources) = (Input::new(), SourceMap::new());
    input
        .add_libraries(&mut sources, &library, [config.entry.as_str()])
        .ok()?;
    let request = Request {
        input,
        config: &config,
        store: None,
        budget: &budget,
        part: None,
    };
    let summary = Engine::new().explore(request, &mut sink).ok()?;
    let mut found = Explored {
        complete: summary.is_complete(),
        paths: summary.progress.paths,
        covered: summary.progress.covered,
        solver: summary.progress.queries.solver_queries(),
        exits: BTreeSet::new(),
        errors: BTreeMap::new(),
        tests: Vec::new(),
        mismatches: summary.mismatches.len(),
    };
    for end in &sink.0 {
        let byte = |name: &str| {
            let mut objects = end.test.iter().flatten();
            let named = objects.find(|object| object.name == name);
            named.map_or(0, |object| usize::from(object.bytes[0]))
        };
        let input = 256 * byte("x") + byte("y");
        match &end.outcome {
            Outcome::Exit(status) => {
                found.exits.insert(*status);
                found.tests.push((input, Ok(*status)));
            }
            Outcome::Error(kind, _) => {
                let mut places = end.stack.iter().map(|frame| frame.line as i32);
                let place = places.find(|line| (1..9000).contains(line))?;
                found.errors.entry(place).or_default().insert(*kind);
                found.tests.push((input, Err(place)));
            }
            _ => found.complete = false,
        }
    }
    Some(found)
}

/// How one exploration is done.
struct Settings {
    model: MemoryModel,
    split: Option<Split>,
    cache: CacheMode,
    validate: bool,
}

/// What the native run says about an exploration.
fn compare(found: &Explored, native: &[i32], name: &str, wrong: &mut Vec<String>) {
    for (input, outcome) in &found.tests {
        let expected = native.get(*input).copied().unwrap_or(-1);
        let agrees = match outcome {
            Ok(status) => expected == *status,
            Err(place) => (expected - ERRORS) / 10 == *place,
        };
        if !agrees {
            wrong.push(format!(
                "{name}: x = {}, y = {} leads to {outcome:?}, natively {expected}",
                input / 256,
                input % 256
            ));
        }
    }
    let exits: BTreeSet<i32> = native.iter().copied().filter(|&r| r < ERRORS).collect();
    let failed = native.iter().copied().filter(|&r| r >= ERRORS);
    let places: BTreeSet<i32> = failed.map(|r| (r - ERRORS) / 10).collect();
    let found_places: BTreeSet<i32> = found.errors.keys().copied().collect();
    if exits != found.exits {
        wrong.push(format!(
            "{name}: outcomes {:?}, natively {exits:?}",
            found.exits
        ));
    }
    if places != found_places {
        wrong.push(format!(
            "{name}: errors at {found_places:?}, natively at {places:?}"
        ));
    }
    for (place, kinds) in &found.errors {
        for kind in kinds {
            // what may not be freed is also reported as dead or as no object, where the pointer is a choice; past the end of a dead
            // object is in no object
            let numbers = match kind {
                ErrorKind::UseAfterFree => [1, 3, 3],
                ErrorKind::OutOfBounds => [1, 2, 3],
                _ => [3, 3, 3],
            };
            let happens = |number: &i32| native.contains(&(ERRORS + place * 10 + number));
            if !numbers.iter().any(happens) {
                wrong.push(format!(
                    "{name}: {kind:?} at {place} does not happen natively"
                ));
            }
        }
    }
}

fn compile(clang: &str, path: &Path, level: &str) -> Option<String> {
    let mut compiler = Command::new(clang);
    compiler.args(["-w", "-S", "-emit-llvm", "-ffp-contract=off", "-g", level]);
    output_of(compiler.args(["-o", "-"]).arg(path)).ok()
}

/// Generates a file of programs, runs them natively, explores them in both models, and compares. `None` without clang. The programs
/// are not optimised: that would remove accesses whose results are not used, errors and all.
pub fn batch(clang: &str, seed: u64, count: usize) -> Option<Verdict> {
    let level = "-O0";
    let folder = tempfile::tempdir().ok()?;
    let path = folder.path().join("p.c");
    std::fs::write(&path, source(seed, count)).ok()?;
    let native = native_table(clang, &path).ok()?;
    let text = compile(clang, &path, level)?;
    let mut verdict = Verdict::default();
    for (k, table) in native.iter().enumerate().take(count) {
        let reuse = seed.is_multiple_of(2);
        let settings = |model, cache, validate| Settings {
            model,
            split: None,
            cache,
            validate,
        };
        let aware = CacheMode::AddressAware;
        let forking = explore_one(
            &text,
            k,
            &settings(MemoryModel::Forking, CacheMode::Off, false),
        )?;
        let model = MemoryModel::Segmented { reuse };
        let segmented = explore_one(&text, k, &settings(model, aware, true))?;
        verdict.programs += 1;
        if !forking.complete || !segmented.complete {
            continue;
        }
        verdict.complete += 1;
        verdict.paths.0 += forking.paths;
        verdict.paths.1 += segmented.paths;
        verdict.solver.0 += forking.solver;
        verdict.solver.1 += segmented.solver;
        let wrong = &mut verdict.wrong;
        let name = |model: &str| format!("seed {seed} function {k} {model}");
        compare(&forking, table, &name("forking"), wrong);
        compare(&segmented, table, &name("segmented"), wrong);
        if segmented.mismatches > 0 {
            wrong.push(format!("{}: wrong hits", name("segmented")));
        }
        if forking.covered != segmented.covered {
            let both = (forking.covered, segmented.covered);
            wrong.push(format!("{}: covered {both:?}", name("")));
        }
        if segmented.paths > forking.paths {
            let both = (forking.paths, segmented.paths);
            wrong.push(format!("{}: more paths {both:?}", name("segmented")));
        }
        let split = Split {
            threshold: 8 + seed % 3 * 4,
            part: 8 + seed % 2 * 8,
        };
        for (model, what) in [
            (MemoryModel::Forking, "forking, split"),
            (model, "segmented, split"),
        ] {
            let how = Settings {
                split: Some(split),
                ..settings(model, aware, true)
            };
            let found = explore_one(&text, k, &how)?;
            if !found.complete {
                continue;
            }
            verdict.split.0 += 1;
            verdict.split.1 += found.paths;
            compare(&found, table, &name(what), wrong);
            if found.mismatches > 0 {
                wrong.push(format!("{}: wrong hits", name(what)));
            }
            if found.covered != forking.covered {
                let both = (forking.covered, found.covered);
                wrong.push(format!("{}: covered {both:?}", name(what)));
            }
        }
    }
    Some(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_models_agree_with_native_runs() {
        let Some(clang) = crate::explore::claims::clang() else {
            println!("skipped: no clang on this machine");
            return;
        };
        let mut total = Verdict::default();
        for seed in [1, 2] {
            let verdict = batch(clang, seed, 5).expect("a batch compiles and runs");
            total.complete += verdict.complete;
            total.paths.0 += verdict.paths.0;
            total.paths.1 += verdict.paths.1;
            total.split.0 += verdict.split.0;
            total.split.1 += verdict.split.1;
            total.wrong.extend(verdict.wrong);
        }
        assert_eq!(total.wrong, Vec::<String>::new());
        assert!(total.complete > 4, "only {} complete", total.complete);
        assert!(total.paths.1 < total.paths.0, "{:?}", total.paths);
        // twice per program, with forks between parts
        assert!(total.split.0 > total.complete, "{:?}", total.split);
        let whole = total.paths.0 + total.paths.1;
        assert!(total.split.1 > whole, "{:?}", total.split);
    }
}

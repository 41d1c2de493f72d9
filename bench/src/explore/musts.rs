//! Figures beside the paper's tables: the hash table and the matrix, live states, concrete speed, overhead.
//!
//! Each takes a function that runs a program in a mode, and gives text; a line that misses its bound says so.

use super::{Mode, Run};
use std::fmt::Write;

/// Runs a program in a mode.
pub type Runner<'a> = dyn FnMut(&str, Mode) -> Result<Run, String> + 'a;

fn verdict(holds: bool) -> &'static str {
    if holds { "ok" } else { "MISSED" }
}

/// The chained hash table and the matrix under many layouts: solver queries and processor time.
pub fn hash_table(run: &mut Runner<'_>) -> Result<String, String> {
    let mut text = String::new();
    let names = [
        "hashtable",
        "hashtable+NO_ALLOCATIONS",
        "hashtable+FORKS=6",
        "pointers",
        "pointers+NO_ALLOCATIONS",
        "pointers+FORKS=6",
    ];
    let mut runs = Vec::new();
    for name in names {
        let one = run(name, Mode::Renamed)?;
        let _ = writeln!(
            text,
            "{name:28} {:5} paths {:4} solver queries {:6.2} s",
            one.paths,
            one.solver,
            one.time.as_secs_f64()
        );
        runs.push(one);
    }
    let mut line = |what: String, holds: bool| {
        let _ = writeln!(text, "{what}: {}", verdict(holds));
    };
    let [table, plain, six, matrix, flat, large] = &runs[..] else {
        return Err("six runs were expected".to_owned());
    };
    line(
        format!("at most 120 queries for the hash table ({})", table.solver),
        table.solver <= 120 && table.paths == 256,
    );
    for (name, with, without) in [("hash table", table, plain), ("matrix", matrix, flat)] {
        line(
            format!(
                "at most 1.5 times as many as without the allocations, {name} ({} and {})",
                with.solver, without.solver
            ),
            2 * with.solver <= 3 * without.solver,
        );
    }
    for (name, four, six) in [("hash table", table, six), ("matrix", matrix, large)] {
        line(
            format!(
                "no more with six forks, {name} ({} and {})",
                four.solver, six.solver
            ),
            six.solver <= four.solver && six.paths == 4 * four.paths,
        );
    }
    let seconds = table.time.as_secs_f64();
    line(
        format!("at most a fifth of KLEE's 35 s ({seconds:.2} s)"),
        seconds <= 7.0,
    );
    Ok(text)
}

/// A program with twenty forks in a row: breadth first, almost 200,000 of its million paths are alive at the same time.
pub const STATES: &str = r#"
@n = private constant [2 x i8] c"x\00"
declare i32 @klee_int(ptr)
define i32 @main() {
entry:
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ 0, %entry ], [ %s1, %next ]
  %x = call i32 @klee_int(ptr @n)
  %c = icmp sgt i32 %x, 5
  br i1 %c, label %add, label %next
add:
  %sa = add i32 %s, 1
  br label %next
next:
  %s1 = phi i32 [ %s, %head ], [ %sa, %add ]
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, 20
  br i1 %more, label %head, label %out
out:
  ret i32 %s1
}
"#;

/// How much memory 100,000 live states need.
pub fn live_states(run: &Run) -> String {
    let megabytes = run.memory as f64 / 1e6;
    format!(
        "{} live states, {megabytes:.0} MB at most, {:.0} bytes each, {:.1} s: {}\n",
        run.states,
        run.memory as f64 / run.states.max(1) as f64,
        run.time.as_secs_f64(),
        verdict(run.states >= 100_000 && run.memory < 2_000_000_000)
    )
}

/// A sieve and a sum, as clang -O1 leaves such loops.
pub const SPEED: &str = r#"
@sieve = internal global [65536 x i8] zeroinitializer
define i32 @main() {
entry:
  br label %round
round:
  %r = phi i32 [ 0, %entry ], [ %r1, %next.round ]
  %total = phi i32 [ 0, %entry ], [ %total.out, %next.round ]
  br label %outer
outer:
  %i = phi i64 [ 2, %round ], [ %i1, %outer.next ]
  %sum = phi i32 [ %total, %round ], [ %sum.next, %outer.next ]
  %p = getelementptr inbounds [65536 x i8], ptr @sieve, i64 0, i64 %i
  %v = load i8, ptr %p
  %wide = zext i8 %v to i32
  %mix = xor i32 %sum, %wide
  %sum.next = add i32 %mix, 7
  %double = shl nuw nsw i64 %i, 1
  %fits = icmp ult i64 %double, 65536
  br i1 %fits, label %inner, label %outer.next
inner:
  %j = phi i64 [ %double, %outer ], [ %j1, %inner ]
  %q = getelementptr inbounds [65536 x i8], ptr @sieve, i64 0, i64 %j
  store i8 1, ptr %q
  %j1 = add i64 %j, %i
  %more = icmp ult i64 %j1, 65536
  br i1 %more, label %inner, label %outer.next
outer.next:
  %i1 = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %i1, 65536
  br i1 %again, label %outer, label %next.round
next.round:
  %total.out = phi i32 [ %sum.next, %outer.next ]
  %r1 = add i32 %r, 1
  %on = icmp ult i32 %r1, 12
  br i1 %on, label %round, label %out
out:
  ret i32 %total.out
}
"#;

/// Concrete instructions per second, and reading of IR text.
pub fn speed(concrete: &Run, large: Option<&Run>) -> String {
    let rate = concrete.instructions as f64 / concrete.time.as_secs_f64().max(1e-9) / 1e6;
    let mut text = format!(
        "{} instructions in {:.2} s: {rate:.1} million per second: {}\n",
        concrete.instructions,
        concrete.time.as_secs_f64(),
        verdict(rate >= 20.0)
    );
    if let Some(large) = large {
        let megabytes = large.text as f64 / 1e6;
        let seconds = large.reading.as_secs_f64();
        let rate = megabytes / seconds.max(1e-9);
        let _ = writeln!(
            text,
            "{megabytes:.1} MB of IR text read in {seconds:.2} s, 15 MB in {:.2} s: {}",
            15.0 / rate,
            verdict(15.0 / rate < 1.0)
        );
    }
    text
}

/// Processor time with the address-aware cache over that with the base cache, runs taken in turn.
pub fn overhead(run: &mut Runner<'_>, programs: &[&str], repeat: u32) -> Result<String, String> {
    let mut text = String::new();
    for program in programs {
        let mut times: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        let mut counts = [(0, 0), (0, 0)];
        for _ in 0..repeat.max(1) {
            for (i, mode) in [Mode::Base, Mode::Renamed].into_iter().enumerate() {
                let one = run(program, mode)?;
                times[i].push(one.time.as_secs_f64());
                counts[i] = (one.paths, one.instructions);
            }
        }
        for list in &mut times {
            list.sort_by(f64::total_cmp);
        }
        let median = |list: &[f64]| list.get(list.len() / 2).copied().unwrap_or(0.0);
        let fastest = |list: &[f64]| list.first().copied().unwrap_or(0.0);
        let percent = |aware: f64, base: f64| 100.0 * (aware / base.max(1e-9) - 1.0);
        let by_median = percent(median(&times[1]), median(&times[0]));
        let by_fastest = percent(fastest(&times[1]), fastest(&times[0]));
        let same = counts[0] == counts[1];
        let _ = writeln!(
            text,
            "{program:10} {} runs each, {} paths, {} instructions{}: base {:.2} s, aware {:.2} s (medians); \
             overhead {by_median:+.1} % by medians, {by_fastest:+.1} % by fastest: {}",
            repeat.max(1),
            counts[0].0,
            counts[0].1,
            if same { "" } else { " (NOT the same)" },
            median(&times[0]),
            median(&times[1]),
            verdict(by_median.min(by_fastest) <= 3.0 && same)
        );
    }
    Ok(text)
}

//! Random queries by the million: our answers against Z3's and cvc5's.
//!
//! `solver-campaign [--count N] [--seed S] [--cvc5 M] [--jobs J]`
//!
//! The external solver confirms our answers: a query we call unsatisfiable it must refute, too; for a query
//! we call satisfiable it must find that the query is true in our model (which it evaluates, with the
//! symbols defined as constants). The queries sent are built without our rewriting.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::time::Instant;
use stet_solve::{Limits, Outcome, QuerySolver, random};
use stet_term::{ArrayValue, Level, Model, Op, Printer, Sort, SortKind, Term, Terms, Value};

/// Queries per process.
const CHUNK: u64 = 2000;
/// Conflicts after which a query is given up: "small" queries are meant, but some are hard for everybody.
const CONFLICTS: u64 = 50_000;

struct Options {
    count: u64,
    seed: u64,
    cvc5: u64,
    jobs: u64,
}

fn options() -> Options {
    let mut options = Options {
        count: 1_000_000,
        seed: 1,
        cvc5: 20_000,
        jobs: 2,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().and_then(|text| text.parse().ok());
        let place = match name.as_str() {
            "--count" => &mut options.count,
            "--seed" => &mut options.seed,
            "--cvc5" => &mut options.cvc5,
            "--jobs" => &mut options.jobs,
            _ => {
                say(&format!("unknown option {name}"));
                continue;
            }
        };
        *place = value.unwrap_or(*place);
    }
    options
}

#[derive(Default)]
struct Totals {
    sat: u64,
    unsat: u64,
    given_up: Vec<String>,
    disagreements: Vec<String>,
}

fn main() -> ExitCode {
    let options = options();
    let mut failed = false;
    for (program, count) in [("z3", options.count), ("cvc5", options.cvc5)] {
        if count == 0 {
            continue;
        }
        let start = Instant::now();
        let totals = campaign(program, count, options.seed, options.jobs.max(1));
        say(&format!(
            "{program}: {} queries decided in {:.0} s: {} satisfiable, {} unsatisfiable, {} disagreements; {} more given up after {CONFLICTS} conflicts",
            totals.sat + totals.unsat,
            start.elapsed().as_secs_f64(),
            totals.sat,
            totals.unsat,
            totals.disagreements.len(),
            totals.given_up.len()
        ));
        for line in totals.disagreements.iter().chain(&totals.given_up).take(20) {
            say(line);
        }
        failed |= !totals.disagreements.is_empty();
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn campaign(program: &str, count: u64, seed: u64, jobs: u64) -> Totals {
    let totals = Mutex::new(Totals::default());
    let first = seed.wrapping_mul(1 << 40);
    let chunk = CHUNK;
    let chunks = count.div_ceil(chunk);
    std::thread::scope(|scope| {
        for job in 0..jobs {
            let totals = &totals;
            scope.spawn(move || {
                for number in (job..chunks).step_by(jobs as usize) {
                    let start = first.wrapping_add(number * chunk);
                    let end = start.wrapping_add(chunk.min(count - number * chunk));
                    run_chunk(program, start, end, totals);
                }
            });
        }
    });
    totals
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn run_chunk(program: &str, start: u64, end: u64, totals: &Mutex<Totals>) {
    let ours = Terms::new();
    let mut solver = QuerySolver::new().verify_models();
    let limits = Limits {
        resources: Some(CONFLICTS),
        ..Limits::none()
    };
    let mut script = String::from("(set-logic ALL)\n");
    let mut claims = Vec::new();
    let (mut sat, mut unsat, mut given_up) = (0, 0, Vec::new());
    for seed in start..end {
        let outcome = solver.check(&ours, &random::query(&ours, seed), &limits);
        let plain = Terms::with_level(Level::Plain);
        let query = plain.and(&random::query(&plain, seed));
        let mut printer = Printer::new(&plain);
        script.push_str("(push 1)\n");
        match &outcome {
            Outcome::Sat(model) => {
                sat += 1;
                define_symbols(&ours, &plain, model, query, &mut script);
                let text = printer.term(query);
                let _ = writeln!(script, "(assert (not {text}))");
            }
            Outcome::Unsat => {
                unsat += 1;
                printer.declare(&[query], &mut script);
                let text = printer.term(query);
                let _ = writeln!(script, "(assert {text})");
            }
            Outcome::Unknown(reason) => {
                given_up.push(format!("seed {seed}: {reason}"));
                script.push_str("(assert false)\n");
            }
        }
        script.push_str("(check-sat)\n(pop 1)\n");
        claims.push((seed, outcome.answer()));
    }
    let answers = ask(program, script);
    let mut totals = totals
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    totals.sat += sat;
    totals.unsat += unsat;
    totals.given_up.extend(given_up);
    if answers.len() != claims.len() {
        let last = answers.last().cloned().unwrap_or_default();
        let line = format!(
            "seeds {start}..{end}: {program} gave {} answers: {last}",
            answers.len()
        );
        totals.disagreements.push(line);
    }
    for ((seed, ours), theirs) in claims.iter().zip(&answers) {
        if theirs != "unsat" {
            let line = format!("seed {seed}: ours {ours:?}, {program} does not confirm: {theirs}");
            totals.disagreements.push(line);
        }
    }
}

/// Defines every symbol of the query as the constant it has in the model.
fn define_symbols(ours: &Terms, plain: &Terms, model: &Model, query: Term, script: &mut String) {
    for &symbol in plain.free_symbols(query).iter() {
        let info = plain.symbol_info(symbol);
        let mine = ours.symbol(&info.name, same_sort(plain, ours, info.sort));
        let value = match ours.op(mine) {
            Op::Symbol(mine) => model.get(mine).cloned(),
            _ => None,
        };
        // Rewriting may have removed the symbol; then any value will do.
        let value = value.or_else(|| plain.default_value(info.sort));
        let value = value.map(|value| value_term(plain, info.sort, &value));
        let text = value.map(|value| plain.text(value)).unwrap_or_default();
        let _ = writeln!(
            script,
            "(define-fun {} () {} {text})",
            stet_term::quoted(&info.name),
            plain.sort_text(info.sort)
        );
    }
}

fn same_sort(from: &Terms, to: &Terms, sort: Sort) -> Sort {
    match from.sort_kind(sort) {
        SortKind::Array { index, element } => to.array_sort(index, element),
        _ => sort,
    }
}

fn value_term(terms: &Terms, sort: Sort, value: &Value) -> Term {
    match value {
        Value::Bool(value) => terms.bool(*value),
        Value::Bv(bits) => terms.bits(bits),
        Value::Array(array) => array_term(terms, sort, array),
        _ => unreachable!("queries are over bits and arrays of bits"),
    }
}

fn array_term(terms: &Terms, sort: Sort, array: &ArrayValue) -> Term {
    let element = value_term(terms, sort, array.default_element());
    let mut term = terms.fill(sort, element);
    for (index, element) in array.entries() {
        let (index, element) = (
            value_term(terms, sort, index),
            value_term(terms, sort, element),
        );
        term = terms.intern(Op::Store, &[term, index, element], sort);
    }
    term
}

fn ask(program: &str, script: String) -> Vec<String> {
    let arguments: &[&str] = match program {
        "z3" => &["-in", "-smt2"],
        _ => &["--incremental", "--lang=smt2"],
    };
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        return vec![format!("{program} cannot be started")];
    };
    let stdin = child.stdin.take();
    let writer = std::thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(script.as_bytes());
        }
    });
    let output = child.wait_with_output();
    let _ = writer.join();
    match output {
        Ok(output) => String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(str::to_owned)
            .collect(),
        Err(error) => vec![error.to_string()],
    }
}

fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

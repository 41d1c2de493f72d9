//! Random queries by the million: our answers against Z3's and cvc5's.
//!
//! `fuzz-solve [--count N] [--seed S] [--kind small|benchmark|mixed] [--solvers z3,cvc5] [--every N] [--first N]`
//!
//! Queries come in three kinds: random ones over a few bits (`small`), laws in the style of SMT-LIB's benchmark
//! families (`benchmark`) and random ones with words among them (`mixed`); without `--kind`, 5, 2 and 1 of 8. The
//! external solvers confirm our answers: a query we call unsatisfiable each must refute, too; for a query we
//! call satisfiable each must find that the query is true in our model (which it evaluates, with the symbols
//! defined as constants). The queries sent are built without our rewriting.
//!
//! `--count` is of queries decided by everybody asked; those that somebody gave up within the limits below are
//! counted and listed beside it. Z3 is asked every query; with `--every N` cvc5 is asked the queries of every
//! N-th batch of `mixed` ones (it is far slower there) and all of the others. `--first N --count 1` with a kind repeats
//! the query with seed N.

use clap::{Parser, ValueEnum};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use stet_base::Budget;
use stet_solve::{Limits, Outcome, QuerySolver, Solver};
use stet_term::{ArrayValue, Level, Model, Op, Printer, Sort, SortKind, Term, Terms, Value};

/// Queries per process.
const CHUNK: u64 = 2000;
/// Conflicts and time after which we give a query up.
const CONFLICTS: u64 = 20_000;
const OUR_TIME: Duration = Duration::from_secs(20);
/// Z3's resources for a query (about a second), and the milliseconds for cvc5.
const Z3_RESOURCES: &str = "rlimit=4000000";
const CVC5_TIME: &str = "--tlimit-per=20000";
/// Queries between progress lines.
const REPORT: u64 = 50_000;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Small,
    Benchmark,
    Mixed,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Small, Kind::Benchmark, Kind::Mixed];

    fn name(self) -> &'static str {
        match self {
            Kind::Small => "small",
            Kind::Benchmark => "benchmark",
            Kind::Mixed => "mixed",
        }
    }

    fn query(self, terms: &Terms, seed: u64) -> Vec<Term> {
        match self {
            Kind::Small => stet_testkit::queries::small_query(terms, seed),
            Kind::Benchmark => stet_testkit::queries::benchmark(terms, seed),
            Kind::Mixed => stet_testkit::queries::query(terms, seed),
        }
    }
}

/// Random queries by the million: our answers against Z3's and cvc5's.
#[derive(Parser)]
#[command(name = "fuzz-solve")]
struct Options {
    /// Queries to be decided by everybody asked.
    #[arg(long, default_value_t = 1_000_000)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One kind of query only; without it 5, 2 and 1 of 8.
    #[arg(long)]
    kind: Option<Kind>,
    #[arg(long, value_delimiter = ',', default_value = "z3,cvc5")]
    solvers: Vec<String>,
    /// cvc5 is asked the queries of every N-th batch of mixed ones.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..), value_name = "N")]
    every: u64,
    /// Begin with the query of this seed.
    #[arg(long)]
    first: Option<u64>,
}

/// Counts for one kind.
#[derive(Clone, Copy, Default)]
struct Totals {
    sat: u64,
    unsat: u64,
    /// Queries the second solver was asked.
    second: u64,
}

#[derive(Default)]
struct Campaign {
    totals: [Totals; 3],
    given_up: Vec<String>,
    disagreements: Vec<String>,
}

impl Campaign {
    fn decided(&self) -> u64 {
        self.totals.iter().map(|t| t.sat + t.unsat).sum()
    }

    fn run(&mut self, options: &Options) {
        let mut reported = 0;
        let mut number = 0;
        let is_over = |this: &Self| {
            this.decided() >= options.count || this.given_up.len() as u64 > options.count
        };
        while !is_over(self) && self.disagreements.len() < 20 {
            let kind = options.kind.unwrap_or(match number % 8 {
                0..5 => Kind::Small,
                5 | 6 => Kind::Benchmark,
                _ => Kind::Mixed,
            });
            let first = options.first.unwrap_or(options.seed << 40);
            let start = first.wrapping_add(number * CHUNK);
            let length = CHUNK.min(options.count - self.decided());
            let second = kind != Kind::Mixed || (number / 8).is_multiple_of(options.every);
            let asked = if second { options.solvers.len() } else { 1 };
            self.chunk(kind, start..start + length, &options.solvers[..asked]);
            number += 1;
            if self.decided() / REPORT > reported {
                reported = self.decided() / REPORT;
                say(&format!(
                    "{} decided, {} disagreements, {} given up",
                    self.decided(),
                    self.disagreements.len(),
                    self.given_up.len()
                ));
            }
        }
    }

    fn chunk(&mut self, kind: Kind, seeds: std::ops::Range<u64>, solvers: &[String]) {
        let (script, claims) = script(kind, seeds.clone());
        let mut answers: Vec<Vec<String>> = Vec::new();
        for program in solvers {
            let given = ask(program, &script);
            if given.len() != claims.len() {
                let last = given.last().cloned().unwrap_or_default();
                let name = kind.name();
                self.disagreements.push(format!(
                    "{name} {seeds:?}: {program} gave {} answers: {last}",
                    given.len()
                ));
            }
            answers.push(given);
        }
        for (at, claim) in claims.iter().enumerate() {
            let theirs: Vec<&str> = answers
                .iter()
                .map(|given| given.get(at).map_or("none", String::as_str))
                .collect();
            self.judge(kind, claim, solvers, &theirs);
        }
    }

    fn judge(&mut self, kind: Kind, claim: &Claim, solvers: &[String], theirs: &[&str]) {
        let name = format!("{} seed {}", kind.name(), claim.seed);
        if let Some(reason) = &claim.given_up {
            self.given_up.push(format!("{name}: we gave up: {reason}"));
            return;
        }
        let mut decided = true;
        for (program, &answer) in solvers.iter().zip(theirs) {
            match answer {
                "unsat" => {}
                "unknown" | "timeout" => {
                    decided = false;
                    self.given_up.push(format!("{name}: {program} gave up"));
                }
                other => {
                    decided = false;
                    let ours = if claim.sat { "sat" } else { "unsat" };
                    let line = format!("{name}: ours {ours}, {program} does not confirm: {other}");
                    self.disagreements.push(line);
                }
            }
        }
        if decided {
            let totals = &mut self.totals[kind as usize];
            totals.sat += u64::from(claim.sat);
            totals.unsat += u64::from(!claim.sat);
            totals.second += u64::from(solvers.len() > 1);
        }
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    let start = Instant::now();
    let mut campaign = Campaign::default();
    campaign.run(&options);
    for (kind, totals) in Kind::ALL.iter().zip(&campaign.totals) {
        say(&format!(
            "{:<9} {} decided: {} satisfiable, {} unsatisfiable; {} of them by {} too",
            kind.name(),
            totals.sat + totals.unsat,
            totals.sat,
            totals.unsat,
            totals.second,
            options.solvers.get(1).map_or("nobody", String::as_str)
        ));
    }
    say(&format!(
        "{} queries decided by everybody asked in {:.0} s: {} disagreements; {} more given up (limits: ours {CONFLICTS} conflicts, z3 {Z3_RESOURCES}, cvc5 {CVC5_TIME})",
        campaign.decided(),
        start.elapsed().as_secs_f64(),
        campaign.disagreements.len(),
        campaign.given_up.len()
    ));
    for line in campaign.disagreements.iter().chain(&campaign.given_up) {
        say(line);
    }
    match campaign.disagreements.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// What we say of a query.
struct Claim {
    seed: u64,
    sat: bool,
    given_up: Option<String>,
}

/// A script in which every `check-sat` must answer `unsat`, and what we claim.
fn script(kind: Kind, seeds: std::ops::Range<u64>) -> (String, Vec<Claim>) {
    let ours = Terms::new();
    let mut solver = QuerySolver::new().verify_models();
    let mut script = String::new();
    let mut claims = Vec::new();
    for seed in seeds {
        let limits = Limits {
            resources: Some(CONFLICTS),
            ..Limits::of_budget(&Budget::unlimited().limited_to(OUR_TIME))
        };
        let outcome = solver.check(&ours, &kind.query(&ours, seed), &limits);
        let plain = Terms::with_level(Level::Plain);
        let query = plain.and(&kind.query(&plain, seed));
        let mut printer = Printer::new(&plain);
        script.push_str("(push 1)\n");
        let mut claim = Claim {
            seed,
            sat: false,
            given_up: None,
        };
        match &outcome {
            Outcome::Sat(model) => {
                claim.sat = true;
                define_symbols(&ours, &plain, model, query, &mut script);
                let text = printer.term(query);
                let _ = writeln!(script, "(assert (not {text}))");
            }
            Outcome::Unsat => {
                printer.declare(&[query], &mut script);
                let text = printer.term(query);
                let _ = writeln!(script, "(assert {text})");
            }
            Outcome::Unknown(reason) => {
                claim.given_up = Some(reason.to_string());
                script.push_str("(assert false)\n");
            }
        }
        script.push_str("(check-sat)\n(pop 1)\n");
        claims.push(claim);
    }
    (script, claims)
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

fn ask(program: &str, script: &str) -> Vec<String> {
    // cvc5 is quicker when told the logic; Z3 knows constant arrays only without.
    let (arguments, logic): (&[&str], _) = match program {
        "z3" => (&["-in", "-smt2", Z3_RESOURCES], "ALL"),
        _ => (
            &["--incremental", "--lang=smt2", "--arrays-exp", CVC5_TIME],
            "QF_ABV",
        ),
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
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // A solver that dies is noticed by its missing answers.
                let _ = writeln!(stdin, "(set-logic {logic})");
                let _ = stdin.write_all(script.as_bytes());
            }
        });
        child.wait_with_output()
    });
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

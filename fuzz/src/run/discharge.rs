//! Random programs with assertions, for the oracle of the static analysis.
//!
//! [`compare`] runs a program's goals with all checks, with proved conditions left out, and with proved conditions
//! checked all the same. Answers must agree; the first violation must be the same, since proofs count up to it; and no
//! proved condition may fail before it. Programs are made of recursive predicates over lists and trees, and of others
//! that call them in random bodies: unification, arithmetic, tests, conditionals, negation, all solutions, exceptions,
//! closures, frozen goals, the database, assignment in place.

use std::fmt::Write as _;
use std::time::Duration;
use stet_base::Budget;
use stet_run::checks::{CheckSettings, PartStatus};
use stet_run::{Answer, Config, MemoryHost, Request, open};
use stet_testkit::Random;

/// What a comparison found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    pub goals: usize,
    /// Parts of assertions that were proved.
    pub proved: usize,
    /// Parts of assertions there are.
    pub parts: usize,
    /// Goals with a violation.
    pub violated: usize,
    /// Goals that ran into the time limit, which are not compared.
    pub stopped: usize,
}

/// The text of a program and its goals.
pub fn program(seed: u64) -> (String, Vec<String>) {
    let mut random = Random::new(seed);
    let exports = random.pick(&["[p0/2, len/2]", "[p0/2, p1/2, app/3, ins/3]", "_"]);
    let mut text = format!(":- module(m, {exports}, [assertions, regtypes]).\n{TYPES}");
    let assertion =
        |random: &mut Random, text: &mut String, name: &str, right: &str| match random.below(4) {
            0 => {}
            1 | 2 => {
                let _ = writeln!(text, ":- pred {name}{right}.");
            }
            _ => {
                let (a, b) = (random_condition(random, 2), random_condition(random, 2));
                let vars = match name {
                    "app" | "ins" => "(A,B,C)",
                    _ => "(A,B)",
                };
                let _ = writeln!(text, ":- pred {name}{vars} : ({a}) => ({b}).");
            }
        };
    for (name, right, clauses) in RECURSIVE {
        assertion(&mut random, &mut text, name, right);
        text.push_str(clauses);
    }
    let count = 2 + random.below(4);
    for number in 0..count {
        let name = format!("p{number}");
        if random.below(3) > 0 {
            let calls = random_condition(&mut random, 2);
            let success = random_condition(&mut random, 2);
            let _ = match random.below(4) {
                0 => writeln!(text, ":- pred {name}(A,B) : ({calls})."),
                1 => writeln!(text, ":- pred {name}(A,B) => ({success})."),
                2 => writeln!(text, ":- pred {name}(A,-B) : ({calls}) => ({success})."),
                _ => writeln!(text, ":- pred {name}(A,B) : ({calls}) => ({success})."),
            };
        }
        for _ in 0..1 + random.below(3) {
            let (a, b) = (pattern(&mut random), pattern(&mut random));
            let _ = write!(text, "{name}({a}, {b}) :- ");
            let goals = random.below(4);
            for _ in 0..goals {
                let goal = goal(&mut random, number, count, 0);
                let _ = write!(text, "{goal}, ");
            }
            text.push_str(random.pick(&[
                "true",
                "A = B",
                "B = [A|C]",
                "!",
                "true",
                "B = t(e,A,e)",
            ]));
            text.push_str(".\n");
        }
    }
    let mut goals = Vec::new();
    for _ in 0..6 {
        let callee = match random.below(3) {
            0 => random.pick(&["len", "sum", "flat"]).to_string(),
            _ => format!("p{}", random.below(count)),
        };
        goals.push(format!(
            "m:{callee}({}, {})",
            value(&mut random),
            value(&mut random)
        ));
    }
    (text, goals)
}

const TYPES: &str = "
:- dynamic fact/1.
fact(1). fact(a).
:- regtype tree/1.
tree(e).
tree(t(L,X,R)) :- tree(L), int(X), tree(R).
:- regtype colour/1.
colour(red). colour(blue).
:- regtype any_tree/1.
any_tree(e).
any_tree(t(L,_,R)) :- any_tree(L), any_tree(R).
:- prop short/1.
short(X) :- ( list(X) -> X = [] ; X = [_] -> true ; atomic(X) ).
";

const RECURSIVE: &[(&str, &str, &str)] = &[
    (
        "len",
        "(A,B) : list(A) => int(B)",
        "len([], 0).\nlen([_|T], N) :- len(T, M), N is M + 1.\n",
    ),
    (
        "sum",
        "(A,B) : list(int,A) => int(B)",
        "sum([], 0).\nsum([X|T], N) :- sum(T, M), N is M + X.\n",
    ),
    (
        "app",
        "(A,B,C) : (list(A), list(B)) => list(C)",
        "app([], L, L).\napp([H|T], L, [H|R]) :- app(T, L, R).\n",
    ),
    (
        "ins",
        "(A,B,C) : (int(A), tree(B)) => tree(C)",
        "ins(X, e, t(e,X,e)).\nins(X, t(L,Y,R), T) :- ( X < Y -> ins(X, L, L1), T = t(L1,Y,R) ; ins(X, R, R1), T = t(L,Y,R1) ).\n",
    ),
    (
        "flat",
        "(A,B) : any_tree(A) => list(B)",
        "flat(e, []).\nflat(t(L,X,R), F) :- flat(L, A), flat(R, B), app(A, [X|B], F).\n",
    ),
];

fn random_condition(random: &mut Random, arity: usize) -> String {
    let mut parts = Vec::new();
    for var in ["A", "B"].iter().take(arity) {
        let property = random.pick(&[
            "int",
            "atm",
            "num",
            "gnd",
            "list",
            "list(int)",
            "tree",
            "colour",
            "any_tree",
            "var",
            "nonvar",
            "term",
            "term",
            "term",
            "nnegint",
            "list(list(int))",
            "constant",
            "short",
        ]);
        parts.push(match property.strip_suffix(')') {
            Some(open) => format!("{open},{var})"),
            None => format!("{property}({var})"),
        });
    }
    parts.join(random.pick(&[",", ",", ",", ";"]))
}

fn pattern(random: &mut Random) -> &'static str {
    random.pick(&[
        "A", "B", "_", "C", "[]", "[A|C]", "[C|B]", "t(A,C,B)", "e", "1", "red", "f(A)", "[A,B]",
    ])
}

fn value(random: &mut Random) -> &'static str {
    random.pick(&[
        "_",
        "1",
        "a",
        "[]",
        "[1,2,3]",
        "[a|_]",
        "e",
        "t(e,1,e)",
        "t(t(e,1,e),2,e)",
        "red",
        "f(_)",
        "[[1],[2]]",
        "X",
        "X",
        "2.5",
        "-3",
        "\"abc\"",
        "t(e,_,e)",
        "[_,_]",
        "f(X)",
    ])
}

fn goal(random: &mut Random, from: usize, count: usize, depth: usize) -> String {
    let v = |random: &mut Random| {
        random.pick(&[
            "A", "B", "C", "D", "[A|C]", "t(e,A,D)", "f(C)", "[]", "e", "3", "red",
        ])
    };
    let (x, y) = (v(random), v(random));
    let later = |random: &mut Random| match from + 1 < count {
        true => format!("p{}", from + 1 + random.below(count - from - 1)),
        false => random.pick(&["len", "sum", "flat"]).to_string(),
    };
    match random.below(if depth > 1 { 16 } else { 26 }) {
        0 | 1 => format!("{}({x}, {y})", later(random)),
        2 => format!("{}({x}, {y})", random.pick(&["len", "sum", "flat"])),
        3 => format!("app({x}, {y}, {})", v(random)),
        4 => format!("ins(A, {y}, {})", v(random)),
        5 | 6 => format!("{x} = {y}"),
        7 => format!("catch({x} is A + 1, _, true)"),
        8 => format!(
            "{}({x})",
            random.pick(&[
                "integer", "atom", "var", "nonvar", "is_list", "ground", "compound", "number"
            ])
        ),
        9 => format!("length(D, {})", random.below(3)),
        10 => format!(
            "C = {}",
            random.pick(&["1", "a", "[1,2]", "t(e,4,e)", "D", "[D]"])
        ),
        11 => format!("member({x}, [1, b, [], e])"),
        12 => "fact(C)".to_string(),
        13 => format!("append({x}, [1], D)"),
        14 => format!("{x} \\== {y}"),
        15 => format!("functor({x}, D, _)"),
        16 | 17 => format!(
            "( {} -> {} ; {} )",
            goal(random, from, count, depth + 1),
            goal(random, from, count, depth + 1),
            goal(random, from, count, depth + 1)
        ),
        18 => format!(
            "( {} ; {} )",
            goal(random, from, count, depth + 1),
            goal(random, from, count, depth + 1)
        ),
        19 => format!("\\+ {}", goal(random, from, count, depth + 1)),
        20 => format!("findall({x}, {}, D)", goal(random, from, count, depth + 1)),
        21 => format!(
            "catch({}, _, {x} = caught)",
            goal(random, from, count, depth + 1)
        ),
        22 => format!("G = {}, call(G, {x}, {y})", later(random)),
        23 => format!("freeze({x}, {}(C, D))", later(random)),
        24 => match random.below(3) {
            0 => "catch(setarg(1, A, D), _, true)".to_string(),
            1 => "catch(nb_setarg(1, B, 7), _, true)".to_string(),
            _ => "assertz(fact(A)), retract(fact(A))".to_string(),
        },
        _ => format!("forall({}, true)", goal(random, from, count, depth + 1)),
    }
}

/// How a program is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    All,
    Proved,
    Verified,
}

struct Ran {
    /// Answers and violations per goal; `None` if it was stopped.
    goals: Vec<Option<(String, Vec<String>)>>,
    mismatches: u64,
    proved: usize,
    parts: usize,
}

fn run(text: &str, goals: &[String], mode: Mode) -> Ran {
    let mut host = MemoryHost::default();
    host.files
        .insert("/m.pl".to_string(), text.as_bytes().to_vec());
    let request = Request {
        config: Config {
            memory: 1 << 26,
            ..Config::standard()
        },
        checks: CheckSettings {
            quiet: true,
            analyse: mode != Mode::All,
            verify: mode == Mode::Verified,
            ..CheckSettings::STANDARD
        },
        ..Request::load(&[])
    };
    let mut machine = open(&request, Box::new(host));
    machine.perform("consult('/m.pl')");
    let mut ran = Ran {
        goals: Vec::new(),
        mismatches: 0,
        proved: 0,
        parts: 0,
    };
    for status in machine.assertion_statuses() {
        ran.parts += status.parts.len();
        let proved = |part: &&(&str, PartStatus)| part.1 == PartStatus::Checked;
        ran.proved += status.parts.iter().filter(proved).count();
    }
    for goal in goals {
        machine.set_budget(Budget::unlimited().limited_to(Duration::from_millis(100)));
        let before = machine.violations().len();
        let query = format!("findall(G, limit(4, (G = ({goal}), catch(G, E, (E = stop)))), L)");
        let answer = match machine.run_goal(&query) {
            Answer::True(solution) => solution.goals.join(", "),
            Answer::False => "false".to_string(),
            Answer::Exception { ball, .. } => ball,
            Answer::Halt(code) => format!("halt {code}"),
        };
        // The program may catch the exception that stops it.
        let stopped = machine.budget().check().is_err()
            || answer.contains("time_limit")
            || answer.contains("resource_error");
        let violations = machine.violations()[before..]
            .iter()
            .map(|v| format!("{} {} {}", v.kind, v.predicate, v.required))
            .collect();
        ran.goals.push((!stopped).then_some((answer, violations)));
        if stopped {
            break;
        }
    }
    ran.mismatches = machine.check_stats().mismatches;
    ran
}

/// Compares the ways to run a program.
///
/// # Errors
/// What differs, with the program.
pub fn compare(seed: u64) -> Result<Compared, String> {
    let (text, goals) = program(seed);
    let all = run(&text, &goals, Mode::All);
    let proved = run(&text, &goals, Mode::Proved);
    let verified = run(&text, &goals, Mode::Verified);
    let mut found = Compared {
        proved: proved.proved,
        parts: proved.parts,
        ..Compared::default()
    };
    let error = |what: String| Err(format!("seed {seed}: {what}\n{text}\n{goals:#?}"));
    if verified.mismatches > 0 {
        return error("a proved condition was violated".to_string());
    }
    // Once something was violated, proofs count no more: later goals see every check.
    let mut violated = false;
    for (index, goal) in goals.iter().enumerate() {
        let (Some(Some(a)), Some(Some(b)), Some(Some(c))) = (
            all.goals.get(index),
            proved.goals.get(index),
            verified.goals.get(index),
        ) else {
            found.stopped += 1;
            break;
        };
        found.goals += 1;
        if a.0 != b.0 || a.0 != c.0 {
            return error(format!(
                "answers of {goal} differ:\n{}\n{}\n{}",
                a.0, b.0, c.0
            ));
        }
        if a.1 != c.1 {
            return error(format!(
                "{goal}: violations differ when verified:\n{:?}\n{:?}",
                a.1, c.1
            ));
        }
        if !violated && a.1.first() != b.1.first() {
            return error(format!(
                "{goal}: first violations differ:\n{:?}\n{:?}",
                a.1, b.1
            ));
        }
        violated |= !a.1.is_empty();
        found.violated += usize::from(!a.1.is_empty());
    }
    Ok(found)
}

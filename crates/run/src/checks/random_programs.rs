//! Random programs that try to make the cache wrong: they build terms, bind, check, backtrack, cut, throw, collect
//! solutions and overwrite arguments. Used by the tests and by the long campaign in `bench`.

use std::fmt::Write as _;

/// What every random program starts with: types, and predicates whose checks look at one argument.
const PRELUDE: &str = "
:- module(random, [run/0], [assertions, regtypes, rtchecks]).

:- regtype tree/1.
tree(e).
tree(n(L, X, R)) :- tree(L), int(X), tree(R).

:- regtype pairs/1.
pairs([]).
pairs([p(A, B)|T]) :- atm(A), tree(B), pairs(T).

:- pred ints(X) : list(int, X).
ints(_).
:- pred anys(X) : list(X) => list(X).
anys(_).
:- pred trees(X) : tree(X) => tree(X).
trees(_).
:- pred many(X) : (list(tree, X) ; pairs(X) ; gnd(X)).
many(_).
:- pred grow(X, Y) : term(X) => (list(int, X), tree(Y)).
grow(X, Y) :- ( X = [] ; X = [1|_] ; true ), ( Y = e ; Y = n(e, 1, _) ).
:- pred ground_tree(X) : (gnd(X), tree(X)).
ground_tree(_).

garbage(0) :- !.
garbage(N) :- _ = f(N, [N]), N1 is N - 1, garbage(N1).

overwrite(T, V) :- ( compound(T) -> setarg(1, T, V) ; true ).
";

/// A source of numbers.
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(2).wrapping_add(1))
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// A program with a predicate `run/0` that succeeds once and has explored `goals` random goals.
pub fn random_program(seed: u64, goals: u32) -> String {
    let mut random = Random::new(seed);
    let mut text = PRELUDE.to_string();
    for index in 0..goals {
        let mut budget = 12;
        let body = conjunction(&mut random, &mut budget, 3);
        let _ = writeln!(text, "goal({index}) :- {body}.");
    }
    text.push_str("run :- run_each.\n");
    let _ = writeln!(
        text,
        "run_each :- each(N), catch(goal(N), _, true), garbage(3), fail.\nrun_each."
    );
    for index in 0..goals {
        let _ = writeln!(text, "each({index}).");
    }
    text
}

fn variable(random: &mut Random) -> String {
    format!("V{}", random.below(6))
}

fn conjunction(random: &mut Random, budget: &mut i32, depth: u32) -> String {
    let count = 2 + random.below(4);
    let goals: Vec<String> = (0..count).map(|_| goal(random, budget, depth)).collect();
    goals.join(", ")
}

fn goal(random: &mut Random, budget: &mut i32, depth: u32) -> String {
    *budget -= 1;
    let (a, b, c) = (variable(random), variable(random), variable(random));
    let simple = depth == 0 || *budget < 0;
    match random.below(if simple { 18 } else { 28 }) {
        0 => format!("{a} = [{b}|{c}]"),
        1 => format!("{a} = [1, 2|{b}]"),
        2 => format!("{a} = n({b}, 3, {c})"),
        3 => format!("{a} = []"),
        4 => format!("{a} = e"),
        5 => format!("{a} = [p(k, {b})|{c}]"),
        6 => format!("{a} = {}", random.below(3)),
        7..=9 => format!("ints({a})"),
        10 | 11 => format!("trees({a})"),
        12 => format!("anys({a})"),
        13 => format!("many({a})"),
        14 => format!("ground_tree({a})"),
        15 => format!("once(grow({a}, {b}))"),
        16 => format!("garbage({})", random.below(20)),
        17 => format!("overwrite({a}, {b})"),
        18 | 19 => {
            let left = conjunction(random, budget, depth - 1);
            let right = conjunction(random, budget, depth - 1);
            format!("( {left} ; {right} )")
        }
        20 => {
            let test = conjunction(random, budget, depth - 1);
            let yes = conjunction(random, budget, depth - 1);
            let no = conjunction(random, budget, depth - 1);
            format!("( {test} -> {yes} ; {no} )")
        }
        21 => format!("\\+ ( {} )", conjunction(random, budget, depth - 1)),
        22 => format!(
            "catch(( {} ), _, true)",
            conjunction(random, budget, depth - 1)
        ),
        23 => format!(
            "( {}, throw(out) ; true )",
            conjunction(random, budget, depth - 1)
        ),
        24 => format!("once(( {} ))", conjunction(random, budget, depth - 1)),
        25 => format!("( {a} = {b} ; {a} = [{c}] ; true )"),
        26 => format!(
            "findall({a}, ( {} ), {b})",
            conjunction(random, budget, depth - 1)
        ),
        _ => format!("b_setval(k, {a}), ( ints({a}), fail ; b_getval(k, {b}) )"),
    }
}

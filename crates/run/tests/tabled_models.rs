//! Tabled programs at random beside models computed here: normal programs against the alternating fixpoint, which is the
//! well-founded model, sums over paths of random graphs without cycles against the number of paths, and relations of
//! positive programs, asked for with some arguments bound, against the least model.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use stet_run::{MemoryHost, Request, open};
use stet_testkit::Random;

const ATOMS: usize = 6;

/// A rule: its head, and its body with the sign of each literal (true: negated).
struct Rule {
    head: usize,
    body: Vec<(bool, usize)>,
}

fn rules(random: &mut Random) -> Vec<Rule> {
    let count = 3 + random.below(9_usize);
    (0..count)
        .map(|_| Rule {
            head: random.below(ATOMS),
            body: (0..random.below(4_usize))
                .map(|_| (random.one_in(2), random.below(ATOMS)))
                .collect(),
        })
        .collect()
}

/// What follows if negations of atoms outside `believed` hold.
fn closure(rules: &[Rule], believed: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    loop {
        let new = rules.iter().find(|rule| {
            !found.contains(&rule.head)
                && rule.body.iter().all(|(negated, atom)| match negated {
                    true => !believed.contains(atom),
                    false => found.contains(atom),
                })
        });
        match new {
            Some(rule) => found.insert(rule.head),
            None => return found,
        };
    }
}

/// The true atoms and the possible ones.
fn well_founded(rules: &[Rule]) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let mut holds = BTreeSet::new();
    loop {
        let possible = closure(rules, &holds);
        let next = closure(rules, &possible);
        if next == holds {
            return (holds, possible);
        }
        holds = next;
    }
}

/// The program, with a goal `truths` that writes a letter for every atom, asked for in the order given.
fn program(rules: &[Rule], order: &[usize]) -> String {
    let mut text = String::from(":- table p0/0, p1/0, p2/0, p3/0, p4/0, p5/0.\n");
    for atom in 0..ATOMS {
        let _ = writeln!(text, ":- discontiguous p{atom}/0.\np{atom} :- fail.");
    }
    for rule in rules {
        let literals: Vec<String> = rule
            .body
            .iter()
            .map(|(negated, atom)| match negated {
                true => format!("tnot(p{atom})"),
                false => format!("p{atom}"),
            })
            .collect();
        let body = match literals.is_empty() {
            true => "true".to_owned(),
            false => literals.join(", "),
        };
        let _ = writeln!(text, "p{} :- {body}.", rule.head);
    }
    let goals: Vec<String> = order.iter().map(|atom| format!("truth(p{atom})")).collect();
    let _ = writeln!(text, "truths :- {}.", goals.join(", "));
    text.push_str(
        "truth(G) :- ( call_delays(G, D) -> ( D == true -> write(t) ; write(u) ) ; write(f) ).\n",
    );
    text
}

/// What the goals write, each in a machine of its own.
fn output(text: &str, goal: &str) -> (String, String) {
    let mut host = MemoryHost::default();
    host.files
        .insert("t.pl".to_owned(), text.as_bytes().to_vec());
    let (output, errors) = (host.output.clone(), host.errors.clone());
    let mut machine = open(&Request::load(&[]), Box::new(host));
    machine.run_goal("consult(t)");
    machine.run_goal(goal);
    let take = |text: Arc<Mutex<String>>| text.lock().map(|text| text.clone()).unwrap_or_default();
    (take(output), take(errors))
}

#[test]
fn negation_has_the_well_founded_model() {
    let (mut undefined, mut programs) = (0, 0);
    for seed in 0..250 {
        let mut random = Random::new(seed);
        let rules = rules(&mut random);
        let (holds, possible) = well_founded(&rules);
        let mut order: Vec<usize> = (0..ATOMS).collect();
        for i in 0..ATOMS {
            order.swap(i, random.below(ATOMS));
        }
        let expected: String = order
            .iter()
            .map(
                |atom| match (holds.contains(atom), possible.contains(atom)) {
                    (true, _) => 't',
                    (false, true) => 'u',
                    (false, false) => 'f',
                },
            )
            .collect();
        undefined += usize::from(expected.contains('u'));
        programs += 1;
        let text = program(&rules, &order);
        let (found, errors) = output(&text, "truths");
        assert_eq!(found, expected, "seed {seed}:\n{text}{errors}");
    }
    assert!(undefined * 8 > programs, "{undefined} of {programs}");
}

#[test]
fn sums_count_every_derivation_once() {
    let recursions = [
        "q(X, Z, A), e(Z, Y), N = A",
        "e(X, Z), q(Z, Y, N)",
        "q(X, Z, A), q(Z, Y, B), N is A * B",
        "h(X, Z, A), e(Z, Y), N = A",
    ];
    for seed in 0..80 {
        let mut random = Random::new(7_000 + seed);
        let nodes = 3 + random.below(4_usize);
        let mut edges = BTreeSet::new();
        for _ in 0..nodes * 2 {
            let (a, b) = (random.below(nodes), random.below(nodes));
            edges.insert((a.min(b), a.max(b)));
        }
        edges.retain(|(a, b)| a != b);
        let kind = random.below(recursions.len());
        let mode = random.pick(&["sum", "lattice(plus/3)"]);
        let mut text = format!(":- table q(_, _, {mode}), h(_, _, {mode}).\n:- dynamic e/2.\n");
        for (a, b) in &edges {
            let _ = writeln!(text, "e({a}, {b}).");
        }
        let _ = writeln!(
            text,
            "q(X, Y, 1) :- e(X, Y).\nq(X, Y, N) :- {}.\nh(X, Y, N) :- q(X, Y, N).\n\
             main :- findall(X-Y-N, q(X, Y, N), L), sort(L, S), write(S).",
            recursions[kind]
        );
        // Paths by their length; the third recursion counts the ways to cut a path in two as well.
        let mut one = vec![vec![0_u64; nodes]; nodes];
        for &(a, b) in &edges {
            one[a][b] = 1;
        }
        let mut ways = one.clone();
        for _ in 0..nodes {
            let left = if kind == 2 { ways.clone() } else { one.clone() };
            let mut next = one.clone();
            for a in 0..nodes {
                for z in 0..nodes {
                    for b in 0..nodes {
                        next[a][b] += left[a][z] * ways[z][b];
                    }
                }
            }
            ways = next;
        }
        let answers: Vec<String> = (0..nodes)
            .flat_map(|a| (0..nodes).map(move |b| (a, b)))
            .filter(|&(a, b)| ways[a][b] > 0)
            .map(|(a, b)| format!("{a}-{b}-{}", ways[a][b]))
            .collect();
        let (found, errors) = output(&text, "main");
        let expected = format!("[{}]", answers.join(","));
        assert_eq!(found, expected, "seed {seed}:\n{text}{errors}");
    }
}

/// An atom `rK(A, B)` of a rule: the number of a relation (0 is the table of facts) and the numbers of its variables.
type Literal = (usize, usize, usize);

const RELATIONS: usize = 4;
const NODES: usize = 5;

/// Rules over the variables 0 to 3 whose head variables occur in the body.
fn relation_rules(random: &mut Random) -> Vec<(Literal, Vec<Literal>)> {
    let mut rules = Vec::new();
    for _ in 0..3 + random.below(5_usize) {
        let body: Vec<Literal> = (0..1 + random.below(3_usize))
            .map(|_| {
                let relation = random.below(RELATIONS);
                (relation, random.below(4_usize), random.below(4_usize))
            })
            .collect();
        let mut variable = || {
            let (_, a, b) = body[random.below(body.len())];
            if random.one_in(2) { a } else { b }
        };
        let (a, b) = (variable(), variable());
        rules.push(((1 + random.below(RELATIONS - 1), a, b), body));
    }
    rules
}

/// The least model: the pairs in every relation.
fn least_model(
    rules: &[(Literal, Vec<Literal>)],
    facts: &BTreeSet<(usize, usize)>,
) -> Vec<BTreeSet<(usize, usize)>> {
    let mut model = vec![BTreeSet::new(); RELATIONS];
    model[0].clone_from(facts);
    loop {
        let before: usize = model.iter().map(BTreeSet::len).sum();
        for ((head, a, b), body) in rules {
            let mut rows = vec![[None; 4]];
            for &(relation, x, y) in body {
                let mut joined = Vec::new();
                for row in &rows {
                    for &(p, q) in &model[relation] {
                        let mut row: [Option<usize>; 4] = *row;
                        if *row[x].get_or_insert(p) == p && *row[y].get_or_insert(q) == q {
                            joined.push(row);
                        }
                    }
                }
                rows = joined;
            }
            for row in rows {
                if let (Some(p), Some(q)) = (row[*a], row[*b]) {
                    model[*head].insert((p, q));
                }
            }
        }
        if model.iter().map(BTreeSet::len).sum::<usize>() == before {
            return model;
        }
    }
}

fn relation_program(
    rules: &[(Literal, Vec<Literal>)],
    facts: &BTreeSet<(usize, usize)>,
    options: &str,
) -> String {
    let mut text = String::new();
    for relation in 1..RELATIONS {
        let _ = writeln!(
            text,
            ":- table r{relation}/2{options}.\n:- discontiguous r{relation}/2.\nr{relation}(_, _) :- fail."
        );
    }
    text.push_str(":- dynamic r0/2.\n");
    for (a, b) in facts {
        let _ = writeln!(text, "r0({a}, {b}).");
    }
    for ((head, a, b), body) in rules {
        let body: Vec<String> = body
            .iter()
            .map(|(relation, x, y)| format!("r{relation}(V{x}, V{y})"))
            .collect();
        let _ = writeln!(text, "r{head}(V{a}, V{b}) :- {}.", body.join(", "));
    }
    text.push_str("all(G, T) :- findall(T, G, L), sort(L, S), write(S), nl.\n");
    text
}

#[test]
fn relations_have_the_least_model() {
    for seed in 0..300 {
        let mut random = Random::new(90_000 + seed);
        let rules = relation_rules(&mut random);
        let facts: BTreeSet<(usize, usize)> = (0..2 + random.below(6_usize))
            .map(|_| (random.below(NODES), random.below(NODES)))
            .collect();
        let model = least_model(&rules, &facts);
        let options = random.pick(&["", " as incremental"]);
        let mut text = relation_program(&rules, &facts, options);
        let (mut goals, mut expected) = (Vec::new(), String::new());
        for _ in 0..4 {
            let relation = 1 + random.below(RELATIONS - 1);
            let mut bound = |name: &str| match random.one_in(2) {
                true => random.below(NODES).to_string(),
                false => name.to_owned(),
            };
            let (a, b) = (bound("A"), bound("B"));
            let fits =
                |text: &str, node: usize| text.parse().map_or(true, |known: usize| known == node);
            let pairs: Vec<String> = model[relation]
                .iter()
                .filter(|(p, q)| fits(&a, *p) && fits(&b, *q))
                .map(|(p, q)| format!("{p}-{q}"))
                .collect();
            goals.push(format!("all(r{relation}({a}, {b}), {a}-{b})"));
            let _ = writeln!(expected, "[{}]", pairs.join(","));
        }
        let _ = writeln!(text, "main :- {}.", goals.join(", "));
        let (found, errors) = output(&text, "main");
        assert_eq!(found, expected, "seed {seed}:\n{text}{errors}");
    }
}

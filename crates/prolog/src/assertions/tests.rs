//! Assertions and types as tables: text in, normal form out.

use super::regtypes::{Automata, Constant, Primitive};
use super::*;
use crate::ops::Ops;
use crate::parser::{ReadContext, read_clause};
use crate::writer::{AstView, WriteOptions, write_term};
use crate::{ReadFlags, Variable};
use expect_test::{Expect, expect};

struct Reader {
    atoms: AtomTable,
    ops: Ops,
}

impl Reader {
    fn new() -> Reader {
        let mut atoms = AtomTable::new();
        let mut ops = Ops::standard(&mut atoms);
        add_assertion_operators(&mut ops, &mut atoms);
        Reader { atoms, ops }
    }

    fn all(&mut self, text: &str) -> Vec<Clause> {
        let mut at = 0;
        let mut found = Vec::new();
        loop {
            let mut context = ReadContext {
                atoms: &mut self.atoms,
                ops: &self.ops,
                flags: ReadFlags::STANDARD,
            };
            let (read, next) = read_clause(&mut context, text, at);
            match read.expect("the test's text is correct") {
                Some(clause) => found.push(clause),
                None => return found,
            }
            at = next;
        }
    }

    fn literal(&self, assertion: &Assertion, id: TermId) -> String {
        let variables: Vec<Variable> = assertion
            .variables
            .iter()
            .enumerate()
            .map(|(index, name)| Variable {
                name: if name.is_empty() || name == "_" {
                    format!("V{index}")
                } else {
                    name.clone()
                },
                occurrences: 2,
                place: Place::default(),
            })
            .collect();
        let view = AstView {
            terms: &assertion.terms,
            variables: &variables,
        };
        write_term(&view, id, &self.atoms, &self.ops, &WriteOptions::WRITEQ)
    }

    fn dnf(&self, assertion: &Assertion, dnf: &Dnf) -> String {
        let parts: Vec<String> = dnf
            .iter()
            .map(|conjunction| {
                let literals: Vec<String> = conjunction
                    .iter()
                    .map(|&id| self.literal(assertion, id))
                    .collect();
                if literals.is_empty() {
                    "true".to_string()
                } else {
                    literals.join(" & ")
                }
            })
            .collect();
        parts.join(" | ")
    }
}

fn show(text: &str) -> String {
    let mut reader = Reader::new();
    let mut modes = Modes::new();
    let mut out = String::new();
    for clause in reader.all(text) {
        let found = parse_assertion(&clause, &mut reader.atoms, &mut modes);
        match found {
            None => out.push_str("no assertion\n"),
            Some(Err(error)) => {
                out.push_str(&format!(
                    "error at {}: {}\n",
                    &text[error.place.start as usize..error.place.end as usize],
                    error.message
                ));
            }
            Some(Ok(assertions)) => {
                for a in &assertions {
                    let head: Vec<String> = a
                        .head
                        .iter()
                        .map(|&v| match a.variables[v as usize].as_str() {
                            "" | "_" => format!("V{v}"),
                            name => name.to_string(),
                        })
                        .collect();
                    out.push_str(&format!(
                        "{:?} {:?} {}({})\n",
                        a.status,
                        a.kind,
                        reader.atoms.text(a.name),
                        head.join(",")
                    ));
                    for (mark, part) in [("::", &a.compat), (":", &a.calls), ("=>", &a.success)] {
                        if !is_trivial(part) {
                            out.push_str(&format!("  {mark} {}\n", reader.dnf(a, part)));
                        }
                    }
                    for &literal in &a.comp {
                        out.push_str(&format!("  + {}\n", reader.literal(a, literal)));
                    }
                    if let Some(text) = &a.text {
                        out.push_str(&format!("  # {text}\n"));
                    }
                }
            }
        }
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(text));
}

#[test]
fn paper_example_1() {
    check(
        ":- pred p(X,Y) : (int(X) , var(Y)) => (int(X), int(Y)).
         :- pred p(X,Y) : (atm(X) , var(Y)) => (atm(X), atm(Y)).",
        expect![[r#"
            Check Pred p(X,Y)
              : int(X) & var(Y)
              => int(X) & int(Y)
            Check Pred p(X,Y)
              : atm(X) & var(Y)
              => atm(X) & atm(Y)
        "#]],
    );
}

#[test]
fn all_parts_and_statuses() {
    check(
        r#":- trust pred p(X,Y) :: list(X) : int(Y) => (atm(X) ; int(X)) + (det, not_fails) # "Text.".
           :- true success p(X,_) : int(X) => int(X).
           :- calls p(X,Y) : (int(X) ; atm(X)).
           :- comp p(X,Y) : int(X) + det.
           :- check entry p(X,Y) : int(X).
           :- prop q/1.
           :- regtype (t/1, u/1).
           :- test p(X,Y) : (X = 1) => (Y == 2) + fails.
           :- pred p/0.
           :- dynamic p/2."#,
        expect![[r#"
            Trust Pred p(X,Y)
              :: list(X)
              : int(Y)
              => atm(X) | int(X)
              + det
              + not_fails
              # Text.
            True Success p(X,V1)
              : int(X)
              => int(X)
            Check Calls p(X,Y)
              : int(X) | atm(X)
            Check Comp p(X,Y)
              : int(X)
              + det
            Check Entry p(X,Y)
              : int(X)
            Check Prop q(V0)
            Check Regtype t(V0)
            Check Regtype u(V0)
            Check Test p(X,Y)
              : X=1
              => Y==2
              + fails
            Check Pred p()
            no assertion
        "#]],
    );
}

#[test]
fn star_form_and_arity_form() {
    check(
        ":- pred p(X,Y) : int * list(int) => int * list.
         :- pred q/2 : (int ; atm) * var.
         :- pred r(X) : int.
         :- pred r(X) : list(X).
         :- pred r(X) : true => list(list(int)).
         :- pred s(X,Y) : int * int * int.",
        expect![[r#"
            Check Pred p(X,Y)
              : int(X) & list(int,Y)
              => int(X) & list(Y)
            Check Pred q(V0,V1)
              : int(V0) & var(V1) | atm(V0) & var(V1)
            Check Pred r(X)
              : int(X)
            Check Pred r(X)
              : list(X)
            Check Pred r(X)
              => list(list(int),X)
            error at int * int * int: 3 properties in star form for 2 arguments
        "#]],
    );
}

#[test]
fn modes() {
    check(
        ":- pred p(+X, -Y, ?Z, @W).
         :- pred p(+int, -list(int), ?atm, @num).
         :- pred p(+(X,int), in(Y), out(Z), go(W)).
         :- modedef pos(A) : (int(A), nonvar(A)) => int(A).
         :- modedef pos(A,T) : T(A) + det.
         :- pred q(pos(X), pos(Y,atm)).
         :- pred q(X, X).
         :- pred q(f(X), a).",
        expect![[r#"
            Check Pred p(X,Y,Z,W)
              : nonvar(X) & var(Y)
              + not_further_inst(W)
            Check Pred p(V0,V1,V2,V3)
              :: atm(V2)
              : int(V0) & var(V1) & num(V3)
              => list(int,V1) & atm(V2) & num(V3)
              + not_further_inst(V3)
            Check Pred p(X,Y,Z,W)
              : int(X) & gnd(Y) & var(Z)
              => gnd(Y) & gnd(Z) & gnd(W)
            Check Pred q(X,Y)
              : int(X) & nonvar(X) & atm(Y)
              => int(X)
              + det
            error at X: an argument of the head is a distinct variable or a mode
            error at f(X): `f` is no mode; an argument of the head is a distinct variable or a mode
        "#]],
    );
}

#[test]
fn broken_assertions_name_their_place() {
    check(
        ":- pred p(X) : int(X) : atm(X).
         :- pred 3.
         :- pred p/foo.
         :- pred p(X) : 3.
         :- pred p(X) => (int(X), Y).",
        expect![[r#"
            error at atm(X): this part of the assertion is given twice
            error at 3: the head of an assertion is an atom or a compound term
            error at p/foo: expected a predicate indicator Name/Arity
            error at 3: expected the name of a property
            error at Y: expected a property
        "#]],
    );
}

fn types(text: &str, wanted: &str) -> String {
    let mut reader = Reader::new();
    let mut automata = Automata::new();
    let clauses = reader.all(text);
    let mut groups: Vec<((Atom, usize), Vec<Clause>)> = Vec::new();
    for clause in clauses {
        let head = match clause.terms.functor(clause.root) {
            Some((atom::NECK, 2)) => clause.terms.args(clause.root)[0],
            _ => clause.root,
        };
        let key = clause.terms.functor(head).expect("a clause");
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, list)) => list.push(clause),
            None => groups.push((key, vec![clause])),
        }
    }
    for ((name, arity), clauses) in groups {
        automata.define(name, arity, clauses);
    }
    let literal = reader.all(&format!("{wanted}.")).remove(0);
    match automata.literal(&reader.atoms, &literal.terms, literal.root) {
        None => "no type".to_string(),
        Some(Err(error)) => format!("not regular: {}", error.reason),
        Some(Ok((_, state))) => print_states(&automata, &reader, state),
    }
}

fn print_states(automata: &Automata, reader: &Reader, root: u32) -> String {
    let mut out = String::new();
    let mut queue = vec![root];
    let mut next = 0;
    while next < queue.len() {
        let id = queue[next];
        next += 1;
        let state = &automata.states()[id as usize];
        let mut parts: Vec<String> = state
            .primitives
            .iter()
            .filter(|p| **p != Primitive::Any || id == 0)
            .map(|p| format!("{p:?}"))
            .collect();
        if id != 0 && state.primitives.contains(&Primitive::Any) {
            parts.push("Any".to_string());
        }
        for constant in &state.constants {
            parts.push(match constant {
                Constant::Atom(a) => reader.atoms.text(*a).to_string(),
                other => format!("{other:?}"),
            });
        }
        for rule in &state.rules {
            let args: Vec<String> = rule
                .args
                .iter()
                .map(|&arg| {
                    let at = queue.iter().position(|&q| q == arg).unwrap_or_else(|| {
                        queue.push(arg);
                        queue.len() - 1
                    });
                    format!("q{at}")
                })
                .collect();
            parts.push(format!(
                "{}({})",
                reader.atoms.text(rule.name),
                args.join(",")
            ));
        }
        out.push_str(&format!(
            "q{} {} -> {}\n",
            next - 1,
            state.name,
            parts.join(" | ")
        ));
    }
    out
}

fn check_type(text: &str, wanted: &str, expected: Expect) {
    expected.assert_eq(&types(text, wanted));
}

#[test]
fn paper_example_2() {
    check_type(
        "bintree(empty,T). bintree(tree(LC,X,RC),T) :- bintree(LC,T),T(X),bintree(RC,T).",
        "bintree(X,int)",
        expect![[r#"
            q0 bintree(int) -> empty | tree(q0,q1,q0)
            q1 int -> Int
        "#]],
    );
}

#[test]
fn parameters_come_first_in_newer_code() {
    check_type(
        "bt(T,e). bt(T,n(L,X,R)) :- bt(T,L), T(X), bt(T,R).",
        "bt(list(int),X)",
        expect![[r#"
            q0 bt(list(int)) -> e | n(q0,q1,q0)
            q1 list(int) -> [] | .(q2,q1)
            q2 int -> Int
        "#]],
    );
}

#[test]
fn unions_and_mutual_recursion() {
    check_type(
        "b(nil). b(X) :- n2(X). b(X) :- n3(X).
         n2(n2(A,B)) :- b(A), b(B). n3(n3(A,B,C)) :- b(A), b(B), i(C). i(k(K,V)) :- int(K).",
        "b(X)",
        expect![[r#"
            q0 b -> nil | n2(q0,q0) | n3(q0,q0,q1)
            q1 i -> k(q2,q3)
            q2 int -> Int
            q3 term -> Any
        "#]],
    );
}

#[test]
fn enumerations_and_nested_terms() {
    check_type(
        "c(X) :- X = red ; X = 3. d(X) :- member(X,[a,b]). t(f(g(X),Y)) :- c(X), d(Y). t([]).",
        "t(Z)",
        expect![[r#"
            q0 t -> [] | f(q1,q2)
            q1 part of a type -> g(q3)
            q2 d -> a | b
            q3 c -> red | Int(3)
        "#]],
    );
}

#[test]
fn built_in_types() {
    check_type(
        "t.",
        "list(X,atm_or_atm_list)",
        expect![[r#"
            q0 list(atm_or_atm_list) -> [] | .(q1,q0)
            q1 atm_or_atm_list -> Atm | [] | .(q2,q3)
            q2 atm -> Atm
            q3 list(atm) -> [] | .(q2,q3)
        "#]],
    );
}

#[test]
fn what_is_not_regular_is_refused() {
    check_type(
        "t(f(X)) :- int(X). t(f(X)) :- atm(X).",
        "t(X)",
        expect!["not regular: two clauses accept the same functor"],
    );
    check_type(
        "t(f(X,X)).",
        "t(X)",
        expect!["not regular: a variable occurs twice in the term of a type"],
    );
    check_type(
        "t(f(X)) :- int(X), X > 0.",
        "t(X)",
        expect!["not regular: the body has a goal that is no type"],
    );
    check_type(
        "t(f(X)) :- int(X), atm(X).",
        "t(X)",
        expect!["not regular: two types for one variable"],
    );
    check_type(
        "t(T,e). t(T,f(X)) :- t(list(T),X).",
        "t(int,X)",
        expect!["not regular: the type needs too many states"],
    );
    check_type("t(e).", "u(X)", expect!["no type"]);
}

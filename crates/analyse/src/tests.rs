//! Types against a model: membership of small terms.

use crate::types::{BOTTOM, Const, TOP, Type, Types, prim};
use stet_prolog::{Atom, AtomTable, atom};
use stet_testkit::Random;

#[derive(Clone, Debug)]
enum Value {
    Var,
    Atom(Atom),
    Int(i64),
    Float,
    Compound(Atom, Vec<Value>),
}

fn is_ground(value: &Value) -> bool {
    match value {
        Value::Var => false,
        Value::Compound(_, args) => args.iter().all(is_ground),
        _ => true,
    }
}

fn contains(types: &Types, of: Type, value: &Value) -> bool {
    fn at(graph: &[crate::types::Node], node: usize, value: &Value) -> bool {
        let node = &graph[node];
        if node.top {
            return true;
        }
        match value {
            Value::Var => false,
            Value::Atom(name) => {
                node.prims & prim::ATOM != 0 || node.consts.contains(&Const::Atom(*name))
            }
            Value::Int(value) => {
                let value = Const::Int(*value);
                node.prims & value.prim() != 0 || node.consts.contains(&value)
            }
            Value::Float => node.prims & prim::FLOAT != 0,
            Value::Compound(name, args) => match node.rules.get(&(*name, args.len())) {
                Some(rule) => args
                    .iter()
                    .zip(rule)
                    .all(|(arg, &next)| at(graph, next, arg)),
                None => node.any_compound || (node.ground_compound && args.iter().all(is_ground)),
            },
        }
    }
    at(types.graph(of), 0, value)
}

fn random_value(random: &mut Random, names: &[Atom], depth: usize) -> Value {
    match random.below(if depth > 3 { 5 } else { 9 }) {
        0 => Value::Var,
        1 => Value::Atom(names[random.below(names.len())]),
        2 => Value::Atom(atom::NIL),
        3 => Value::Int([-1, 0, 5, 0x20_0000][random.below(4)]),
        4 => Value::Float,
        5 | 6 => Value::Compound(
            atom::DOT,
            vec![
                random_value(random, names, depth + 1),
                random_value(random, names, depth + 1),
            ],
        ),
        _ => {
            let arity = 1 + random.below(2);
            let args = (0..arity)
                .map(|_| random_value(random, names, depth + 1))
                .collect();
            Value::Compound(names[random.below(2)], args)
        }
    }
}

fn random_type(random: &mut Random, types: &mut Types, names: &[Atom], depth: usize) -> Type {
    match random.below(if depth > 3 { 6 } else { 11 }) {
        0 => TOP,
        1 => types.ground(),
        2 => types.nonvar(),
        3 => types.constant(Const::Atom(names[random.below(names.len())])),
        4 => types.prims([prim::INTEGER, prim::NATURAL, prim::ATOM, prim::NUMBER][random.below(4)]),
        5 => types.constants(&[Const::Int(5), Const::Atom(atom::NIL)]),
        6 | 7 => {
            let of = random_type(random, types, names, depth + 1);
            types.list(of)
        }
        8 => {
            let a = random_type(random, types, names, depth + 1);
            let b = random_type(random, types, names, depth + 1);
            types.union(a, b)
        }
        _ => {
            let arity = 1 + random.below(2);
            let args: Vec<Type> = (0..arity)
                .map(|_| random_type(random, types, names, depth + 1))
                .collect();
            types.compound((names[random.below(2)], arity), &args)
        }
    }
}

/// Unions and folded types hold what their parts hold, meets what both hold, subsets have no member outside; types are
/// closed under instantiation.
#[test]
fn types_agree_with_membership() {
    let mut atoms = AtomTable::new();
    let names: Vec<Atom> = ["f", "g", "a", "b"]
        .iter()
        .map(|n| atoms.intern(n))
        .collect();
    let mut random = Random::new(0x5eed_1234_9876_4321);
    let mut types = Types::default();
    let (mut members, mut subsets) = (0, 0);
    for _ in 0..3_000 {
        let a = random_type(&mut random, &mut types, &names, 0);
        let b = random_type(&mut random, &mut types, &names, 0);
        let (union, meet, folded) = (types.union(a, b), types.meet(a, b), types.folded(a));
        let subset = types.is_subset(a, b);
        subsets += usize::from(subset && a != BOTTOM);
        for _ in 0..40 {
            let value = random_value(&mut random, &names, 0);
            let (in_a, in_b) = (contains(&types, a, &value), contains(&types, b, &value));
            members += usize::from(in_a);
            assert!(
                !(in_a || in_b) || contains(&types, union, &value),
                "union {value:?}"
            );
            assert!(
                !(in_a && in_b) || contains(&types, meet, &value),
                "meet {value:?}"
            );
            assert!(
                !in_a || contains(&types, folded, &value),
                "folded {value:?}"
            );
            assert!(!(subset && in_a) || in_b, "subset {value:?}");
            let bound = instance(&value, &random_value(&mut random, &names, 2));
            assert!(
                !in_a || contains(&types, a, &bound),
                "instance {value:?} {bound:?}"
            );
        }
    }
    assert!(members > 10_000 && subsets > 100, "{members} {subsets}");
}

fn instance(value: &Value, with: &Value) -> Value {
    match value {
        Value::Var => with.clone(),
        Value::Compound(name, args) => {
            Value::Compound(*name, args.iter().map(|arg| instance(arg, with)).collect())
        }
        other => other.clone(),
    }
}

//! Axioms about values, tested against a plain model of those values on random instances; and the prelude as a program.
//!
//! The model: sequences are vectors with 0 outside of their range, sets and multisets are ordered maps, elements are small
//! integers. Inner quantifiers range over all elements and indices there can be.

use super::{Chunk, text};
use std::collections::{BTreeMap, BTreeSet};
use stet_base::SourceMap;
use stet_boogie::Program;
use stet_boogie::ast::{
    BinaryOp, Binder, BinderKind, ExprId, ExprKind, TypeExprKind, UnaryOp, VarId,
};
use stet_testkit::Random;

/// A value of the model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum V {
    Int(i64),
    Bool(bool),
    Seq(Vec<i64>),
    Set(BTreeSet<i64>),
    Multi(BTreeMap<i64, i64>),
    Map(BTreeMap<i64, i64>),
    /// A Boogie map from small integers; 0 or false elsewhere.
    Table(BTreeMap<i64, i64>, bool),
}

const ELEMENTS: std::ops::Range<i64> = 0..4;
const INDICES: std::ops::Range<i64> = -2..9;

/// Random values of a sort.
trait Values {
    fn value(&mut self, sort: &str) -> V;
}

impl Values for Random {
    fn value(&mut self, sort: &str) -> V {
        let head = sort.split('$').nth(1).unwrap_or(sort);
        let count = self.below(5);
        let element = |r: &mut Random| r.below(4);
        match head {
            "int" => V::Int(self.below(6) - 1),
            "bool" => V::Bool(self.below(2) == 1),
            "Seq" => V::Seq((0..count).map(|_| element(self)).collect()),
            "Set" | "ISet" => V::Set((0..count).map(|_| element(self)).collect()),
            "MultiSet" => {
                let mut m = BTreeMap::new();
                for _ in 0..count {
                    *m.entry(element(self)).or_insert(0) += 1;
                }
                V::Multi(m)
            }
            "Map" | "IMap" => V::Map((0..count).map(|_| (element(self), element(self))).collect()),
            "[bool]" => V::Table(ELEMENTS.map(|i| (i, self.below(2))).collect(), true),
            "[int]" | "State" => V::Table(INDICES.map(|i| (i, element(self))).collect(), false),
            "Box" => V::Int(element(self)),
            other => panic!("no model of {other}"),
        }
    }
}

struct Model<'p> {
    program: &'p Program,
    values: Vec<(VarId, V)>,
}

fn int(v: &V) -> i64 {
    match v {
        V::Int(i) => *i,
        V::Bool(b) => i64::from(*b),
        other => panic!("{other:?} is not a number"),
    }
}

fn boolean(v: &V) -> bool {
    match v {
        V::Bool(b) => *b,
        other => panic!("{other:?} is not a truth value"),
    }
}

impl Model<'_> {
    fn sort(&self, var: VarId) -> String {
        let ty = self.program.vars[var].type_expr.expect("a type");
        self.sort_of(ty)
    }

    fn sort_of(&self, ty: stet_boogie::ast::TypeExprId) -> String {
        match &self.program.type_exprs[ty].kind {
            TypeExprKind::Int => "int".into(),
            TypeExprKind::Bool => "bool".into(),
            TypeExprKind::Named { name, .. } => self.program.name(*name).to_owned(),
            TypeExprKind::Map { result, .. } => format!("$[{}]", self.sort_of(*result)),
            other => panic!("{other:?}"),
        }
    }

    fn eval(&mut self, e: ExprId) -> V {
        match &self.program.exprs[e].kind {
            ExprKind::Bool(b) => V::Bool(*b),
            ExprKind::Int(n) => V::Int(i64::try_from(&**n).expect("small")),
            ExprKind::Ident { name, .. } => {
                let name = self.program.name(*name).to_owned();
                let values = self.values.iter().rev();
                let mut found =
                    values.filter(|(v, _)| self.program.name(self.program.vars[*v].name) == name);
                match found.next() {
                    Some((_, value)) => value.clone(),
                    None => constant(&name),
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) => V::Bool(!boolean(&self.eval(*a))),
            ExprKind::Unary(UnaryOp::Neg, a) => V::Int(-int(&self.eval(*a))),
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b),
            ExprKind::Ite(c, a, b) => {
                let c = boolean(&self.eval(*c));
                self.eval(if c { *a } else { *b })
            }
            ExprKind::Call { name, args, .. } => {
                let name = self.program.name(*name).to_owned();
                let args: Vec<V> = args.to_vec().iter().map(|&a| self.eval(a)).collect();
                apply(&name, &args)
            }
            ExprKind::Select { map, indices } => {
                let (map, index) = (*map, indices[0]);
                match (self.eval(map), self.eval(index)) {
                    (V::Table(t, true), i) => V::Bool(t.get(&int(&i)).is_some_and(|&v| v != 0)),
                    (V::Table(t, false), i) => V::Int(t.get(&int(&i)).copied().unwrap_or(0)),
                    other => panic!("{other:?}"),
                }
            }
            ExprKind::Store {
                map,
                indices,
                value,
            } => {
                let (map, index, value) = (*map, indices[0], *value);
                match (self.eval(map), self.eval(index), self.eval(value)) {
                    (V::Table(mut t, b), i, v) => {
                        t.insert(int(&i), int(&v));
                        V::Table(t, b)
                    }
                    other => panic!("{other:?}"),
                }
            }
            ExprKind::Binder(binder) => {
                let binder: Binder = (**binder).clone();
                V::Bool(self.quantifier(&binder, 0))
            }
            other => panic!("{other:?}"),
        }
    }

    fn quantifier(&mut self, binder: &Binder, at: usize) -> bool {
        let Some(&var) = binder.vars.get(at) else {
            return boolean(&self.eval(binder.body));
        };
        let forall = binder.kind == BinderKind::Forall;
        for i in INDICES {
            self.values.push((var, V::Int(i)));
            let holds = self.quantifier(binder, at + 1);
            self.values.pop();
            if holds != forall {
                return !forall;
            }
        }
        forall
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> V {
        let x = self.eval(a);
        match op {
            BinaryOp::And if !boolean(&x) => return V::Bool(false),
            BinaryOp::Or if boolean(&x) => return V::Bool(true),
            BinaryOp::Imp if !boolean(&x) => return V::Bool(true),
            _ => {}
        }
        let y = self.eval(b);
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Imp => V::Bool(boolean(&y)),
            BinaryOp::Iff | BinaryOp::Eq => V::Bool(x == y),
            BinaryOp::Neq => V::Bool(x != y),
            BinaryOp::Add => V::Int(int(&x) + int(&y)),
            BinaryOp::Sub => V::Int(int(&x) - int(&y)),
            BinaryOp::Mul => V::Int(int(&x) * int(&y)),
            BinaryOp::Div => V::Int(quotient(int(&x), int(&y))),
            BinaryOp::Mod => V::Int(remainder(int(&x), int(&y))),
            BinaryOp::Lt => V::Bool(int(&x) < int(&y)),
            BinaryOp::Le => V::Bool(int(&x) <= int(&y)),
            BinaryOp::Gt => V::Bool(int(&x) > int(&y)),
            BinaryOp::Ge => V::Bool(int(&x) >= int(&y)),
            other => panic!("{other:?}"),
        }
    }
}

fn constant(name: &str) -> V {
    match name.split('$').nth(1) {
        Some("Seq.empty") => V::Seq(Vec::new()),
        Some("Set.empty" | "ISet.empty") => V::Set(BTreeSet::new()),
        Some("MultiSet.empty") => V::Multi(BTreeMap::new()),
        Some("Map.empty" | "IMap.empty") => V::Map(BTreeMap::new()),
        _ => panic!("no model of {name}"),
    }
}

fn normal(mut m: BTreeMap<i64, i64>) -> V {
    m.retain(|_, n| *n > 0);
    V::Multi(m)
}

fn count(m: &BTreeMap<i64, i64>, x: i64) -> i64 {
    m.get(&x).copied().unwrap_or(0)
}

/// Euclid's division; anything for zero.
fn quotient(x: i64, y: i64) -> i64 {
    x.checked_div_euclid(y).unwrap_or(0)
}

fn remainder(x: i64, y: i64) -> i64 {
    x.checked_rem_euclid(y).unwrap_or(0)
}

fn apply(name: &str, args: &[V]) -> V {
    let function = name.split('$').nth(1).unwrap_or(name);
    let (kind, operation) = function.split_once('.').unwrap_or((function, ""));
    match kind {
        "Seq" => seq(operation, args),
        "Set" | "ISet" => set(operation, args),
        "MultiSet" => multi(operation, args),
        "Map" | "IMap" => map(operation, args),
        "index" | "Unbox" | "Box" => args[0].clone(),
        "Mul" => V::Int(int(&args[0]) * int(&args[1])),
        "Div" => V::Int(quotient(int(&args[0]), int(&args[1]))),
        "Mod" => V::Int(remainder(int(&args[0]), int(&args[1]))),
        _ => panic!("no model of {name}"),
    }
}

fn seq(operation: &str, args: &[V]) -> V {
    if operation == "of" {
        let V::Table(f, _) = &args[1] else { panic!() };
        return V::Seq(
            (0..int(&args[0]))
                .map(|i| f.get(&i).copied().unwrap_or(0))
                .collect(),
        );
    }
    if operation == "array" {
        let V::Table(f, _) = &args[0] else { panic!() };
        return V::Seq(
            (0..int(&args[1]))
                .map(|i| f.get(&i).copied().unwrap_or(0))
                .collect(),
        );
    }
    let V::Seq(s) = &args[0] else {
        panic!("{args:?}")
    };
    let at = |i: usize| int(&args[i]);
    let clamp = |n: i64| n.clamp(0, s.len() as i64) as usize;
    match operation {
        "len" => V::Int(s.len() as i64),
        "nth" => V::Int(
            usize::try_from(at(1))
                .ok()
                .and_then(|i| s.get(i))
                .copied()
                .unwrap_or(0),
        ),
        "push" => V::Seq(s.iter().copied().chain([at(1)]).collect()),
        "app" => match &args[1] {
            V::Seq(t) => V::Seq(s.iter().chain(t).copied().collect()),
            other => panic!("{other:?}"),
        },
        "update" => {
            let mut t = s.clone();
            if let Some(place) = usize::try_from(at(1)).ok().and_then(|i| t.get_mut(i)) {
                *place = at(2);
            }
            V::Seq(t)
        }
        "take" => V::Seq(s[..clamp(at(1))].to_vec()),
        "drop" => V::Seq(s[clamp(at(1))..].to_vec()),
        "in" => V::Bool(s.contains(&at(1))),
        "eq" => V::Bool(args[0] == args[1]),
        "prefix" => {
            let V::Seq(t) = &args[1] else { panic!() };
            let get = |s: &[i64], i: i64| s.get(i as usize).copied().unwrap_or(0);
            V::Bool((0..at(2).max(0)).all(|i| get(s, i) == get(t, i)))
        }
        other => panic!("no model of Seq.{other}"),
    }
}

fn set(operation: &str, args: &[V]) -> V {
    if operation == "of" {
        let V::Table(f, _) = &args[0] else { panic!() };
        return V::Set(
            f.iter()
                .filter(|(_, b)| **b != 0)
                .map(|(x, _)| *x)
                .collect(),
        );
    }
    let V::Set(s) = &args[0] else {
        panic!("{args:?}")
    };
    let other = || match &args[1] {
        V::Set(t) => t.clone(),
        other => panic!("{other:?}"),
    };
    match operation {
        "in" => V::Bool(s.contains(&int(&args[1]))),
        "add" => V::Set(s.iter().copied().chain([int(&args[1])]).collect()),
        "union" => V::Set(s.union(&other()).copied().collect()),
        "inter" => V::Set(s.intersection(&other()).copied().collect()),
        "diff" => V::Set(s.difference(&other()).copied().collect()),
        "subset" => V::Bool(s.is_subset(&other())),
        "eq" => V::Bool(*s == other()),
        "disjoint" => V::Bool(s.is_disjoint(&other())),
        "card" => V::Int(s.len() as i64),
        other => panic!("no model of Set.{other}"),
    }
}

fn multi(operation: &str, args: &[V]) -> V {
    let from = |items: Vec<i64>| {
        let mut m = BTreeMap::new();
        items
            .into_iter()
            .for_each(|x| *m.entry(x).or_insert(0) += 1);
        V::Multi(m)
    };
    let m = match &args[0] {
        V::Seq(s) => return from(s.clone()),
        V::Set(s) => return from(s.iter().copied().collect()),
        V::Multi(m) => m,
        other => panic!("{other:?}"),
    };
    let other = || match &args[1] {
        V::Multi(m) => m.clone(),
        other => panic!("{other:?}"),
    };
    let each = |f: &dyn Fn(i64, i64) -> i64| {
        let n = other();
        normal(INDICES.map(|x| (x, f(count(m, x), count(&n, x)))).collect())
    };
    let all = |f: &dyn Fn(i64, i64) -> bool| {
        let n = other();
        V::Bool(INDICES.clone().all(|x| f(count(m, x), count(&n, x))))
    };
    match operation {
        "count" => V::Int(count(m, int(&args[1]))),
        "add" => {
            let mut m = m.clone();
            *m.entry(int(&args[1])).or_insert(0) += 1;
            V::Multi(m)
        }
        "set" => {
            let mut m = m.clone();
            m.insert(int(&args[1]), int(&args[2]).max(0));
            normal(m)
        }
        "union" => each(&|a, b| a + b),
        "inter" => each(&|a, b| a.min(b)),
        "diff" => each(&|a, b| (a - b).max(0)),
        "subset" => all(&|a, b| a <= b),
        "eq" => all(&|a, b| a == b),
        "disjoint" => all(&|a, b| a == 0 || b == 0),
        "card" => V::Int(m.values().sum()),
        other => panic!("no model of MultiSet.{other}"),
    }
}

fn map(operation: &str, args: &[V]) -> V {
    if operation == "of" {
        let (V::Set(d), V::Table(f, _)) = (&args[0], &args[1]) else {
            panic!()
        };
        return V::Map(
            d.iter()
                .map(|x| (*x, f.get(x).copied().unwrap_or(0)))
                .collect(),
        );
    }
    let V::Map(m) = &args[0] else {
        panic!("{args:?}")
    };
    match operation {
        "dom" => V::Set(m.keys().copied().collect()),
        "values" => V::Set(m.values().copied().collect()),
        "get" => V::Int(m.get(&int(&args[1])).copied().unwrap_or(0)),
        "put" => {
            let mut m = m.clone();
            m.insert(int(&args[1]), int(&args[2]));
            V::Map(m)
        }
        "merge" => match &args[1] {
            V::Map(n) => V::Map(m.iter().chain(n).map(|(k, v)| (*k, *v)).collect()),
            other => panic!("{other:?}"),
        },
        "minus" => match &args[1] {
            V::Set(s) => V::Map(
                m.iter()
                    .filter(|(k, _)| !s.contains(k))
                    .map(|(k, v)| (*k, *v))
                    .collect(),
            ),
            other => panic!("{other:?}"),
        },
        "eq" => V::Bool(args[0] == args[1]),
        "card" => V::Int(m.len() as i64),
        other => panic!("no model of Map.{other}"),
    }
}

fn int_chunks() -> Vec<Chunk> {
    let i = || "int".to_owned();
    vec![
        Chunk::Seq(i()),
        Chunk::SeqOf(i()),
        Chunk::Set(i()),
        Chunk::ISet(i()),
        Chunk::MultiSet(i()),
        Chunk::MultiSetOfSet(i()),
        Chunk::MultiSetOfSeq(i()),
        Chunk::Map(i(), i()),
        Chunk::IMap(i(), i()),
        Chunk::MapValues(i(), i()),
        Chunk::IMapValues(i(), i()),
    ]
}

/// Reads chunk texts and calls `visit` with every axiom.
fn axioms(texts: &[String], visit: &mut dyn FnMut(&Program, ExprId)) {
    let mut sources = SourceMap::new();
    let mut program = Program::default();
    for text in texts {
        let file = sources.add("chunk", text.as_str()).expect("room");
        let found = stet_boogie::parse(&mut program, &sources, file, &[]);
        assert!(found.is_empty(), "{found:?}");
    }
    for (_, axiom) in program.axioms.iter() {
        visit(&program, axiom.expr);
    }
}

#[test]
fn axioms_about_values_hold_in_a_plain_model() {
    let mut texts: Vec<String> = int_chunks().iter().map(Chunk::text).collect();
    texts.push(Chunk::ArraySeq("int".into()).text());
    texts.extend([Chunk::Product, Chunk::Quotient, Chunk::Remainder].map(|c| c.text()));
    let mut random = Random::new(7);
    let mut checked = 0;
    axioms(&texts, &mut |program, axiom| {
        let mut model = Model {
            program,
            values: Vec::new(),
        };
        let ExprKind::Binder(binder) = &program.exprs[axiom].kind else {
            assert!(boolean(&model.eval(axiom)), "an axiom without variables");
            return;
        };
        for _ in 0..300 {
            model.values.clear();
            for &var in &binder.vars {
                let sort = model.sort(var);
                let value = random.value(&sort);
                model.values.push((var, value));
            }
            let holds = boolean(&model.eval(binder.body));
            let text = stet_boogie::print::expr_text(program, axiom);
            assert!(holds, "{text}\nis false with {:?}", model.values);
            checked += 1;
        }
    });
    assert!(checked > 25_000, "{checked}");
}

#[test]
fn the_whole_prelude_is_a_program() {
    let mut chunks: BTreeSet<Chunk> = int_chunks().into_iter().collect();
    chunks.extend([
        Chunk::Fuel,
        Chunk::Product,
        Chunk::Quotient,
        Chunk::Remainder,
        Chunk::Heap,
        Chunk::ManyIndices,
        Chunk::Lengths,
        Chunk::Char,
        Chunk::Real,
        Chunk::Box("int".into()),
        Chunk::ArraySeq("int".into()),
        Chunk::Seq("$Seq$int".into()),
    ]);
    let mut sources = SourceMap::new();
    let mut program = Program::default();
    let file = sources.add("prelude", text(&chunks)).expect("room");
    let mut found = stet_boogie::parse(&mut program, &sources, file, &[]);
    let (resolved, more) = stet_boogie::resolve(&mut program);
    found.extend(more);
    found.extend(stet_boogie::typecheck(&mut program, resolved));
    assert!(found.is_empty(), "{found:?}");
}

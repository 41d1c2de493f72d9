//! Runs generated methods: what a run violates, no verifier may prove.
//!
//! Numbers are mathematical up to a bound, division is Euclidean, arrays and cells live in a heap and may be the same
//! object. Every expression is checked as Dafny checks it: indices, keys, divisors, destructors, preconditions of functions,
//! what may be changed, termination. A run that exceeds a bound says nothing.

use super::ast::{Expr, Method, Op, Stmt, Ty};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use stet_testkit::Random;

/// How many statements, iterations and calls a run may take.
const STEPS: usize = 20_000;
/// How far numbers may grow.
const BOUND: i128 = 1 << 80;

/// Why a run ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Something that a verifier must report.
    Violation(&'static str),
    /// The run is too large, or its input does not satisfy the preconditions.
    NoInformation,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Tree {
    Leaf,
    Node(Rc<Tree>, i128, Rc<Tree>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Int(i128),
    Bool(bool),
    Seq(Vec<i128>),
    Set(BTreeSet<i128>),
    Multiset(BTreeMap<i128, usize>),
    Map(BTreeMap<i128, i128>),
    Tree(Rc<Tree>),
    /// An array or a cell: its number in the heap.
    Object(usize),
}

type Result<T> = std::result::Result<T, Stop>;
const CONFUSED: Stop = Stop::NoInformation;

struct Run<'m> {
    method: &'m Method,
    vars: Vec<(String, Value)>,
    heap: Vec<Vec<i128>>,
    /// The heap at the entry, and the objects in it that may change.
    old: Vec<Vec<i128>>,
    writable: Vec<usize>,
    steps: usize,
}

/// Runs a method on an input chosen at random.
pub fn run(method: &Method, random: &mut Random) -> Result<()> {
    let mut run = Run {
        method,
        vars: Vec::new(),
        heap: Vec::new(),
        old: Vec::new(),
        writable: Vec::new(),
        steps: 0,
    };
    for (name, ty) in &method.params {
        let value = run.input(*ty, random);
        run.vars.push((name.clone(), value));
    }
    run.old = run.heap.clone();
    for condition in &method.requires {
        if !run.truth(condition)? {
            return Err(Stop::NoInformation);
        }
    }
    for name in &method.modifies {
        if let Value::Object(at) = run.var(name)? {
            run.writable.push(at);
        }
    }
    run.vars.push(("r".to_owned(), Value::Int(0)));
    run.block(&method.body)?;
    for condition in &method.ensures {
        if !run.truth(condition)? {
            return Err(Stop::Violation("postcondition"));
        }
    }
    Ok(())
}

fn small(random: &mut Random) -> i128 {
    match random.below(8) {
        0 => i128::from(random.below(41)) - 20,
        _ => i128::from(random.below(9)) - 3,
    }
}

fn smalls(random: &mut Random) -> Vec<i128> {
    let length = random.below(5);
    (0..length).map(|_| small(random)).collect()
}

fn tree(random: &mut Random, depth: usize) -> Rc<Tree> {
    if depth == 0 || random.one_in(3) {
        return Rc::new(Tree::Leaf);
    }
    let (left, right) = (tree(random, depth - 1), tree(random, depth - 1));
    Rc::new(Tree::Node(left, small(random), right))
}

fn bounded(n: Option<i128>) -> Result<Value> {
    match n {
        Some(n) if n.abs() < BOUND => Ok(Value::Int(n)),
        _ => Err(Stop::NoInformation),
    }
}

fn violation<T>(what: &'static str) -> Result<T> {
    Err(Stop::Violation(what))
}

fn place(at: i128, limit: usize, what: &'static str) -> Result<usize> {
    match usize::try_from(at) {
        Ok(at) if at < limit => Ok(at),
        _ => violation(what),
    }
}

impl Run<'_> {
    fn input(&mut self, ty: Ty, random: &mut Random) -> Value {
        match ty {
            Ty::Int => Value::Int(small(random)),
            Ty::Bool => Value::Bool(random.one_in(2)),
            Ty::Seq => Value::Seq(smalls(random)),
            Ty::Set => Value::Set(smalls(random).into_iter().collect()),
            Ty::Multiset => Value::Multiset(counted(&smalls(random))),
            Ty::Map => {
                let keys = smalls(random);
                Value::Map(keys.into_iter().map(|k| (k, small(random))).collect())
            }
            Ty::Tree => Value::Tree(tree(random, 3)),
            Ty::Array | Ty::Cell => {
                let same = self.vars.iter().find_map(|(name, value)| match value {
                    Value::Object(at) if self.has_type(name, ty) => Some(*at),
                    _ => None,
                });
                if let Some(at) = same
                    && random.one_in(2)
                {
                    return Value::Object(at);
                }
                let contents = match ty {
                    Ty::Cell => vec![small(random)],
                    _ => smalls(random),
                };
                self.heap.push(contents);
                Value::Object(self.heap.len() - 1)
            }
        }
    }

    fn has_type(&self, name: &str, ty: Ty) -> bool {
        let mut params = self.method.params.iter();
        params.any(|(n, t)| n == name && *t == ty)
    }

    fn var(&self, name: &str) -> Result<Value> {
        let found = self.vars.iter().rev().find(|(n, _)| n == name);
        found.map(|(_, value)| value.clone()).ok_or(CONFUSED)
    }

    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        match self.steps > STEPS {
            true => Err(Stop::NoInformation),
            false => Ok(()),
        }
    }

    fn block(&mut self, stmts: &[Stmt]) -> Result<()> {
        let outer = self.vars.len();
        for stmt in stmts {
            self.stmt(stmt)?;
        }
        self.vars.truncate(outer);
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        self.step()?;
        match stmt {
            Stmt::Var(name, _, e) => {
                let value = self.eval(e)?;
                self.vars.push((name.clone(), value));
            }
            Stmt::Assign(name, e) => {
                let value = self.eval(e)?;
                let slot = self.vars.iter_mut().rev().find(|(n, _)| n == name);
                slot.ok_or(CONFUSED)?.1 = value;
            }
            Stmt::SetElement(array, index, e) => {
                let at = self.object(&Expr::var(array))?;
                let index = self.int(index)?;
                let index = place(index, self.heap[at].len(), "index out of range")?;
                let value = self.int(e)?;
                self.may_write(at)?;
                self.heap[at][index] = value;
            }
            Stmt::SetField(cell, e) => {
                let at = self.object(&Expr::var(cell))?;
                let value = self.int(e)?;
                self.may_write(at)?;
                self.heap[at][0] = value;
            }
            Stmt::NewArray(name, length) => {
                let length = self.int(length)?;
                let length = place(length, usize::MAX, "array size may be negative")?;
                self.allocate(name, vec![0; length.min(1000)]);
            }
            Stmt::NewCell(name) => self.allocate(name, vec![0]),
            Stmt::Call(callee, target, argument) => self.call(callee, target.as_ref(), argument)?,
            Stmt::If(condition, then, otherwise) => {
                let taken = self.truth(condition)?;
                self.block(if taken { then } else { otherwise })?;
            }
            Stmt::While(condition, invariants, body) => self.repeat(condition, invariants, body)?,
            Stmt::Assert(e) => {
                if !self.truth(e)? {
                    return violation("assertion");
                }
            }
        }
        Ok(())
    }

    fn repeat(&mut self, condition: &Expr, invariants: &[Expr], body: &[Stmt]) -> Result<()> {
        for turn in 0.. {
            for invariant in invariants {
                if !self.truth(invariant)? {
                    return violation("invariant");
                }
            }
            if !self.truth(condition)? {
                break;
            }
            if turn > 200 {
                // Limits of loops are small: this one does not end.
                return violation("termination");
            }
            self.step()?;
            self.block(body)?;
        }
        Ok(())
    }

    fn allocate(&mut self, name: &str, contents: Vec<i128>) {
        self.heap.push(contents);
        let at = self.heap.len() - 1;
        self.writable.push(at);
        self.vars.push((name.to_owned(), Value::Object(at)));
    }

    fn may_write(&self, at: usize) -> Result<()> {
        match self.writable.contains(&at) {
            true => Ok(()),
            false => violation("modifies clause"),
        }
    }

    fn call(&mut self, callee: &str, target: Option<&String>, argument: &Expr) -> Result<()> {
        match (callee, target) {
            ("Increment", _) => {
                let at = self.object(argument)?;
                self.may_write(at)?;
                self.heap[at][0] += 1;
            }
            ("Clear", _) => {
                let at = self.object(argument)?;
                self.may_write(at)?;
                self.heap[at].fill(0);
            }
            ("Pick", Some(target)) => {
                let Value::Seq(s) = self.eval(argument)? else {
                    return Err(CONFUSED);
                };
                if s.is_empty() {
                    return violation("precondition");
                }
                // Any index satisfies the contract.
                let picked = (s.len() as i128).min(3) - 1;
                self.vars.push((target.clone(), Value::Int(picked)));
            }
            _ => return Err(CONFUSED),
        }
        Ok(())
    }

    fn int(&mut self, e: &Expr) -> Result<i128> {
        match self.eval(e)? {
            Value::Int(n) => Ok(n),
            _ => Err(CONFUSED),
        }
    }

    fn truth(&mut self, e: &Expr) -> Result<bool> {
        match self.eval(e)? {
            Value::Bool(b) => Ok(b),
            _ => Err(CONFUSED),
        }
    }

    fn object(&mut self, e: &Expr) -> Result<usize> {
        match self.eval(e)? {
            Value::Object(at) => Ok(at),
            _ => Err(CONFUSED),
        }
    }

    fn eval(&mut self, e: &Expr) -> Result<Value> {
        self.step()?;
        match e {
            Expr::Int(n) => Ok(Value::Int(i128::from(*n))),
            Expr::Bool(b) => Ok(Value::Bool(*b)),
            Expr::Leaf => Ok(Value::Tree(Rc::new(Tree::Leaf))),
            Expr::Var(name) => self.var(name),
            Expr::Op(op, args) => self.op(*op, args),
            Expr::Quantifier {
                all,
                var,
                range,
                body,
            } => {
                let (from, to) = (self.int(&range.0)?, self.int(&range.1)?);
                let mut found = *all;
                // The body is checked for the whole range, whatever it says about a part of it.
                for i in from..to {
                    self.step()?;
                    self.vars.push((var.clone(), Value::Int(i)));
                    let value = self.truth(body);
                    self.vars.pop();
                    if value? != *all {
                        found = !*all;
                    }
                }
                Ok(Value::Bool(found))
            }
        }
    }

    fn op(&mut self, op: Op, args: &[Expr]) -> Result<Value> {
        // Operators that do not look at all their arguments.
        match (op, args) {
            (Op::And, [a, b]) => return Ok(Value::Bool(self.truth(a)? && self.truth(b)?)),
            (Op::Or, [a, b]) => return Ok(Value::Bool(self.truth(a)? || self.truth(b)?)),
            (Op::Implies, [a, b]) => return Ok(Value::Bool(!self.truth(a)? || self.truth(b)?)),
            (Op::Ite, [c, a, b]) => {
                return match self.truth(c)? {
                    true => self.eval(a),
                    false => self.eval(b),
                };
            }
            (Op::Old, [a]) => {
                let now = std::mem::replace(&mut self.heap, self.old.clone());
                let value = self.eval(a);
                self.heap = now;
                return value;
            }
            _ => {}
        }
        let values: Vec<Value> = args.iter().map(|a| self.eval(a)).collect::<Result<_>>()?;
        match op {
            Op::ArrayLength | Op::Elements | Op::Field => self.read(op, &values),
            Op::Index if matches!(values[..], [Value::Object(_), _]) => self.read(op, &values),
            Op::Display(ty) => display(ty, &values),
            Op::MapDisplay => {
                let numbers = numbers(&values)?;
                let pairs = numbers.chunks_exact(2).map(|p| (p[0], p[1]));
                Ok(Value::Map(pairs.collect()))
            }
            Op::Call(name) => function(name, &values),
            _ => plain(op, &values),
        }
    }

    fn read(&self, op: Op, values: &[Value]) -> Result<Value> {
        let Some(Value::Object(at)) = values.first() else {
            return Err(CONFUSED);
        };
        // An object that the old heap does not have cannot be asked for its old contents.
        let Some(contents) = self.heap.get(*at) else {
            return violation("allocation");
        };
        match (op, values) {
            (Op::ArrayLength, _) => Ok(Value::Int(contents.len() as i128)),
            (Op::Elements, _) => Ok(Value::Seq(contents.clone())),
            (Op::Field, _) => Ok(Value::Int(contents[0])),
            (_, [_, Value::Int(i)]) => {
                let at = place(*i, contents.len(), "index out of range")?;
                Ok(Value::Int(contents[at]))
            }
            _ => Err(CONFUSED),
        }
    }
}

fn numbers(values: &[Value]) -> Result<Vec<i128>> {
    let number = |v: &Value| match v {
        Value::Int(n) => Ok(*n),
        _ => Err(CONFUSED),
    };
    values.iter().map(number).collect()
}

fn counted(items: &[i128]) -> BTreeMap<i128, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(*item).or_default() += 1;
    }
    counts
}

fn display(ty: Ty, values: &[Value]) -> Result<Value> {
    let items = numbers(values)?;
    Ok(match ty {
        Ty::Set => Value::Set(items.into_iter().collect()),
        Ty::Multiset => Value::Multiset(counted(&items)),
        _ => Value::Seq(items),
    })
}

fn plain(op: Op, values: &[Value]) -> Result<Value> {
    use Value::{Bool, Int, Map, Multiset, Seq, Set};
    Ok(match (op, values) {
        (Op::Eq | Op::Iff, [a, b]) => Bool(a == b),
        (Op::Neq, [a, b]) => Bool(a != b),
        (Op::Not, [Bool(a)]) => Bool(!a),
        (Op::Add, [Int(a), Int(b)]) => return bounded(a.checked_add(*b)),
        (Op::Sub, [Int(a), Int(b)]) => return bounded(a.checked_sub(*b)),
        (Op::Mul, [Int(a), Int(b)]) => return bounded(a.checked_mul(*b)),
        (Op::Div | Op::Mod, [_, Int(0)]) => return violation("division by zero"),
        (Op::Div, [Int(a), Int(b)]) => Int(a.div_euclid(*b)),
        (Op::Mod, [Int(a), Int(b)]) => Int(a.rem_euclid(*b)),
        (Op::Lt, [Int(a), Int(b)]) => Bool(a < b),
        (Op::Le, [Int(a), Int(b)]) => Bool(a <= b),
        (Op::Length, [Seq(s)]) => Int(s.len() as i128),
        (Op::Length, [Set(s)]) => Int(s.len() as i128),
        (Op::Length, [Multiset(s)]) => Int(s.values().sum::<usize>() as i128),
        (Op::Length, [Map(m)]) => Int(m.len() as i128),
        (Op::Index, [Seq(s), Int(i)]) => Int(s[place(*i, s.len(), "index out of range")?]),
        (Op::Index, [Map(m), Int(k)]) => match m.get(k) {
            Some(v) => Int(*v),
            None => return violation("key not in map"),
        },
        (Op::Index, [Multiset(m), Int(k)]) => Int(m.get(k).copied().unwrap_or(0) as i128),
        (Op::Take, [Seq(s), Int(i)]) => Seq(s[..place(*i, s.len() + 1, "slice")?].to_vec()),
        (Op::Drop, [Seq(s), Int(i)]) => Seq(s[place(*i, s.len() + 1, "slice")?..].to_vec()),
        (Op::Update, [Seq(s), Int(i), Int(v)]) => {
            let (mut s, at) = (s.clone(), place(*i, s.len(), "index out of range")?);
            s[at] = *v;
            Seq(s)
        }
        (Op::Update, [Map(m), Int(k), Int(v)]) => {
            let mut m = m.clone();
            m.insert(*k, *v);
            Map(m)
        }
        (Op::Concat, [Seq(a), Seq(b)]) => Seq([&a[..], &b[..]].concat()),
        (Op::MultisetOf, [Seq(s)]) => Multiset(counted(s)),
        (Op::In, [Int(x), Seq(s)]) => Bool(s.contains(x)),
        (Op::In, [Int(x), Set(s)]) => Bool(s.contains(x)),
        (Op::In, [Int(x), Map(m)]) => Bool(m.contains_key(x)),
        (Op::In, [Int(x), Multiset(m)]) => Bool(m.contains_key(x)),
        (_, [Set(a), Set(b)]) => sets(op, a, b)?,
        (_, [Multiset(a), Multiset(b)]) => multisets(op, a, b)?,
        _ => return trees(op, values),
    })
}

fn sets(op: Op, a: &BTreeSet<i128>, b: &BTreeSet<i128>) -> Result<Value> {
    Ok(match op {
        Op::Union => Value::Set(a | b),
        Op::Intersection => Value::Set(a & b),
        Op::Difference => Value::Set(a - b),
        Op::Subset => Value::Bool(a.is_subset(b)),
        _ => return Err(CONFUSED),
    })
}

fn multisets(op: Op, a: &BTreeMap<i128, usize>, b: &BTreeMap<i128, usize>) -> Result<Value> {
    let count = |m: &BTreeMap<i128, usize>, x: &i128| m.get(x).copied().unwrap_or(0);
    let keys: BTreeSet<i128> = a.keys().chain(b.keys()).copied().collect();
    let made = |f: &dyn Fn(usize, usize) -> usize| {
        let pairs = keys.iter().map(|k| (*k, f(count(a, k), count(b, k))));
        Value::Multiset(pairs.filter(|(_, n)| *n > 0).collect())
    };
    Ok(match op {
        Op::Union => made(&|x, y| x + y),
        Op::Intersection => made(&usize::min),
        Op::Difference => made(&usize::saturating_sub),
        Op::Subset => Value::Bool(keys.iter().all(|k| count(a, k) <= count(b, k))),
        _ => return Err(CONFUSED),
    })
}

fn trees(op: Op, values: &[Value]) -> Result<Value> {
    Ok(match (op, values) {
        (Op::Node, [Value::Tree(l), Value::Int(v), Value::Tree(r)]) => {
            Value::Tree(Rc::new(Tree::Node(l.clone(), *v, r.clone())))
        }
        (Op::IsNode, [Value::Tree(t)]) => Value::Bool(**t != Tree::Leaf),
        (_, [Value::Tree(t)]) => match (op, &**t) {
            (_, Tree::Leaf) => return violation("destructor"),
            (Op::Left, Tree::Node(l, _, _)) => Value::Tree(l.clone()),
            (Op::Right, Tree::Node(_, _, r)) => Value::Tree(r.clone()),
            (Op::Value, Tree::Node(_, v, _)) => Value::Int(*v),
            _ => return Err(CONFUSED),
        },
        _ => return Err(CONFUSED),
    })
}

/// The functions of the header.
fn function(name: &str, values: &[Value]) -> Result<Value> {
    match (name, values) {
        ("Sum", [Value::Seq(s)]) => bounded(s.iter().try_fold(0_i128, |a, b| a.checked_add(*b))),
        ("Size", [Value::Tree(t)]) => Ok(Value::Int(size(t))),
        ("Mirror", [Value::Tree(t)]) => Ok(Value::Tree(mirror(t))),
        ("Triangle", [Value::Int(n)]) if *n < 0 => violation("precondition"),
        ("Triangle", [Value::Int(n)]) => bounded(n.checked_mul(n + 1).map(|p| p / 2)),
        ("Sorted", [Value::Seq(s)]) => Ok(Value::Bool(s.is_sorted())),
        _ => Err(CONFUSED),
    }
}

fn size(tree: &Tree) -> i128 {
    match tree {
        Tree::Leaf => 0,
        Tree::Node(l, _, r) => size(l) + 1 + size(r),
    }
}

fn mirror(tree: &Rc<Tree>) -> Rc<Tree> {
    match &**tree {
        Tree::Leaf => tree.clone(),
        Tree::Node(l, v, r) => Rc::new(Tree::Node(mirror(r), *v, mirror(l))),
    }
}

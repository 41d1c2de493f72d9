//! Methods made at random: most assertions hold, because they are instances of laws or survived many runs.

use super::ast::{Expr, Method, Op, Stmt, Ty};
use super::execute::{Stop, run};
use stet_testkit::Random;

const VALUES: [Ty; 7] = [
    Ty::Int,
    Ty::Int,
    Ty::Bool,
    Ty::Seq,
    Ty::Set,
    Ty::Map,
    Ty::Tree,
];

pub struct Generator {
    random: Random,
    /// Variables in scope; those after the parameters are local.
    scope: Vec<(String, Ty)>,
    params: usize,
    names: usize,
}

/// A method; a part of its assertions is wrong.
pub fn method(name: String, seed: u64) -> Method {
    let mut generator = Generator {
        random: Random::new(seed),
        scope: Vec::new(),
        params: 0,
        names: 0,
    };
    generator.method(name)
}

/// Whether no run of a method violates anything: `None` if too few runs say something.
pub fn survives(method: &Method, seed: u64, runs: usize) -> Option<bool> {
    let mut random = Random::new(seed);
    let mut informative = 0;
    for _ in 0..runs {
        match run(method, &mut random) {
            Ok(()) => informative += 1,
            Err(Stop::Violation(_)) => return Some(false),
            Err(Stop::NoInformation) => {}
        }
    }
    (informative * 20 > runs).then_some(true)
}

fn int(n: i64) -> Expr {
    Expr::Int(n)
}

impl Generator {
    fn method(&mut self, name: String) -> Method {
        let mut method = Method {
            name,
            params: Vec::new(),
            requires: Vec::new(),
            modifies: Vec::new(),
            ensures: Vec::new(),
            body: Vec::new(),
        };
        let tys = [Ty::Int, Ty::Int, Ty::Bool, Ty::Seq, Ty::Seq, Ty::Set];
        let more = [Ty::Map, Ty::Tree, Ty::Array, Ty::Array, Ty::Cell, Ty::Cell];
        for (i, ty) in tys.into_iter().chain(more).enumerate() {
            if i < 2 || self.random.one_in(2) {
                method.params.push((format!("p{i}"), ty));
            }
        }
        self.scope = method.params.clone();
        self.params = self.scope.len();
        for _ in 0..self.random.below(3) {
            let condition = self.precondition();
            method.requires.push(condition);
        }
        for (name, ty) in &method.params {
            if matches!(ty, Ty::Array | Ty::Cell) && !self.random.one_in(3) {
                method.modifies.push(name.clone());
            }
        }
        self.scope.push(("r".to_owned(), Ty::Int));
        let mut left = 3 + self.random.below(6);
        while left > 0 {
            left -= 1;
            let stmts = self.stmt(2);
            self.add(&mut method, stmts);
        }
        let facts = 1 + self.random.below(3);
        for _ in 0..facts {
            self.fact_at_end(&mut method);
        }
        method
    }

    /// Adds statements; if runs violate something then, they are mostly left out again.
    fn add(&mut self, method: &mut Method, stmts: Vec<Stmt>) {
        let before = method.body.len();
        method.body.extend(stmts);
        let seed = self.random.bits();
        if survives(method, seed, 80) != Some(true) && !self.random.one_in(12) {
            method.body.truncate(before);
            let declared = |name: &str| {
                method.body.iter().any(|stmt| match stmt {
                    Stmt::Var(n, ..) | Stmt::NewArray(n, _) | Stmt::NewCell(n) => n == name,
                    Stmt::Call(_, Some(n), _) => n == name,
                    _ => false,
                })
            };
            let params = self.params;
            let mut at = 0;
            self.scope.retain(|(name, _)| {
                at += 1;
                at <= params || name == "r" || declared(name)
            });
        }
    }

    /// An assertion or a postcondition at the end.
    fn fact_at_end(&mut self, method: &mut Method) {
        for _ in 0..12 {
            let is_post = self.random.one_in(3);
            let locals = self.scope.clone();
            if is_post {
                let params = self.params;
                let mut at = 0;
                self.scope.retain(|(name, _)| {
                    at += 1;
                    at <= params || name == "r"
                });
            }
            let fact = self.fact();
            self.scope = locals;
            let mut tried = method.clone();
            match is_post {
                true => tried.ensures.push(fact),
                false => tried.body.push(Stmt::Assert(fact)),
            }
            let seed = self.random.bits();
            if survives(&tried, seed, 120) == Some(true) || self.random.one_in(16) {
                *method = tried;
                return;
            }
        }
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// Conditions whose well-formedness is plain.
    fn precondition(&mut self) -> Expr {
        let length = match self.random.below(2) {
            0 => self.pick(Ty::Seq).map(|s| Expr::op(Op::Length, [s])),
            _ => self.pick(Ty::Array).map(|a| Expr::op(Op::ArrayLength, [a])),
        };
        match (self.random.below(4), length) {
            (0 | 1, Some(length)) => Expr::op(Op::Lt, [int(1), length]),
            (2, Some(length)) => {
                let index = self.pick(Ty::Int).unwrap_or(int(0));
                let low = Expr::op(Op::Le, [int(0), index.clone()]);
                Expr::op(Op::And, [low, Expr::op(Op::Lt, [index, length])])
            }
            _ => {
                let x = self.pick(Ty::Int).unwrap_or(int(0));
                let n = self.random.below(3) as i64;
                Expr::op(Op::Le, [int(n), x])
            }
        }
    }

    fn pick(&mut self, ty: Ty) -> Option<Expr> {
        let of_type: Vec<&(String, Ty)> = self.scope.iter().filter(|(_, t)| *t == ty).collect();
        if of_type.is_empty() {
            return None;
        }
        Some(Expr::var(&self.random.pick(&of_type).0))
    }

    fn pick_local(&mut self, ty: Ty) -> Option<String> {
        let locals = &self.scope[self.params..];
        let of_type: Vec<&(String, Ty)> = locals.iter().filter(|(_, t)| *t == ty).collect();
        if of_type.is_empty() {
            return None;
        }
        Some(self.random.pick(&of_type).0.clone())
    }

    fn name(&mut self, ty: Ty) -> Option<String> {
        match self.pick(ty)? {
            Expr::Var(name) => Some(name),
            _ => None,
        }
    }

    fn stmt(&mut self, depth: usize) -> Vec<Stmt> {
        let made = match self.random.below(14) {
            0..=2 => None,
            3 | 4 => {
                let ty = self.random.pick(&VALUES);
                let e = self.expr(ty, 3);
                self.pick_local(ty).map(|name| Stmt::Assign(name, e))
            }
            5 | 6 => {
                let (index, e) = (self.expr(Ty::Int, 1), self.expr(Ty::Int, 2));
                self.name(Ty::Array).map(|a| Stmt::SetElement(a, index, e))
            }
            7 => {
                let e = self.expr(Ty::Int, 2);
                self.name(Ty::Cell).map(|c| Stmt::SetField(c, e))
            }
            8 => self.creation(),
            9 | 10 => self.call(),
            11 if depth > 0 => return self.branch(depth),
            12 if depth > 0 => return self.repetition(),
            _ => Some(Stmt::Assert(self.fact())),
        };
        vec![made.unwrap_or_else(|| self.declaration())]
    }

    fn declaration(&mut self) -> Stmt {
        let ty = self.random.pick(&VALUES);
        let e = self.expr(ty, 3);
        let name = self.fresh();
        self.scope.push((name.clone(), ty));
        Stmt::Var(name, ty, e)
    }

    fn creation(&mut self) -> Option<Stmt> {
        let name = self.fresh();
        if self.random.one_in(2) {
            self.scope.push((name.clone(), Ty::Cell));
            return Some(Stmt::NewCell(name));
        }
        let length = self.random.below(4) as i64;
        self.scope.push((name.clone(), Ty::Array));
        Some(Stmt::NewArray(name, int(length)))
    }

    fn call(&mut self) -> Option<Stmt> {
        match self.random.below(3) {
            0 => self
                .pick(Ty::Cell)
                .map(|c| Stmt::Call("Increment", None, c)),
            1 => self.pick(Ty::Array).map(|a| Stmt::Call("Clear", None, a)),
            _ => {
                let s = self.expr(Ty::Seq, 2);
                let name = self.fresh();
                self.scope.push((name.clone(), Ty::Int));
                Some(Stmt::Call("Pick", Some(name), s))
            }
        }
    }

    fn branch(&mut self, depth: usize) -> Vec<Stmt> {
        let condition = self.expr(Ty::Bool, 2);
        let outer = self.scope.len();
        let mut arms = Vec::new();
        for _ in 0..2 {
            let mut arm = Vec::new();
            for _ in 0..self.random.below(3) {
                arm.extend(self.stmt(depth - 1));
            }
            self.scope.truncate(outer);
            arms.push(arm);
        }
        let otherwise = arms.pop().unwrap_or_default();
        let then = arms.pop().unwrap_or_default();
        vec![Stmt::If(condition, then, otherwise)]
    }

    /// A loop that counts up to a length or a number, with some invariants.
    fn repetition(&mut self) -> Vec<Stmt> {
        let limit = match self.random.below(3) {
            0 => self.pick(Ty::Seq).map(|s| Expr::op(Op::Length, [s])),
            1 => self.pick(Ty::Array).map(|a| Expr::op(Op::ArrayLength, [a])),
            _ => None,
        };
        let limit = limit.unwrap_or(int(self.random.below(5) as i64));
        let (i, sum) = (self.fresh(), self.fresh());
        let start = [(&i, Ty::Int), (&sum, Ty::Int)];
        let mut made: Vec<Stmt> = start
            .map(|(name, ty)| Stmt::Var(name.clone(), ty, int(0)))
            .into();
        self.scope.push((i.clone(), Ty::Int));
        self.scope.push((sum.clone(), Ty::Int));
        let outer = self.scope.len();
        let (count, total) = (Expr::var(&i), Expr::var(&sum));
        let mut body = Vec::new();
        let mut invariants = vec![Expr::op(
            Op::And,
            [
                Expr::op(Op::Le, [int(0), count.clone()]),
                Expr::op(Op::Le, [count.clone(), limit.clone()]),
            ],
        )];
        let factor = self.random.below(4) as i64;
        let step = match self.random.below(3) {
            0 => count.clone(),
            _ => int(factor),
        };
        let product = Expr::op(Op::Mul, [int(factor), count.clone()]);
        if !self.random.one_in(3) {
            invariants.push(Expr::op(Op::Eq, [total.clone(), product]));
        }
        body.push(Stmt::Assign(sum, Expr::op(Op::Add, [total, step])));
        if self.random.one_in(2)
            && let Some(a) = self.name(Ty::Array)
        {
            let e = self.expr(Ty::Int, 1);
            body.push(Stmt::SetElement(a.clone(), count.clone(), e.clone()));
            let element = Expr::op(Op::Index, [Expr::var(&a), Expr::var("k")]);
            invariants.push(Expr::Quantifier {
                all: true,
                var: "k".to_owned(),
                range: Box::new((int(0), count.clone())),
                body: Box::new(Expr::op(Op::Eq, [element, e])),
            });
        }
        if self.random.one_in(3) {
            body.extend(self.stmt(0));
        }
        self.scope.truncate(outer);
        if !self.random.one_in(20) {
            body.push(Stmt::Assign(i, Expr::op(Op::Add, [count.clone(), int(1)])));
        }
        made.push(Stmt::While(
            Expr::op(Op::Lt, [count, limit]),
            invariants,
            body,
        ));
        made
    }

    /// Something to assert: an instance of a law, or a relation.
    fn fact(&mut self) -> Expr {
        match self.random.below(8) {
            0..=2 => self.law(),
            3 => self.quantified(),
            4 => {
                // What was not changed has its old value.
                let e = match self.random.below(2) {
                    0 => self.param(Ty::Cell).map(|c| Expr::op(Op::Field, [c])),
                    _ => self.param(Ty::Array).map(|a| Expr::op(Op::Elements, [a])),
                };
                let Some(e) = e else { return self.law() };
                Expr::op(Op::Eq, [e.clone(), Expr::op(Op::Old, [e])])
            }
            _ => self.expr(Ty::Bool, 3),
        }
    }

    fn param(&mut self, ty: Ty) -> Option<Expr> {
        let params = &self.scope[..self.params];
        let of_type: Vec<&(String, Ty)> = params.iter().filter(|(_, t)| *t == ty).collect();
        if of_type.is_empty() {
            return None;
        }
        Some(Expr::var(&self.random.pick(&of_type).0))
    }

    fn quantified(&mut self) -> Expr {
        let s = self.expr(Ty::Seq, 1);
        let element = Expr::op(Op::Index, [s.clone(), Expr::var("k")]);
        let all = self.random.one_in(2);
        let other = self.expr(Ty::Int, 1);
        let body = match self.random.below(4) {
            0 => Expr::op(Op::In, [element, s.clone()]),
            1 => Expr::op(Op::Eq, [element, other]),
            2 => Expr::op(Op::Le, [element, other]),
            _ => Expr::op(Op::Neq, [element, other]),
        };
        let q = Expr::Quantifier {
            all,
            var: "k".to_owned(),
            range: Box::new((int(0), Expr::op(Op::Length, [s.clone()]))),
            body: Box::new(body),
        };
        match self.random.below(3) {
            0 => {
                let x = self.expr(Ty::Int, 1);
                Expr::op(Op::Implies, [Expr::op(Op::In, [x, s]), q])
            }
            1 => Expr::op(Op::Implies, [self.expr(Ty::Bool, 1), q]),
            _ => q,
        }
    }

    /// An equation or inclusion that holds for all values, where it is well-formed.
    fn law(&mut self) -> Expr {
        let (s, t) = (self.expr(Ty::Seq, 2), self.expr(Ty::Seq, 1));
        let (x, y) = (self.expr(Ty::Int, 1), self.expr(Ty::Int, 1));
        let (a, b) = (self.expr(Ty::Set, 2), self.expr(Ty::Set, 1));
        let (m, tree) = (self.expr(Ty::Map, 1), self.expr(Ty::Tree, 2));
        let len = |e: &Expr| Expr::op(Op::Length, [e.clone()]);
        let two = |op, a: &Expr, b: &Expr| Expr::op(op, [a.clone(), b.clone()]);
        let eq = |a: Expr, b: Expr| Expr::op(Op::Eq, [a, b]);
        let joined = two(Op::Concat, &s, &t);
        let call = |name, e: Expr| Expr::op(Op::Call(name), [e]);
        match self.random.below(22) {
            0 => eq(len(&joined), two(Op::Add, &len(&s), &len(&t))),
            1 => eq(Expr::op(Op::Take, [joined, len(&s)]), s),
            2 => eq(Expr::op(Op::Drop, [joined, len(&s)]), t),
            3 => {
                let parts = [two(Op::Take, &s, &x), two(Op::Drop, &s, &x)];
                eq(Expr::op(Op::Concat, parts), s)
            }
            4 => eq(two(Op::Union, &a, &b), two(Op::Union, &b, &a)),
            5 => Expr::op(Op::Subset, [two(Op::Intersection, &a, &b), b]),
            6 => eq(
                two(Op::Intersection, &two(Op::Difference, &a, &b), &b),
                Expr::op(Op::Display(Ty::Set), []),
            ),
            7 => {
                let sum = two(
                    Op::Add,
                    &len(&two(Op::Union, &a, &b)),
                    &len(&two(Op::Intersection, &a, &b)),
                );
                eq(sum, two(Op::Add, &len(&a), &len(&b)))
            }
            8 => {
                let updated = Expr::op(Op::Update, [m, x.clone(), y.clone()]);
                eq(two(Op::Index, &updated, &x), y)
            }
            9 => {
                let updated = Expr::op(Op::Update, [m.clone(), x.clone(), y]);
                let z = self.expr(Ty::Int, 0);
                let there = two(Op::In, &z, &m);
                let old_value = eq(two(Op::Index, &updated, &z), two(Op::Index, &m, &z));
                let guard = Expr::op(Op::And, [there, Expr::op(Op::Neq, [z, x])]);
                Expr::op(Op::Implies, [guard, old_value])
            }
            10 => {
                let updated = Expr::op(Op::Update, [s, x.clone(), y.clone()]);
                eq(two(Op::Index, &updated, &x), y)
            }
            11 => eq(call("Mirror", call("Mirror", tree.clone())), tree),
            12 => eq(
                call("Size", call("Mirror", tree.clone())),
                call("Size", tree),
            ),
            13 => {
                let node = Expr::op(Op::Node, [tree.clone(), x, Expr::Leaf]);
                eq(
                    call("Size", node),
                    two(Op::Add, &call("Size", tree), &int(1)),
                )
            }
            14 => {
                let one = Expr::op(Op::Display(Ty::Seq), [x.clone()]);
                eq(
                    call("Sum", two(Op::Concat, &one, &s)),
                    two(Op::Add, &x, &call("Sum", s)),
                )
            }
            15 => {
                let bags = [&s, &t].map(|q| Expr::op(Op::MultisetOf, [q.clone()]));
                eq(
                    Expr::op(Op::MultisetOf, [joined]),
                    Expr::op(Op::Union, bags),
                )
            }
            16 => eq(len(&Expr::op(Op::MultisetOf, [s.clone()])), len(&s)),
            17 => {
                let parts = two(Op::Mul, &y, &two(Op::Div, &x, &y));
                eq(two(Op::Add, &parts, &two(Op::Mod, &x, &y)), x)
            }
            18 => Expr::op(Op::Le, [int(0), two(Op::Mod, &x, &y)]),
            19 => {
                let n = self.random.below(4) as i64;
                eq(call("Triangle", int(n)), int(n * (n + 1) / 2))
            }
            20 => {
                let member = two(Op::In, &x, &joined);
                let either = Expr::op(Op::Or, [two(Op::In, &x, &s), two(Op::In, &x, &t)]);
                Expr::op(Op::Iff, [member, either])
            }
            _ => {
                let implied = Expr::op(
                    Op::Le,
                    [two(Op::Index, &s, &int(0)), two(Op::Index, &s, &int(1))],
                );
                let guard = Expr::op(
                    Op::And,
                    [
                        call("Sorted", s.clone()),
                        Expr::op(Op::Lt, [int(1), len(&s)]),
                    ],
                );
                Expr::op(Op::Implies, [guard, implied])
            }
        }
    }

    fn expr(&mut self, ty: Ty, depth: usize) -> Expr {
        if (depth == 0 || self.random.one_in(3))
            && !self.random.one_in(6)
            && let Some(var) = self.pick(ty)
        {
            return var;
        }
        let deeper = depth.saturating_sub(1);
        if depth > 1 && self.random.one_in(8) {
            let condition = self.expr(Ty::Bool, 1);
            return Expr::op(
                Op::Ite,
                [condition, self.expr(ty, deeper), self.expr(ty, deeper)],
            );
        }
        match ty {
            Ty::Int => self.number(depth),
            Ty::Bool => self.condition(depth),
            Ty::Seq => self.sequence(depth),
            Ty::Map => self.map(depth),
            Ty::Tree => self.tree(depth),
            _ => self.set(depth),
        }
    }

    fn number(&mut self, depth: usize) -> Expr {
        let constant = int(self.random.below(6) as i64 - 1);
        if depth == 0 {
            return constant;
        }
        let d = depth - 1;
        let made = match self.random.below(14) {
            0..=2 => Some(Expr::op(
                Op::Add,
                [self.expr(Ty::Int, d), self.expr(Ty::Int, d)],
            )),
            3 => Some(Expr::op(
                Op::Sub,
                [self.expr(Ty::Int, d), self.expr(Ty::Int, d)],
            )),
            4 => Some(Expr::op(
                Op::Mul,
                [int(self.random.below(4) as i64), self.expr(Ty::Int, d)],
            )),
            5 => {
                let op = self.random.pick(&[Op::Div, Op::Mod]);
                Some(Expr::op(
                    op,
                    [self.expr(Ty::Int, d), int(1 + self.random.below(4) as i64)],
                ))
            }
            6 => Some(Expr::op(Op::Length, [self.expr(Ty::Seq, d)])),
            7 => Some(Expr::op(Op::Length, [self.expr(Ty::Set, d)])),
            8 => Some(Expr::op(
                Op::Index,
                [self.expr(Ty::Seq, d), self.expr(Ty::Int, d)],
            )),
            9 => self.pick(Ty::Array).map(|a| Expr::op(Op::ArrayLength, [a])),
            10 => {
                let index = self.expr(Ty::Int, d);
                self.pick(Ty::Array)
                    .map(|a| Expr::op(Op::Index, [a, index]))
            }
            11 => self.pick(Ty::Cell).map(|c| Expr::op(Op::Field, [c])),
            12 => {
                let (m, k) = (self.expr(Ty::Map, d), self.expr(Ty::Int, d));
                let there = Expr::op(Op::In, [k.clone(), m.clone()]);
                Some(Expr::op(
                    Op::Ite,
                    [there, Expr::op(Op::Index, [m, k]), int(0)],
                ))
            }
            _ => None,
        };
        made.unwrap_or(constant)
    }

    fn condition(&mut self, depth: usize) -> Expr {
        let d = depth.saturating_sub(1);
        let relation = match self.random.below(4) {
            0 => Op::Lt,
            1 => Op::Le,
            2 => Op::Eq,
            _ => Op::Neq,
        };
        match self.random.below(12) {
            0 if depth > 0 => Expr::op(Op::And, [self.expr(Ty::Bool, d), self.expr(Ty::Bool, d)]),
            1 if depth > 0 => Expr::op(Op::Or, [self.expr(Ty::Bool, d), self.expr(Ty::Bool, d)]),
            2 | 3 if depth > 0 => Expr::op(
                Op::Implies,
                [self.expr(Ty::Bool, d), self.expr(Ty::Bool, d)],
            ),
            4 if depth > 0 => Expr::op(Op::Not, [self.expr(Ty::Bool, d)]),
            5 => {
                let ty = self.random.pick(&[Ty::Seq, Ty::Set, Ty::Map]);
                Expr::op(Op::In, [self.expr(Ty::Int, d), self.expr(ty, d)])
            }
            6 => {
                let ty = self.random.pick(&[Ty::Seq, Ty::Set, Ty::Map, Ty::Tree]);
                Expr::op(Op::Eq, [self.expr(ty, d), self.expr(ty, d)])
            }
            7 => Expr::op(Op::Subset, [self.expr(Ty::Set, d), self.expr(Ty::Set, d)]),
            8 => Expr::op(Op::IsNode, [self.expr(Ty::Tree, d)]),
            9 => {
                let ty = self.random.pick(&[Ty::Array, Ty::Cell]);
                match (self.pick(ty), self.pick(ty)) {
                    (Some(a), Some(b)) => Expr::op(Op::Eq, [a, b]),
                    _ => Expr::Bool(true),
                }
            }
            _ => Expr::op(relation, [self.expr(Ty::Int, d), self.expr(Ty::Int, d)]),
        }
    }

    fn sequence(&mut self, depth: usize) -> Expr {
        let d = depth.saturating_sub(1);
        // An empty display does not tell the type of its elements everywhere.
        let items: Vec<Expr> = (0..=self.random.below(2))
            .map(|_| self.expr(Ty::Int, 0))
            .collect();
        match self.random.below(6) {
            0 | 1 if depth > 0 => {
                Expr::op(Op::Concat, [self.expr(Ty::Seq, d), self.expr(Ty::Seq, d)])
            }
            2 if depth > 0 => Expr::op(Op::Take, [self.expr(Ty::Seq, d), self.expr(Ty::Int, 0)]),
            3 if depth > 0 => Expr::op(Op::Drop, [self.expr(Ty::Seq, d), self.expr(Ty::Int, 0)]),
            4 => match self.pick(Ty::Array) {
                Some(a) => Expr::op(Op::Elements, [a]),
                None => Expr::op(Op::Display(Ty::Seq), items),
            },
            _ => Expr::op(Op::Display(Ty::Seq), items),
        }
    }

    fn set(&mut self, depth: usize) -> Expr {
        let d = depth.saturating_sub(1);
        let items: Vec<Expr> = (0..=self.random.below(2))
            .map(|_| self.expr(Ty::Int, 0))
            .collect();
        let op = self
            .random
            .pick(&[Op::Union, Op::Union, Op::Intersection, Op::Difference]);
        match depth > 0 && self.random.one_in(2) {
            true => Expr::op(op, [self.expr(Ty::Set, d), self.expr(Ty::Set, d)]),
            false => Expr::op(Op::Display(Ty::Set), items),
        }
    }

    fn map(&mut self, depth: usize) -> Expr {
        if depth > 0 && self.random.one_in(2) {
            let (m, k, v) = (
                self.expr(Ty::Map, depth - 1),
                self.expr(Ty::Int, 0),
                self.expr(Ty::Int, 0),
            );
            return Expr::op(Op::Update, [m, k, v]);
        }
        let (k, v) = (self.random.below(4) as i64, self.expr(Ty::Int, 0));
        Expr::op(Op::MapDisplay, [int(k), v])
    }

    fn tree(&mut self, depth: usize) -> Expr {
        let d = depth.saturating_sub(1);
        match self.random.below(4) {
            0 if depth > 0 => {
                let t = self.expr(Ty::Tree, d);
                let is_node = Expr::op(Op::IsNode, [t.clone()]);
                let op = self.random.pick(&[Op::Left, Op::Right]);
                Expr::op(Op::Ite, [is_node, Expr::op(op, [t]), Expr::Leaf])
            }
            1 | 2 if depth > 0 => {
                let (l, v, r) = (
                    self.expr(Ty::Tree, d),
                    self.expr(Ty::Int, 0),
                    self.expr(Ty::Tree, d),
                );
                Expr::op(Op::Node, [l, v, r])
            }
            _ => Expr::Leaf,
        }
    }
}

//! The one way through the tree: the direct parts of expressions and statements, and everything below them.

use super::{
    ArrayInit, Clause, Decreases, ExprId, ExprKind, Frame, Guard, LoopSpec, MethodCall, Program,
    Rhs, StmtId, StmtKind,
};

/// An expression or a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Expr(ExprId),
    Stmt(StmtId),
}

fn frame(frame: &Frame, out: &mut Vec<ExprId>) {
    out.extend(frame.items.iter().map(|item| item.expr));
}

impl ExprKind {
    /// The direct subexpressions, in the order they are written; statements inside (`StmtExpr`), attributes and triggers excluded.
    pub fn children(&self) -> Vec<ExprId> {
        let mut out = Vec::new();
        match self {
            ExprKind::Field { object: e, .. }
            | ExprKind::Destructor { value: e, .. }
            | ExprKind::TupleSelect(e, _)
            | ExprKind::Discriminator(e, _)
            | ExprKind::Property(_, e)
            | ExprKind::FnProperty(e, _)
            | ExprKind::Unary(_, e)
            | ExprKind::Old(e, _)
            | ExprKind::Fresh(e, _)
            | ExprKind::Allocated(e)
            | ExprKind::MultisetOf(e)
            | ExprKind::StmtExpr(_, e)
            | ExprKind::Convert(e, _)
            | ExprKind::TypeTest(e, _) => out.push(*e),
            ExprKind::Call(call) => {
                out.extend(call.receiver);
                out.extend(call.prefix);
                out.extend(&call.args);
            }
            ExprKind::FunctionValue { receiver, .. } => out.extend(*receiver),
            ExprKind::Apply(f, args)
            | ExprKind::FnRequires(f, args)
            | ExprKind::FnReads(f, args) => {
                out.push(*f);
                out.extend(args);
            }
            ExprKind::ArrayIndex(f, args) => {
                out.push(*f);
                out.extend(args);
            }
            ExprKind::Ctor { args, .. }
            | ExprKind::Tuple(args)
            | ExprKind::SetDisplay(args)
            | ExprKind::MultisetDisplay(args)
            | ExprKind::SeqDisplay(args) => out.extend(args),
            ExprKind::Binary(_, a, b)
            | ExprKind::Index(a, b)
            | ExprKind::SeqConstruct(a, b)
            | ExprKind::Rotate(a, b, _) => out.extend([*a, *b]),
            ExprKind::PrefixEq { k, left, right, .. } => out.extend([*k, *left, *right]),
            ExprKind::Update(a, b, c) | ExprKind::Ite(a, b, c) => out.extend([*a, *b, *c]),
            ExprKind::Slice(a, lo, hi) => {
                out.push(*a);
                out.extend(*lo);
                out.extend(*hi);
            }
            ExprKind::Unchanged(items, _) => frame(items, &mut out),
            ExprKind::DatatypeUpdate { value, updates, .. } => {
                out.push(*value);
                out.extend(updates.iter().map(|&(_, e)| e));
            }
            ExprKind::MapDisplay(entries) => {
                out.extend(entries.iter().flat_map(|&(k, v)| [k, v]));
            }
            ExprKind::DecreasesTo { old, new, .. } => {
                out.extend(old);
                out.extend(new);
            }
            _ => self.binder_children(&mut out),
        }
        out
    }

    fn binder_children(&self, out: &mut Vec<ExprId>) {
        match self {
            ExprKind::Match { scrutinee, cases } => {
                out.push(*scrutinee);
                out.extend(cases.iter().map(|case| case.body));
            }
            ExprKind::Let { values, body, .. } => {
                out.extend(values);
                out.push(*body);
            }
            ExprKind::LetSuchThat {
                condition, body, ..
            } => out.extend([*condition, *body]),
            ExprKind::Quantifier(q) => {
                out.extend(q.range);
                out.push(q.body);
            }
            ExprKind::SetComprehension { range, term, .. } => out.extend([*range, *term]),
            ExprKind::MapComprehension {
                range, key, value, ..
            } => {
                out.push(*range);
                out.extend(*key);
                out.push(*value);
            }
            ExprKind::Lambda {
                requires,
                reads,
                body,
                ..
            } => {
                out.extend(*requires);
                frame(reads, out);
                out.push(*body);
            }
            _ => {}
        }
    }
}

fn clauses(list: &[Clause], out: &mut Vec<Part>) {
    out.extend(list.iter().map(|c| Part::Expr(c.expr)));
}

fn frame_parts(frame: &Frame, out: &mut Vec<Part>) {
    out.extend(frame.items.iter().map(|item| Part::Expr(item.expr)));
}

fn decreases(list: &Decreases, out: &mut Vec<Part>) {
    if !list.inferred {
        out.extend(list.exprs.iter().map(|&e| Part::Expr(e)));
    }
}

fn loop_spec(spec: &LoopSpec, out: &mut Vec<Part>) {
    clauses(&spec.invariants, out);
    decreases(&spec.decreases, out);
    frame_parts(&spec.modifies, out);
}

fn guard(guard: &Guard, out: &mut Vec<Part>) {
    match guard {
        Guard::Expr(expr) | Guard::Binding { expr, .. } => out.push(Part::Expr(*expr)),
        Guard::Any => {}
    }
}

fn call(call: &MethodCall, out: &mut Vec<Part>) {
    out.extend(call.lhss.iter().map(|&e| Part::Expr(e)));
    out.extend(call.receiver.map(Part::Expr));
    out.extend(call.aside.map(Part::Expr));
    out.extend(call.prefix.map(Part::Expr));
    out.extend(call.args.iter().map(|&e| Part::Expr(e)));
}

fn rhs(value: &Rhs, out: &mut Vec<Part>) {
    match value {
        Rhs::Expr(expr) => out.push(Part::Expr(*expr)),
        Rhs::Havoc => {}
        Rhs::NewObject { init, .. } => {
            if let Some(init) = init {
                call(init, out);
            }
        }
        Rhs::NewArray { dims, init, .. } => {
            out.extend(dims.iter().map(|&e| Part::Expr(e)));
            match init {
                ArrayInit::None => {}
                ArrayInit::Function(f) => out.push(Part::Expr(*f)),
                ArrayInit::Display(items) => out.extend(items.iter().map(|&e| Part::Expr(e))),
            }
        }
    }
}

impl StmtKind {
    /// The direct parts of a statement, in the order they are written; inferred measures excluded.
    pub fn parts(&self) -> Vec<Part> {
        let mut out = Vec::new();
        stmt_parts(self, &mut out);
        out
    }
}

fn stmt_parts(kind: &StmtKind, out: &mut Vec<Part>) {
    match kind {
        StmtKind::Assert { expr, by, .. } => {
            out.push(Part::Expr(*expr));
            out.extend(by.map(Part::Stmt));
        }
        StmtKind::Assume(expr) => out.push(Part::Expr(*expr)),
        StmtKind::Expect { expr, message } => {
            out.push(Part::Expr(*expr));
            out.extend(message.map(Part::Expr));
        }
        StmtKind::Print(exprs) => out.extend(exprs.iter().map(|&e| Part::Expr(e))),
        StmtKind::Block(stmts) | StmtKind::Sequence(stmts) => {
            out.extend(stmts.iter().map(|&s| Part::Stmt(s)));
        }
        StmtKind::ByProof { stmt, proof } => {
            out.extend([Part::Stmt(*proof), Part::Stmt(*stmt)]);
        }
        StmtKind::OpaqueBlock {
            ensures,
            modifies,
            body,
        } => {
            clauses(ensures, out);
            frame_parts(modifies, out);
            out.push(Part::Stmt(*body));
        }
        StmtKind::VarDecl { init, .. } => out.extend(init.map(Part::Stmt)),
        StmtKind::VarPattern { rhs, .. } => out.push(Part::Expr(*rhs)),
        StmtKind::Assign { lhss, rhss } => {
            out.extend(lhss.iter().map(|&e| Part::Expr(e)));
            for value in rhss {
                rhs(value, out);
            }
        }
        StmtKind::AssignSuchThat { lhss, expr, .. } => {
            out.extend(lhss.iter().map(|&e| Part::Expr(e)));
            out.push(Part::Expr(*expr));
        }
        StmtKind::Call(c) => call(c, out),
        StmtKind::Return { init } | StmtKind::Yield { init } => out.extend(init.map(Part::Stmt)),
        StmtKind::Modify { frame: f, body } => {
            frame_parts(f, out);
            out.extend(body.map(Part::Stmt));
        }
        StmtKind::Calc(calc) => {
            out.extend(calc.lines.iter().map(|&e| Part::Expr(e)));
            for step in &calc.steps {
                out.extend(step.hints.iter().map(|&s| Part::Stmt(s)));
            }
        }
        StmtKind::Reveal(_)
        | StmtKind::Hide(_)
        | StmtKind::Break { .. }
        | StmtKind::Apart { .. }
        | StmtKind::Error => {}
        _ => control_parts(kind, out),
    }
}

fn control_parts(kind: &StmtKind, out: &mut Vec<Part>) {
    match kind {
        StmtKind::If {
            guard: g,
            then,
            els,
        } => {
            guard(g, out);
            out.push(Part::Stmt(*then));
            out.extend(els.map(Part::Stmt));
        }
        StmtKind::IfCases(cases) => {
            for case in cases {
                guard(&case.guard, out);
                out.push(Part::Stmt(case.body));
            }
        }
        StmtKind::While {
            guard: g,
            spec,
            body,
        } => {
            guard(g, out);
            loop_spec(spec, out);
            out.extend(body.map(Part::Stmt));
        }
        StmtKind::WhileCases { cases, spec } => {
            loop_spec(spec, out);
            for case in cases {
                guard(&case.guard, out);
                out.push(Part::Stmt(case.body));
            }
        }
        StmtKind::For {
            start,
            end,
            spec,
            body,
            ..
        } => {
            out.push(Part::Expr(*start));
            out.extend(end.map(Part::Expr));
            loop_spec(spec, out);
            out.extend(body.map(Part::Stmt));
        }
        StmtKind::Match { scrutinee, cases } => {
            out.push(Part::Expr(*scrutinee));
            out.extend(cases.iter().map(|c| Part::Stmt(c.body)));
        }
        StmtKind::Forall {
            range,
            ensures,
            body,
            ..
        } => {
            out.push(Part::Expr(*range));
            clauses(ensures, out);
            out.extend(body.map(Part::Stmt));
        }
        _ => {}
    }
}

impl Program {
    /// Calls `visit` for everything at and below the roots, parents before children, in the order of the text; statements inside
    /// expressions and expressions inside statements included.
    pub fn visit_below(&self, roots: &[Part], visit: &mut dyn FnMut(Part)) {
        let mut stack: Vec<Part> = roots.iter().rev().copied().collect();
        while let Some(part) = stack.pop() {
            visit(part);
            match part {
                Part::Expr(expr) => {
                    let kind = &self.exprs[expr].kind;
                    stack.extend(kind.children().into_iter().rev().map(Part::Expr));
                    if let ExprKind::StmtExpr(stmt, _) = kind {
                        stack.push(Part::Stmt(*stmt));
                    }
                }
                Part::Stmt(stmt) => {
                    stack.extend(self.stmts[stmt].kind.parts().into_iter().rev());
                }
            }
        }
    }

    /// All statements at and below the roots, those inside expressions included.
    pub fn stmts_below(&self, roots: &[Part]) -> Vec<StmtId> {
        let mut out = Vec::new();
        self.visit_below(roots, &mut |part| {
            if let Part::Stmt(stmt) = part {
                out.push(stmt);
            }
        });
        out
    }
}

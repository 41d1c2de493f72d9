//! Operators, resolved by the types of their operands.

use super::Resolver;
use super::infer::VarClass;
use crate::ast::{self, BinOp, UnOp};
use crate::tree::{BinaryOp, ExprId, ExprKind, Ty, TyKind, TypeDeclKind, UnaryOp};
use stet_base::Span;

/// A check made when all types of a declaration are known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Delayed {
    /// The operator of this expression depends on the type of its left operand.
    Operator(ExprId, BinOp, Span),
    Negation(ExprId, Span),
    Convert(ExprId, Ty, Span),
    /// The index of a loop is an integer.
    Index(Ty, Span),
}

impl Resolver<'_> {
    pub(crate) fn unary(&mut self, id: ast::ExprId, op: UnOp, operand: ast::ExprId) -> ExprId {
        let value = self.expr(operand);
        let ty = self.program.exprs[value].ty;
        match op {
            UnOp::Not => {
                // `!` on bit-vectors is complement; which one is known when the type is.
                let head = self.infer.force(&self.program, ty);
                if matches!(&*self.program.types.kind(head), TyKind::Infer(_))
                    && self.infer.class_of(&self.program, head) == Some(VarClass::Any)
                {
                    let bool_ = self.program.types.bool_;
                    self.infer.unify(&self.program, head, bool_);
                }
                let expr = self.push_expr(id, ExprKind::Unary(UnaryOp::Not, value), ty);
                let tok = self.ast.exprs[id].tok;
                self.delayed.push(Delayed::Negation(expr, tok));
                expr
            }
            UnOp::Neg => {
                let expr = self.push_expr(id, ExprKind::Unary(UnaryOp::Neg, value), ty);
                let tok = self.ast.exprs[id].tok;
                self.delayed.push(Delayed::Negation(expr, tok));
                expr
            }
            UnOp::Card => {
                let head = self.infer.force(&self.program, ty);
                let repr = self.program.types.kind(self.program.representation(head));
                let sized = matches!(
                    &*repr,
                    TyKind::Set { finite: true, .. }
                        | TyKind::Seq(_)
                        | TyKind::Multiset(_)
                        | TyKind::Map { finite: true, .. }
                        | TyKind::Error
                        | TyKind::Infer(_)
                );
                if !sized {
                    let shown = self.show(ty);
                    let tok = self.ast.exprs[id].tok;
                    self.error(
                        tok,
                        format!(
                            "size operator expects a collection argument (instead got {shown})"
                        ),
                    );
                }
                let int = self.program.types.int;
                self.push_expr(id, ExprKind::Unary(UnaryOp::Cardinality, value), int)
            }
        }
    }

    pub(crate) fn chain(
        &mut self,
        id: ast::ExprId,
        operands: &[ast::ExprId],
        ops: &[(BinOp, Span, Option<ast::ExprId>)],
    ) -> ExprId {
        let bool_ = self.program.types.bool_;
        let values: Vec<ExprId> = operands.iter().map(|&e| self.expr(e)).collect();
        let mut result: Option<ExprId> = None;
        let disjoint = ops.iter().all(|o| o.0 == BinOp::Disjoint);
        let mut union = values[0];
        for (i, &(op, tok, k)) in ops.iter().enumerate() {
            let left = if disjoint { union } else { values[i] };
            let right = values[i + 1];
            let step = match k {
                Some(k) => self.prefix_eq(id, tok, k, left, right, op == BinOp::Neq),
                None => self.binary_values(id, tok, op, left, right),
            };
            if disjoint && i + 1 < ops.len() {
                union = self.binary_values(id, tok, BinOp::Add, union, right);
            }
            result = Some(match result {
                None => step,
                Some(previous) => {
                    let kind = ExprKind::Binary(BinaryOp::And, previous, step);
                    self.push_expr(id, kind, bool_)
                }
            });
        }
        match result {
            Some(result) => result,
            None => self.error_expr(id),
        }
    }

    pub(crate) fn prefix_eq(
        &mut self,
        id: ast::ExprId,
        tok: Span,
        k: ast::ExprId,
        left: ExprId,
        right: ExprId,
        negated: bool,
    ) -> ExprId {
        let k = self.expr(k);
        let (x, y) = (self.program.exprs[left].ty, self.program.exprs[right].ty);
        if !self.infer.unify(&self.program, x, y) {
            let message = format!(
                "arguments must have comparable types (got {} and {})",
                self.show(x),
                self.show(y)
            );
            self.error(tok, message);
        }
        let span = self.ast.exprs[id].span;
        let bool_ = self.program.types.bool_;
        let kind = ExprKind::PrefixEq {
            k,
            left,
            right,
            negated,
        };
        self.push_expr_at(span, tok, kind, bool_)
    }

    pub(crate) fn binary(
        &mut self,
        id: ast::ExprId,
        op: BinOp,
        l: ast::ExprId,
        r: ast::ExprId,
    ) -> ExprId {
        let tok = self.ast.exprs[id].tok;
        let left = self.expr(l);
        let right = self.expr(r);
        self.binary_values(id, tok, op, left, right)
    }

    pub(crate) fn binary_values(
        &mut self,
        id: ast::ExprId,
        tok: Span,
        op: BinOp,
        left: ExprId,
        right: ExprId,
    ) -> ExprId {
        let bool_ = self.program.types.bool_;
        let span = self.ast.exprs[id].span;
        let (x, y) = (self.program.exprs[left].ty, self.program.exprs[right].ty);
        let (kind, l, r, ty) = match op {
            BinOp::Iff | BinOp::Imp | BinOp::Exp | BinOp::And | BinOp::Or => {
                self.expect_bool(left, "first", op, tok);
                self.expect_bool(right, "second", op, tok);
                match op {
                    BinOp::Iff => (BinaryOp::Iff, left, right, bool_),
                    BinOp::And => (BinaryOp::And, left, right, bool_),
                    BinOp::Or => (BinaryOp::Or, left, right, bool_),
                    BinOp::Imp => (BinaryOp::Imp, left, right, bool_),
                    _ => (BinaryOp::Imp, right, left, bool_),
                }
            }
            BinOp::Eq | BinOp::Neq => {
                let literal = self.literal_operand(left, right);
                if !literal {
                    self.agree(left, right);
                    let (x, y) = (self.program.exprs[left].ty, self.program.exprs[right].ty);
                    self.comparable(x, y, tok);
                }
                let op = if op == BinOp::Eq {
                    BinaryOp::Eq
                } else {
                    BinaryOp::Neq
                };
                (op, left, right, bool_)
            }
            BinOp::In | BinOp::NotIn => {
                self.membership(x, y, tok);
                let op = if op == BinOp::In {
                    BinaryOp::In
                } else {
                    BinaryOp::NotIn
                };
                (op, left, right, bool_)
            }
            BinOp::Shl | BinOp::Shr => {
                let op = if op == BinOp::Shl {
                    BinaryOp::Shl
                } else {
                    BinaryOp::Shr
                };
                (op, left, right, x)
            }
            _ => {
                if self.literal_operand(left, right) {
                    let literal = matches!(
                        self.program.exprs[left].kind,
                        ExprKind::Int(_)
                            | ExprKind::Real(_)
                            | ExprKind::Bool(_)
                            | ExprKind::Char(_)
                    );
                    let shown = self.show(if literal { y } else { x });
                    self.error(tok, wrong_operand(op, &shown));
                    let error = self.program.types.error;
                    return self.push_expr_at(span, tok, ExprKind::Error, error);
                }
                self.agree(left, right);
                let (x, y) = (self.program.exprs[left].ty, self.program.exprs[right].ty);
                let ty = self.arithmetic_type(op, x, y, tok);
                (placeholder(op), left, right, ty)
            }
        };
        let expr = self.push_expr_at(span, tok, ExprKind::Binary(kind, l, r), ty);
        if !matches!(
            op,
            BinOp::Iff | BinOp::Imp | BinOp::Exp | BinOp::And | BinOp::Or
        ) {
            self.delayed.push(Delayed::Operator(expr, op, tok));
        }
        expr
    }

    /// Reports a literal that is compared with a value of another type.
    fn literal_operand(&mut self, left: ExprId, right: ExprId) -> bool {
        let (x, y) = (self.program.exprs[left].ty, self.program.exprs[right].ty);
        let (x, y) = (
            self.infer.shallow(&self.program, x),
            self.infer.shallow(&self.program, y),
        );
        self.blame_literal(left, y) || self.blame_literal(right, x)
    }

    fn expect_bool(&mut self, value: ExprId, which: &str, op: BinOp, _tok: Span) {
        let ty = self.program.exprs[value].ty;
        let head = self.infer.shallow(&self.program, ty);
        let bool_ = self.program.types.bool_;
        let known = !matches!(&*self.program.types.kind(head), TyKind::Infer(_));
        if known && self.program.representation(head) == bool_ {
            return;
        }
        if !self.infer.unify(&self.program, head, bool_) {
            let shown = self.show(ty);
            let tok = self.program.exprs[value].tok;
            self.error(
                tok,
                format!(
                    "{which} argument to {} must be of type bool (instead got {shown})",
                    op_text(op)
                ),
            );
        }
    }

    /// `==`: one type must fit the other.
    fn comparable(&mut self, x: Ty, y: Ty, tok: Span) {
        let a = self.infer.shallow(&self.program, x);
        let b = self.infer.shallow(&self.program, y);
        let known = |r: &Self, t: Ty| !matches!(&*r.program.types.kind(t), TyKind::Infer(_));
        let ok =
            if known(self, a) && known(self, b) && super::infer::reaches(&self.program, a, b, 0) {
                self.infer.assignable(&self.program, b, a)
            } else if known(self, a) && known(self, b) {
                self.infer.assignable(&self.program, a, b)
            } else if known(self, a) {
                // The unknown side is at least comparable to the known one.
                self.infer.force(&self.program, b);
                let b = self.infer.shallow(&self.program, b);
                if known(self, b) {
                    return self.comparable(a, b, tok);
                }
                self.infer.unify(&self.program, a, b)
            } else {
                self.infer.force(&self.program, a);
                let a = self.infer.shallow(&self.program, a);
                if known(self, a) {
                    return self.comparable(a, b, tok);
                }
                self.infer.unify(&self.program, a, b)
            };
        let ok =
            ok || (known(self, a) && known(self, b) && self.infer.assignable(&self.program, b, a));
        if !ok {
            let message = format!(
                "arguments must have comparable types (got {} and {})",
                self.show(x),
                self.show(y)
            );
            self.error(tok, message);
        }
    }

    fn membership(&mut self, x: Ty, y: Ty, tok: Span) {
        let head = self.infer.force(&self.program, y);
        let repr = self.program.representation(head);
        let elem = match &*self.program.types.kind(repr) {
            TyKind::Set { elem, .. } | TyKind::Multiset(elem) | TyKind::Seq(elem) => *elem,
            TyKind::Map { key, .. } => *key,
            // Settled with the operator; a type that stays unknown is reported as such.
            TyKind::Error | TyKind::Infer(_) => return,
            _ => {
                let shown = self.show(y);
                self.error(
                    tok,
                    format!("second argument to \"in\" must be a set, multiset, or sequence with elements of type {}, or a map with domain {} (instead got {shown})", self.show(x), self.show(x)),
                );
                return;
            }
        };
        let a = self.infer.shallow(&self.program, elem);
        let b = self.infer.shallow(&self.program, x);
        let ok = if super::infer::reaches(&self.program, a, b, 0) {
            self.infer.assignable(&self.program, b, a)
        } else {
            self.infer.assignable(&self.program, a, b)
        };
        if !ok {
            let message = format!(
                "second argument to \"in\" must be a set, multiset, or sequence with elements of type {}, or a map with domain {} (instead got {})",
                self.show(x),
                self.show(x),
                self.show(y)
            );
            self.error(tok, message);
        }
    }

    /// Sets of objects may be of different classes: what they have in common is not decided by the first one.
    fn joined_sets(&mut self, x: Ty, y: Ty) -> Option<Ty> {
        let y = self.infer.force(&self.program, y);
        let (TyKind::Set { finite, elem: a }, TyKind::Set { elem: b, .. }) =
            (&*self.program.types.kind(x), &*self.program.types.kind(y))
        else {
            return None;
        };
        let a = self.infer.shallow(&self.program, *a);
        if !self.program.is_reference(a) || a == self.infer.shallow(&self.program, *b) {
            return None;
        }
        let elem = self.fresh();
        Some(self.program.types.intern(TyKind::Set {
            finite: *finite,
            elem,
        }))
    }

    /// The type of `+`, `-`, `*`, `/`, `%`, bit operators, and the operands of comparisons.
    fn arithmetic_type(&mut self, op: BinOp, x: Ty, y: Ty, tok: Span) -> Ty {
        let bool_ = self.program.types.bool_;
        let compares = matches!(
            op,
            BinOp::Lt | BinOp::Le | BinOp::Ge | BinOp::Gt | BinOp::Disjoint
        );
        let a = self.infer.force(&self.program, x);
        let repr = self.program.representation(a);
        match (&*self.program.types.kind(repr), op) {
            (TyKind::Map { key, .. }, BinOp::Sub) => {
                let set = self.program.types.intern(TyKind::Set {
                    finite: true,
                    elem: *key,
                });
                let right = self.infer.force(&self.program, y);
                let ok = match &*self.program.types.kind(right) {
                    TyKind::Set { elem, .. } => self.infer.unify(&self.program, *key, *elem),
                    TyKind::Infer(_) => self.infer.unify(&self.program, right, set),
                    _ => false,
                };
                if !ok {
                    let message = format!(
                        "map subtraction expects right-hand operand to have type set<{}> (instead got {})",
                        self.show(*key),
                        self.show(y)
                    );
                    self.error(tok, message);
                }
                return a;
            }
            (TyKind::Ordinal, BinOp::Sub | BinOp::Add) => {
                let right = self.infer.force(&self.program, y);
                if right == self.program.types.int {
                    return a;
                }
            }
            (TyKind::Named { decl, .. }, BinOp::Lt | BinOp::Gt) if self.is_datatype(*decl) => {
                return bool_;
            }
            (TyKind::Param(_), BinOp::Lt | BinOp::Gt) => {
                let right = self.infer.force(&self.program, y);
                if let TyKind::Named { decl, .. } = &*self.program.types.kind(right)
                    && self.is_datatype(*decl)
                {
                    return bool_;
                }
            }
            _ => {}
        }
        let result = match self.joined_sets(a, y) {
            Some(joined) => joined,
            None => self.fresh(),
        };
        let ok = self.infer.assignable(&self.program, result, x)
            && self.infer.assignable(&self.program, result, y);
        if !ok {
            let message = if compares {
                format!(
                    "arguments to {} must have a common supertype (got {} and {})",
                    op_text(op),
                    self.show(x),
                    self.show(y)
                )
            } else {
                format!(
                    "type of right argument to {} ({}) must agree with the result type ({})",
                    op_text(op),
                    self.show(y),
                    self.show(x)
                )
            };
            self.error(tok, message);
        }
        if compares { bool_ } else { result }
    }

    fn is_datatype(&self, decl: crate::tree::DeclId) -> bool {
        matches!(self.program.decls[decl].kind, TypeDeclKind::Datatype { .. })
    }

    /// Settles operators and conversions, now that types are known.
    pub(crate) fn settle_delayed(&mut self) {
        for delayed in std::mem::take(&mut self.delayed) {
            match delayed {
                Delayed::Operator(expr, op, tok) => self.settle_operator(expr, op, tok),
                Delayed::Negation(expr, tok) => self.settle_unary(expr, tok),
                Delayed::Convert(value, target, tok) => self.settle_convert(value, target, tok),
                Delayed::Index(ty, tok) => self.settle_index(ty, tok),
            }
        }
    }

    fn settle_unary(&mut self, expr: ExprId, tok: Span) {
        let ExprKind::Unary(op, operand) = self.program.exprs[expr].kind else {
            return;
        };
        let ty = self
            .infer
            .shallow(&self.program, self.program.exprs[operand].ty);
        let repr = self.program.types.kind(self.program.representation(ty));
        match (op, &*repr) {
            (_, TyKind::Error | TyKind::Infer(_)) => {}
            (UnaryOp::Not, TyKind::Bv(_)) => {
                self.program.exprs[expr].kind = ExprKind::Unary(UnaryOp::BitNot, operand);
            }
            (UnaryOp::Not, TyKind::Bool)
            | (UnaryOp::Neg, TyKind::Int | TyKind::Real | TyKind::Bv(_)) => {}
            (UnaryOp::Not, _) => {
                let shown = self.show(ty);
                self.error(tok, format!("type of argument to unary ! must be a boolean or bitvector type (instead got {shown})"));
            }
            _ => {
                let shown = self.show(ty);
                self.error(tok, format!("type of unary - must be of a numeric or bitvector type (instead got {shown})"));
            }
        }
    }

    fn settle_operator(&mut self, expr: ExprId, op: BinOp, tok: Span) {
        let ExprKind::Binary(_, left, right) = self.program.exprs[expr].kind else {
            return;
        };
        if matches!(op, BinOp::In | BinOp::NotIn) {
            let (x, y) = (self.program.exprs[left].ty, self.program.exprs[right].ty);
            self.membership(x, y, tok);
        }
        let x = self
            .infer
            .shallow(&self.program, self.program.exprs[left].ty);
        let y = self
            .infer
            .shallow(&self.program, self.program.exprs[right].ty);
        let a = self.program.types.kind(self.program.representation(x));
        let b = self.program.types.kind(self.program.representation(y));
        if matches!(&*a, TyKind::Error) || matches!(&*b, TyKind::Error) {
            return;
        }
        match resolve_op(op, &a, &b) {
            Some(resolved) => {
                self.program.exprs[expr].kind = ExprKind::Binary(resolved, left, right)
            }
            None => {
                let shown = self.show(x);
                let message = wrong_operand(op, &shown);
                self.error(tok, message);
            }
        }
    }

    fn settle_convert(&mut self, value: ExprId, target: Ty, tok: Span) {
        let from = self
            .infer
            .shallow(&self.program, self.program.exprs[value].ty);
        let a = self.program.types.kind(self.program.representation(from));
        let b = self.program.types.kind(self.program.representation(target));
        let number = |k: &TyKind| {
            matches!(
                k,
                TyKind::Int | TyKind::Real | TyKind::Bv(_) | TyKind::Char | TyKind::Ordinal
            )
        };
        let error = |k: &TyKind| matches!(k, TyKind::Error | TyKind::Infer(_));
        if error(&a) || error(&b) {
            return;
        }
        let shown = self.show(from);
        match (&*a, &*b) {
            (_, TyKind::Int) if !number(&a) => self.error(tok, format!("type conversion to an int-based type is allowed only from numeric and bitvector types, char, and ORDINAL (got {shown})")),
            (_, TyKind::Real) if !number(&a) || matches!(&*a, TyKind::Ordinal) => {
                self.error(tok, format!("type conversion to real is allowed only from numeric-based types (got {shown})"));
            }
            (_, TyKind::Bv(_)) if !number(&a) || matches!(&*a, TyKind::Real) => self.error(tok, format!("type conversion to a bitvector-based type is allowed only from numeric and bitvector types, char, and ORDINAL (got {shown})")),
            (_, TyKind::Char) if !number(&a) => self.error(tok, format!("type conversion to a char type is allowed only from numeric and bitvector types, char, and ORDINAL (got {shown})")),
            _ => {}
        }
    }
}

/// The operator before its operands' types are known.
fn placeholder(op: BinOp) -> BinaryOp {
    match op {
        BinOp::Lt => BinaryOp::Lt,
        BinOp::Le => BinaryOp::Le,
        BinOp::Ge => BinaryOp::Ge,
        BinOp::Gt => BinaryOp::Gt,
        BinOp::Disjoint => BinaryOp::Disjoint,
        BinOp::Add => BinaryOp::Add,
        BinOp::Sub => BinaryOp::Sub,
        BinOp::Mul => BinaryOp::Mul,
        BinOp::Div => BinaryOp::Div,
        BinOp::Mod => BinaryOp::Mod,
        BinOp::BitAnd => BinaryOp::BitAnd,
        BinOp::BitOr => BinaryOp::BitOr,
        BinOp::BitXor => BinaryOp::BitXor,
        _ => BinaryOp::Eq,
    }
}

fn resolve_op(op: BinOp, left: &TyKind, right: &TyKind) -> Option<BinaryOp> {
    let number = matches!(left, TyKind::Int | TyKind::Real | TyKind::Bv(_));
    let ordered = number || matches!(left, TyKind::Char | TyKind::Ordinal);
    let set = matches!(left, TyKind::Set { .. } | TyKind::Multiset(_));
    let seq = matches!(left, TyKind::Seq(_));
    let map = matches!(left, TyKind::Map { .. });
    let integer = matches!(left, TyKind::Int | TyKind::Bv(_));
    let bits = matches!(left, TyKind::Bv(_));
    let ranked = matches!(left, TyKind::Named { .. } | TyKind::Param(_))
        && matches!(right, TyKind::Named { .. } | TyKind::Param(_));
    Some(match op {
        BinOp::Eq => BinaryOp::Eq,
        BinOp::Neq => BinaryOp::Neq,
        BinOp::In => BinaryOp::In,
        BinOp::NotIn => BinaryOp::NotIn,
        BinOp::Lt if ordered => BinaryOp::Lt,
        BinOp::Le if ordered => BinaryOp::Le,
        BinOp::Ge if ordered => BinaryOp::Ge,
        BinOp::Gt if ordered => BinaryOp::Gt,
        BinOp::Lt if set => BinaryOp::ProperSubset,
        BinOp::Le if set => BinaryOp::Subset,
        BinOp::Ge if set => BinaryOp::Superset,
        BinOp::Gt if set => BinaryOp::ProperSuperset,
        BinOp::Lt if seq => BinaryOp::ProperPrefix,
        BinOp::Le if seq => BinaryOp::Prefix,
        BinOp::Lt if ranked => BinaryOp::RankLt,
        BinOp::Gt if ranked => BinaryOp::RankGt,
        BinOp::Disjoint if set => BinaryOp::Disjoint,
        BinOp::Add if ordered => BinaryOp::Add,
        BinOp::Add if set => BinaryOp::Union,
        BinOp::Add if seq => BinaryOp::Concat,
        BinOp::Add if map => BinaryOp::MapMerge,
        BinOp::Sub if ordered => BinaryOp::Sub,
        BinOp::Sub if set => BinaryOp::Difference,
        BinOp::Sub if map => BinaryOp::MapSubtract,
        BinOp::Mul if number => BinaryOp::Mul,
        BinOp::Mul if set => BinaryOp::Intersection,
        BinOp::Div if number => BinaryOp::Div,
        BinOp::Mod if integer => BinaryOp::Mod,
        BinOp::BitAnd if bits => BinaryOp::BitAnd,
        BinOp::BitOr if bits => BinaryOp::BitOr,
        BinOp::BitXor if bits => BinaryOp::BitXor,
        BinOp::Shl if bits => BinaryOp::Shl,
        BinOp::Shr if bits => BinaryOp::Shr,
        _ => return None,
    })
}

fn wrong_operand(op: BinOp, shown: &str) -> String {
    let text = op_text(op);
    let what = match op {
        BinOp::Add => {
            "a numeric type, a bitvector type, ORDINAL, char, a sequence type, or a set-like or map-like type"
        }
        BinOp::Sub => {
            "a numeric type, bitvector type, ORDINAL, char, or a set-like or map-like type"
        }
        BinOp::Mul => "a numeric type, bitvector type, or a set-like type",
        BinOp::Lt | BinOp::Le => {
            "a numeric type, bitvector type, ORDINAL, char, a sequence type, or a set-like type"
        }
        BinOp::Ge | BinOp::Gt => {
            "a numeric type, bitvector type, ORDINAL, char, or a set-like type"
        }
        BinOp::Div => "a numeric type or bitvector type",
        BinOp::Mod => "an integer-numeric type or bitvector type",
        BinOp::Disjoint => "a set-like type",
        BinOp::Shl | BinOp::Shr => {
            return format!("type of left argument to {text} ({shown}) must be a bitvector type");
        }
        _ => "a bitvector type",
    };
    match op {
        BinOp::Lt | BinOp::Le | BinOp::Ge | BinOp::Gt | BinOp::Disjoint => {
            format!("arguments to {text} must be of {what} (instead got {shown})")
        }
        _ => format!("type of {text} must be of {what} (instead got {shown})"),
    }
}

pub(crate) fn op_text(op: BinOp) -> &'static str {
    match op {
        BinOp::Iff => "<==>",
        BinOp::Imp => "==>",
        BinOp::Exp => "<==",
        BinOp::And => "&&",
        BinOp::Or => "||",
        BinOp::Eq => "==",
        BinOp::Neq => "!=",
        BinOp::Lt => "<",
        BinOp::Le => "<=",
        BinOp::Ge => ">=",
        BinOp::Gt => ">",
        BinOp::Disjoint => "!!",
        BinOp::In => "in",
        BinOp::NotIn => "!in",
        BinOp::Shl => "<<",
        BinOp::Shr => ">>",
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Mod => "%",
        BinOp::BitAnd => "&",
        BinOp::BitOr => "|",
        BinOp::BitXor => "^",
    }
}

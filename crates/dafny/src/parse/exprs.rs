//! Expressions: operators by precedence, lowest first.

use super::token::{Kw, P, Tok};
use super::{Ctx, MAX_CHAIN, PResult, Parser};
use crate::ast::{BinOp, Expr, ExprId, ExprKind, UnOp};
use stet_base::Span;

impl Parser<'_> {
    /// Parses an expression of the lowest precedence; `ctx` says what may follow it.
    pub(crate) fn expr(&mut self, ctx: Ctx) -> PResult<ExprId> {
        self.nested(|p| {
            let start = p.span();
            let first = p.equiv(ctx)?;
            if !(ctx.lemma && p.is(P::Semi) && p.is_call(first)) {
                return Ok(first);
            }
            // `L(x); e`: a lemma call before an expression.
            let tok = p.bump();
            let body = p.expr(ctx)?;
            let call_span = p.ast.exprs[first].span;
            let call_tok = p.ast.exprs[first].tok;
            let stmt = p.ast.stmts.push(crate::ast::Stmt {
                kind: crate::ast::StmtKind::Update {
                    lhss: vec![first],
                    update: None,
                },
                span: call_span,
                tok: call_tok,
                labels: Vec::new(),
                attrs: Vec::new(),
            });
            Ok(p.push_expr(start, tok, ExprKind::StmtIn(stmt, body)))
        })
    }

    fn is_call(&self, expr: ExprId) -> bool {
        matches!(self.ast.exprs[expr].kind, ExprKind::Apply { .. })
    }

    pub(crate) fn push_expr(&mut self, start: Span, tok: Span, kind: ExprKind) -> ExprId {
        let span = self.since(start);
        self.ast.exprs.push(Expr { kind, span, tok })
    }

    fn binary(&mut self, start: Span, tok: Span, op: BinOp, l: ExprId, r: ExprId) -> ExprId {
        self.push_expr(start, tok, ExprKind::Binary(op, l, r))
    }

    fn chain_limit(&mut self, length: &mut u32) -> PResult<()> {
        *length += 1;
        if *length > MAX_CHAIN {
            return self.error("this expression has too many operators in a row");
        }
        Ok(())
    }

    fn equiv(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let mut left = self.implies(ctx)?;
        let mut length = 0;
        while matches!(self.kind(), Tok::P(P::IffA | P::IffP)) {
            self.chain_limit(&mut length)?;
            let tok = self.bump();
            let right = self.implies(ctx)?;
            left = self.binary(start, tok, BinOp::Iff, left, right);
        }
        Ok(left)
    }

    fn implies(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let mut left = self.logical(ctx)?;
        if matches!(self.kind(), Tok::P(P::ImpA | P::ImpP)) {
            let tok = self.bump();
            // Right associative; not through `implies`, which would accept `a ==> b <== c`.
            let right = self.nested(|p| p.implies_right(ctx))?;
            return Ok(self.binary(start, tok, BinOp::Imp, left, right));
        }
        let mut length = 0;
        while matches!(self.kind(), Tok::P(P::ExpA | P::ExpP)) {
            self.chain_limit(&mut length)?;
            let tok = self.bump();
            let right = self.logical(ctx)?;
            left = self.binary(start, tok, BinOp::Exp, left, right);
        }
        Ok(left)
    }

    fn implies_right(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let left = self.logical(ctx)?;
        if !matches!(self.kind(), Tok::P(P::ImpA | P::ImpP)) {
            return Ok(left);
        }
        let tok = self.bump();
        let right = self.nested(|p| p.implies_right(ctx))?;
        Ok(self.binary(start, tok, BinOp::Imp, left, right))
    }

    fn logical(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let is_and = |tok| matches!(tok, Tok::P(P::AndAnd | P::AndP));
        let is_or = |tok| matches!(tok, Tok::P(P::OrOr | P::OrP));
        if is_and(self.kind()) || is_or(self.kind()) {
            self.bump();
        }
        let mut left = self.relational(ctx)?;
        let mut length = 0;
        let (op, same): (BinOp, fn(Tok) -> bool) = if is_and(self.kind()) {
            (BinOp::And, is_and)
        } else {
            (BinOp::Or, is_or)
        };
        while same(self.kind()) {
            self.chain_limit(&mut length)?;
            let tok = self.bump();
            let right = self.relational(ctx)?;
            left = self.binary(start, tok, op, left, right);
        }
        if is_and(self.kind()) || is_or(self.kind()) {
            return self.error("ambiguous use of && and ||; add parentheses");
        }
        Ok(left)
    }

    fn relational_op(&self) -> Option<BinOp> {
        Some(match self.kind() {
            Tok::P(P::EqEq) => BinOp::Eq,
            Tok::P(P::NotEq | P::NeP) => BinOp::Neq,
            Tok::P(P::Lt) => BinOp::Lt,
            Tok::P(P::Le | P::LeP) => BinOp::Le,
            Tok::P(P::GeQ | P::GeP) => BinOp::Ge,
            Tok::P(P::Gt) if !self.adjacent_gt() => BinOp::Gt,
            Tok::P(P::NotBangBang) => BinOp::Disjoint,
            Tok::Kw(Kw::In) | Tok::P(P::InP) => BinOp::In,
            Tok::P(P::NotInP) => BinOp::NotIn,
            Tok::P(P::Not) if self.is_not_in() => BinOp::NotIn,
            _ => return None,
        })
    }

    fn is_not_in(&self) -> bool {
        let next = self.token_at(self.at + 1);
        next.kind == Tok::Kw(Kw::In) && next.start == self.span().end
    }

    /// `>>` is two tokens without a space.
    fn adjacent_gt(&self) -> bool {
        let next = self.token_at(self.at + 1);
        next.kind == Tok::P(P::Gt) && next.start == self.span().end
    }

    /// An operator with an optional prefix depth, `==#[k]`.
    pub(crate) fn operator_suffix(&mut self, op: BinOp) -> PResult<Option<ExprId>> {
        if !(self.is(P::Hash) && matches!(op, BinOp::Eq | BinOp::Neq)) {
            return Ok(None);
        }
        self.bump();
        self.expect(P::LBracket)?;
        let k = self.expr(Ctx::NO_LEMMA)?;
        self.expect(P::RBracket)?;
        Ok(Some(k))
    }

    fn relational(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let first = self.shift(ctx)?;
        let mut operands = vec![first];
        let mut ops = Vec::new();
        while let Some(op) = self.relational_op() {
            if ops.len() as u32 >= MAX_CHAIN {
                return self.error("this expression has too many operators in a row");
            }
            let mut tok = self.bump();
            if op == BinOp::NotIn && self.is_kw(Kw::In) {
                tok = tok.to(self.bump());
            }
            let k = self.operator_suffix(op)?;
            ops.push((op, tok, k));
            operands.push(self.shift(ctx)?);
        }
        if ops.is_empty() && self.measure_follows() {
            let word = self.text_of(self.span()) == "nonincreases";
            let tok = self.bump();
            self.bump();
            let new = self.shift(ctx)?;
            let kind = ExprKind::DecreasesTo(vec![first], vec![new], word);
            return Ok(self.push_expr(start, tok, kind));
        }
        Ok(match (ops.len(), ops.first()) {
            (0, _) | (_, None) => first,
            (1, Some(&(op, tok, None))) => self.binary(start, tok, op, first, operands[1]),
            (_, Some(&(_, tok, _))) => {
                self.check_chain(&ops);
                self.push_expr(start, tok, ExprKind::Chain(operands, ops))
            }
        })
    }

    /// Whether `decreases to` or `nonincreases to` follows.
    pub(crate) fn measure_follows(&self) -> bool {
        !self.in_measure_list
            && (self.is_kw(Kw::Decreases) || self.is_word("nonincreases"))
            && self.is_word_at(1, "to")
    }

    /// Reports chains that mix directions, as Dafny does.
    fn check_chain(&mut self, ops: &[(BinOp, Span, Option<ExprId>)]) {
        if ops.len() < 2 {
            return;
        }
        let mut direction = None;
        let mut inequality = false;
        for &(op, tok, k) in ops {
            let this = match op {
                BinOp::Lt | BinOp::Le => Some(true),
                BinOp::Gt | BinOp::Ge => Some(false),
                BinOp::Eq => None,
                BinOp::Neq if !inequality => {
                    inequality = true;
                    None
                }
                BinOp::Neq => {
                    return self
                        .semantic_error(tok, "a chain cannot have more than one != operator");
                }
                BinOp::Disjoint if ops.iter().all(|&(o, _, _)| o == BinOp::Disjoint) => None,
                BinOp::Disjoint => {
                    return self.semantic_error(
                        tok,
                        "this chain cannot continue with a disjoint operator",
                    );
                }
                _ => return self.semantic_error(tok, "this operator cannot be part of a chain"),
            };
            let _ = k;
            match (direction, this) {
                (Some(old), Some(new)) if old != new => {
                    let message = if new {
                        "this operator chain cannot continue with an ascending operator"
                    } else {
                        "this operator chain cannot continue with a descending operator"
                    };
                    return self.semantic_error(tok, message);
                }
                (None, Some(new)) => direction = Some(new),
                _ => {}
            }
        }
    }

    fn shift(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let mut left = self.term(ctx)?;
        let mut length = 0;
        loop {
            let op = match self.kind() {
                Tok::P(P::Shl) => BinOp::Shl,
                Tok::P(P::Gt) if self.adjacent_gt() => BinOp::Shr,
                _ => return Ok(left),
            };
            self.chain_limit(&mut length)?;
            let tok = self.bump();
            if op == BinOp::Shr {
                self.bump();
            }
            let right = self.term(ctx)?;
            left = self.binary(start, tok, op, left, right);
        }
    }

    fn term(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let mut left = self.factor(ctx)?;
        let mut length = 0;
        loop {
            let op = match self.kind() {
                Tok::P(P::Plus) => BinOp::Add,
                Tok::P(P::Minus) => BinOp::Sub,
                _ => return Ok(left),
            };
            self.chain_limit(&mut length)?;
            let tok = self.bump();
            let right = self.factor(ctx)?;
            left = self.binary(start, tok, op, left, right);
        }
    }

    fn factor(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let mut left = self.bits(ctx)?;
        let mut length = 0;
        loop {
            let op = match self.kind() {
                Tok::P(P::Star) => BinOp::Mul,
                Tok::P(P::Slash) => BinOp::Div,
                Tok::P(P::Percent) => BinOp::Mod,
                _ => return Ok(left),
            };
            self.chain_limit(&mut length)?;
            let tok = self.bump();
            let right = self.bits(ctx)?;
            left = self.binary(start, tok, op, left, right);
        }
    }

    fn bits(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let mut left = self.conversion(ctx)?;
        let mut length = 0;
        loop {
            let op = match self.kind() {
                Tok::P(P::And) => BinOp::BitAnd,
                Tok::P(P::Bar) if ctx.bar => BinOp::BitOr,
                Tok::P(P::Caret) => BinOp::BitXor,
                _ => return Ok(left),
            };
            self.chain_limit(&mut length)?;
            let tok = self.bump();
            let right = self.conversion(ctx)?;
            left = self.binary(start, tok, op, left, right);
        }
    }

    fn conversion(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let mut value = self.unary(ctx)?;
        let mut length = 0;
        loop {
            let is_test = match self.kind() {
                Tok::Kw(Kw::As) => false,
                Tok::Kw(Kw::Is) => true,
                _ => return Ok(value),
            };
            self.chain_limit(&mut length)?;
            let tok = self.bump();
            let ty = self.type_()?;
            let kind = if is_test {
                ExprKind::Test(value, ty)
            } else {
                ExprKind::Convert(value, ty)
            };
            value = self.push_expr(start, tok, kind);
        }
    }

    fn unary(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let op = match self.kind() {
            Tok::P(P::Minus) => UnOp::Neg,
            Tok::P(P::Not | P::NotP) => UnOp::Not,
            // `!!` before an operand is a double negation.
            Tok::P(P::NotBangBang) => {
                let tok = self.bump();
                let operand = self.nested(|p| p.unary(ctx))?;
                let inner = self.push_expr(tok, tok, ExprKind::Unary(UnOp::Not, operand));
                return Ok(self.push_expr(tok, tok, ExprKind::Unary(UnOp::Not, inner)));
            }
            _ => return self.primary(ctx),
        };
        let tok = self.bump();
        let operand = self.nested(|p| p.unary(ctx))?;
        Ok(self.push_expr(tok, tok, ExprKind::Unary(op, operand)))
    }
}

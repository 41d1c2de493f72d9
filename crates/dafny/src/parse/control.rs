//! Conditionals, loops, `match` and `forall` statements.

use super::token::{Kw, P, Tok};
use super::{Ctx, PResult, Parser};
use crate::ast::{Case, ExprId, Guard, GuardedCase, LocalVar, QVar, StmtId, StmtKind};
use stet_base::Span;

impl Parser<'_> {
    /// Whether `x, y: T :| …` starts here.
    pub(crate) fn is_binding_guard(&self) -> bool {
        let mut at = self.at;
        loop {
            if self.token_at(at).kind != Tok::Ident {
                return false;
            }
            at += 1;
            match self.token_at(at).kind {
                Tok::P(P::ColonBar) => return true,
                Tok::P(P::Comma) => at += 1,
                Tok::P(P::Colon) => return self.bar_after_type(at + 1),
                Tok::P(P::LBraceColon) => return self.bar_after_type(at + 1),
                _ => return false,
            }
        }
    }

    /// Whether `:|` follows a type (and further variables) at `at`, before anything a type cannot contain.
    pub(crate) fn bar_after_type(&self, mut at: usize) -> bool {
        for _ in 0..100 {
            match self.token_at(at).kind {
                Tok::P(P::ColonBar) => return true,
                Tok::P(
                    P::LBrace | P::Semi | P::ColonEq | P::FatArrow | P::EqEq | P::AndAnd | P::ImpA,
                )
                | Tok::Eof => return false,
                _ => at += 1,
            }
        }
        false
    }

    pub(crate) fn binding_guard(&mut self) -> PResult<(Vec<QVar>, ExprId, Span)> {
        let mut vars = Vec::new();
        loop {
            let name = self.wild_ident()?;
            let ty = self.optional_type()?;
            let mut bound = super::primary::plain_var(name, ty);
            bound.attrs = self.attributes()?;
            vars.push(bound);
            if !self.eat(P::Comma) {
                break;
            }
        }
        let place = self.expect(P::ColonBar)?;
        Ok((vars, self.expr(Ctx::GUARD)?, place))
    }

    pub(crate) fn guard(&mut self, ctx: Ctx) -> PResult<Guard> {
        if self.eat(P::Star) {
            return Ok(Guard::Any);
        }
        if self.eat(P::Ellipsis) {
            return Ok(Guard::Skeleton);
        }
        if self.is(P::LParen)
            && self.peek(1) == Tok::P(P::Star)
            && self.peek(2) == Tok::P(P::RParen)
        {
            self.bump();
            self.bump();
            self.bump();
            return Ok(Guard::Any);
        }
        if self.kind() == Tok::Ident && self.is_binding_guard() {
            let (vars, condition, place) = self.binding_guard()?;
            return Ok(Guard::Binding(vars, condition, place));
        }
        Ok(Guard::Expr(self.expr(ctx)?))
    }

    pub(crate) fn if_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let attrs = self.attributes()?;
        if self.is_kw(Kw::Case) || (self.is(P::LBrace) && self.peek(1) == Tok::Kw(Kw::Case)) {
            let braces = self.eat(P::LBrace);
            let cases = self.guarded_cases()?;
            if braces {
                self.expect(P::RBrace)?;
            }
            let stmt = self.push_stmt(start, start, StmtKind::IfCases(cases, braces));
            return Ok(self.with_attrs(stmt, attrs));
        }
        let guard = self.guard(Ctx::NO_LEMMA)?;
        let then = self.block()?;
        let els = if self.eat_kw(Kw::Else) {
            Some(if self.is_kw(Kw::If) {
                self.nested(Self::if_stmt)?
            } else {
                self.block()?
            })
        } else {
            None
        };
        let stmt = self.push_stmt(start, start, StmtKind::If { guard, then, els });
        Ok(self.with_attrs(stmt, attrs))
    }

    pub(crate) fn guarded_cases(&mut self) -> PResult<Vec<GuardedCase>> {
        let mut cases = Vec::new();
        while self.is_kw(Kw::Case) {
            let span = self.bump();
            let attrs = self.attributes()?;
            let guard = self.guard(Ctx::GUARD)?;
            self.expect(P::FatArrow)?;
            let body = self.case_body()?;
            cases.push(GuardedCase {
                guard,
                body,
                attrs,
                span,
            });
        }
        Ok(cases)
    }

    /// Statements up to the next `case` or closing brace.
    pub(crate) fn case_body(&mut self) -> PResult<Vec<StmtId>> {
        let mut stmts = Vec::new();
        while !self.is(P::RBrace) && !self.is_kw(Kw::Case) && self.kind() != Tok::Eof {
            if self.is_kw(Kw::New) {
                break;
            }
            stmts.push(self.statement()?);
        }
        Ok(stmts)
    }

    pub(crate) fn while_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let attrs = self.attributes()?;
        let spec_first = matches!(
            self.kind(),
            Tok::Kw(Kw::Invariant | Kw::Decreases | Kw::Modifies)
        );
        if spec_first
            || self.is_kw(Kw::Case)
            || (self.is(P::LBrace) && self.peek(1) == Tok::Kw(Kw::Case))
        {
            let spec = Box::new(self.spec()?);
            let braces = self.eat(P::LBrace);
            let cases = self.guarded_cases()?;
            if braces {
                self.expect(P::RBrace)?;
            }
            let stmt = self.push_stmt(start, start, StmtKind::WhileCases { cases, spec });
            return Ok(self.with_attrs(stmt, attrs));
        }
        let guard = self.guard(Ctx::NO_LEMMA)?;
        let spec = Box::new(self.spec()?);
        let body_skeleton = self.eat(P::Ellipsis);
        let body = self.loop_body(body_skeleton)?;
        let kind = StmtKind::While {
            guard,
            spec,
            body,
            body_skeleton,
        };
        let stmt = self.push_stmt(start, start, kind);
        Ok(self.with_attrs(stmt, attrs))
    }

    pub(crate) fn loop_body(&mut self, skeleton: bool) -> PResult<Option<StmtId>> {
        if skeleton {
            self.eat(P::Semi);
            return Ok(None);
        }
        if self.is(P::LBrace) {
            return Ok(Some(self.block()?));
        }
        // A loop without a body.
        Ok(None)
    }

    pub(crate) fn for_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let attrs = self.attributes()?;
        let name = self.wild_ident()?;
        let ty = self.optional_type()?;
        self.expect(P::ColonEq)?;
        let first = self.expr(Ctx::GUARD)?;
        let up = if self.is_word("to") {
            true
        } else if self.is_word("downto") {
            false
        } else {
            return self.error("invalid ForStmt");
        };
        self.bump();
        let end = if self.eat(P::Star) {
            None
        } else {
            Some(self.expr(Ctx::NO_LEMMA)?)
        };
        let spec = Box::new(self.spec()?);
        let body = self.loop_body(false)?;
        let kind = StmtKind::For {
            var: LocalVar {
                name,
                ty,
                ghost: false,
                attrs: Vec::new(),
            },
            start: first,
            end,
            up,
            spec,
            body,
        };
        let stmt = self.push_stmt(start, start, kind);
        Ok(self.with_attrs(stmt, attrs))
    }

    pub(crate) fn match_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let attrs = self.attributes()?;
        let scrutinee = self.expr(Ctx::NO_LEMMA)?;
        let braces = self.eat(P::LBrace);
        let mut cases = Vec::new();
        while self.is_kw(Kw::Case) {
            let span = self.bump();
            let attrs = self.attributes()?;
            let pat = self.case_pattern()?;
            self.expect(P::FatArrow)?;
            let body = self.case_body()?;
            cases.push(Case {
                pat,
                body,
                attrs,
                span,
            });
        }
        if braces {
            self.expect(P::RBrace)?;
        }
        let stmt = self.push_stmt(start, start, StmtKind::Match(scrutinee, cases, braces));
        Ok(self.with_attrs(stmt, attrs))
    }

    pub(crate) fn forall_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let mut vars = Vec::new();
        let mut attrs = Vec::new();
        let mut range = None;
        let parens = self.is(P::LParen);
        if parens {
            self.bump();
        }
        if self.kind() == Tok::Ident || self.is(P::LBraceColon) {
            (vars, attrs, range) = self.statement_domain()?;
        }
        if parens {
            self.expect(P::RParen)?;
            self.warning(
                start,
                "parentheses around the bound variables of a forall statement are deprecated",
            );
        }
        if vars.is_empty() {
            let message = "a forall statement with no bound variables is deprecated; use an 'assert by' statement instead";
            self.warning(start, message);
        }
        let spec = self.spec()?;
        let body = if self.is(P::LBrace) {
            Some(self.block()?)
        } else {
            self.old_semicolon_quiet();
            None
        };
        let kind = StmtKind::Forall {
            vars,
            attrs,
            range,
            ensures: spec.ensures,
            body,
        };
        Ok(self.push_stmt(start, start, kind))
    }

    pub(crate) fn old_semicolon_quiet(&mut self) {
        if self.is(P::Semi) {
            self.bump();
        }
    }
}

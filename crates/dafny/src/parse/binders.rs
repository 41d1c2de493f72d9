//! Conditionals and expressions that bind variables.

use super::primary::plain_var;
use super::token::{Kw, P, Tok};
use super::{Ctx, PResult, Parser};
use crate::ast::{Attr, Case, ExprId, ExprKind, PatKind, QVar};

/// What follows the variables of a comprehension.
pub(crate) struct Domain {
    pub(crate) vars: Vec<QVar>,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) range: Option<ExprId>,
}

impl Parser<'_> {
    pub(crate) fn if_expr(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.bump();
        if self.kind() == Tok::Ident && self.is_binding_guard() {
            let (vars, condition, _) = self.binding_guard()?;
            let (then, els) = self.branches(ctx)?;
            return Ok(self.push_expr(
                start,
                start,
                ExprKind::IteBinding(vars, condition, then, els),
            ));
        }
        let condition = self.expr(Ctx::FULL)?;
        let (then, els) = self.branches(ctx)?;
        Ok(self.push_expr(start, start, ExprKind::Ite(condition, then, els)))
    }

    pub(crate) fn branches(&mut self, ctx: Ctx) -> PResult<(ExprId, ExprId)> {
        self.expect_kw(Kw::Then, "\"then\"")?;
        let then = self.expr(Ctx::FULL)?;
        self.expect_kw(Kw::Else, "\"else\"")?;
        Ok((then, self.expr(ctx)?))
    }

    pub(crate) fn match_expr(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.bump();
        let scrutinee = self.expr(Ctx::FULL)?;
        let braces = self.eat(P::LBrace);
        let mut cases = Vec::new();
        while self.is_kw(Kw::Case) {
            let span = self.bump();
            let attrs = self.attributes()?;
            let pat = self.case_pattern()?;
            self.expect(P::FatArrow)?;
            let body = self.expr(if braces { Ctx::FULL } else { ctx })?;
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
        Ok(self.push_expr(start, start, ExprKind::Match(scrutinee, cases)))
    }

    /// Bound variables with domains, ranges and attributes, and the common range.
    pub(crate) fn domain(&mut self, ctx: Ctx) -> PResult<Domain> {
        let mut attrs = self.attributes()?;
        let mut vars = Vec::new();
        loop {
            vars.push(self.quantified_var()?);
            if !self.eat(P::Comma) {
                break;
            }
        }
        attrs.extend(self.attributes()?);
        let mut range = None;
        if self.eat(P::Bar) {
            range = Some(self.expr(Ctx {
                lemma: false,
                ..ctx
            })?);
            // `x <- C | P, y <- D | Q`: what was read belongs to the variable before.
            while self.eat(P::Comma) {
                if let Some(last) = vars.last_mut() {
                    last.range = range.take();
                }
                vars.push(self.quantified_var()?);
                if self.eat(P::Bar) {
                    range = Some(self.expr(Ctx {
                        lemma: false,
                        ..ctx
                    })?);
                }
            }
        }
        // Attributes after a variable are those of the whole binder: `forall x {:trigger f(x)} :: …`.
        for var in &mut vars {
            attrs.append(&mut var.attrs);
        }
        Ok(Domain { vars, attrs, range })
    }

    pub(crate) fn quantified_var(&mut self) -> PResult<QVar> {
        let name = self.wild_ident()?;
        let ty = self.optional_type()?;
        let domain = if self.eat(P::LArrow) {
            Some(self.expr(Ctx {
                bar: false,
                lemma: false,
                lambda: true,
            })?)
        } else {
            None
        };
        let attrs = self.attributes()?;
        Ok(QVar {
            domain,
            attrs,
            ..plain_var(name, ty)
        })
    }

    /// The variables and range of a `forall` statement.
    pub(crate) fn statement_domain(&mut self) -> PResult<(Vec<QVar>, Vec<Attr>, Option<ExprId>)> {
        let domain = self.domain(Ctx::NO_LEMMA)?;
        Ok((domain.vars, domain.attrs, domain.range))
    }

    pub(crate) fn quantifier(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let forall = matches!(self.kind(), Tok::Kw(Kw::Forall) | Tok::P(P::AllP));
        let start = self.bump();
        let domain = self.domain(ctx)?;
        if !matches!(self.kind(), Tok::P(P::ColonColon | P::DotP)) {
            return self.error("invalid QuantifierExpression");
        }
        self.bump();
        let body = self.expr(ctx)?;
        let kind = ExprKind::Quant {
            forall,
            vars: domain.vars,
            attrs: domain.attrs,
            range: domain.range,
            body,
        };
        Ok(self.push_expr(start, start, kind))
    }

    pub(crate) fn set_comp(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let finite = self.is_kw(Kw::Set);
        let start = self.bump();
        let domain = self.domain(ctx)?;
        let mut term = None;
        if matches!(self.kind(), Tok::P(P::ColonColon | P::DotP)) {
            self.bump();
            term = Some(self.expr(ctx)?);
        } else if domain.vars.len() > 1 {
            let span = self.previous();
            self.semantic_error(
                span,
                "a set comprehension with more than one bound variable must have a term expression",
            );
        }
        let kind = ExprKind::SetComp {
            finite,
            vars: domain.vars,
            attrs: domain.attrs,
            range: domain.range,
            term,
        };
        Ok(self.push_expr(start, start, kind))
    }

    pub(crate) fn map_comp(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let finite = self.is_kw(Kw::Map);
        let start = self.bump();
        let domain = self.domain(ctx)?;
        if !matches!(self.kind(), Tok::P(P::ColonColon | P::DotP)) {
            return self.error("invalid MapComprehensionExpr");
        }
        self.bump();
        let mut key = None;
        let mut value = self.expr(ctx)?;
        if self.eat(P::ColonEq) {
            key = Some(value);
            value = self.expr(ctx)?;
        } else if domain.vars.len() > 1 {
            self.semantic_error(
                start,
                "a map comprehension with more than one bound variable must have a term expression of the form 'Expr := Expr'",
            );
        }
        let kind = ExprKind::MapComp {
            finite,
            vars: domain.vars,
            attrs: domain.attrs,
            range: domain.range,
            key,
            value,
        };
        Ok(self.push_expr(start, start, kind))
    }

    pub(crate) fn let_expr(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let ghost = self.eat_kw(Kw::Ghost);
        self.bump();
        let mut attrs = self.attributes()?;
        let mut pats = vec![self.pattern()?];
        while self.eat(P::Comma) {
            pats.push(self.pattern()?);
        }
        attrs.extend(self.attributes()?);
        let inner = Ctx {
            lemma: false,
            lambda: true,
            bar: true,
        };
        let tok = self.span();
        match self.kind() {
            Tok::P(P::ColonMinus) => {
                self.bump();
                let value = self.expr(inner)?;
                self.expect(P::Semi)?;
                let body = self.expr(ctx)?;
                let kind = ExprKind::LetOrFail {
                    ghost,
                    pat: pats.first().copied(),
                    value,
                    body,
                };
                Ok(self.push_expr(start, tok, kind))
            }
            Tok::P(P::ColonBar) => {
                self.bump();
                let condition = self.expr(inner)?;
                self.expect(P::Semi)?;
                let vars = self.patterns_as_vars(&pats)?;
                let body = self.expr(ctx)?;
                let kind = ExprKind::LetSuchThat {
                    ghost,
                    vars,
                    condition,
                    body,
                    attrs,
                };
                Ok(self.push_expr(start, start, kind))
            }
            _ => {
                self.expect(P::ColonEq)?;
                let mut values = vec![self.expr(inner)?];
                while self.eat(P::Comma) {
                    values.push(self.expr(inner)?);
                }
                self.expect(P::Semi)?;
                let body = self.expr(ctx)?;
                let kind = ExprKind::Let {
                    ghost,
                    pats,
                    values,
                    body,
                    attrs,
                };
                Ok(self.push_expr(start, start, kind))
            }
        }
    }

    pub(crate) fn patterns_as_vars(&mut self, pats: &[crate::ast::PatId]) -> PResult<Vec<QVar>> {
        let mut vars = Vec::new();
        for &pat in pats {
            let found = match &self.ast.pats[pat].kind {
                PatKind::Id {
                    path,
                    args: None,
                    ty,
                    ..
                } if path.len() == 1 => Some(plain_var(path[0], *ty)),
                _ => None,
            };
            match found {
                Some(var) => vars.push(var),
                None => {
                    let span = self.ast.pats[pat].span;
                    self.semantic_error(
                        span,
                        "LHS of let-such-that expression must be variables, not general patterns",
                    );
                }
            }
        }
        Ok(vars)
    }
}

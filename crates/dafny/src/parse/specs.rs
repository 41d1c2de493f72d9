//! Attributes and specification clauses.

use super::token::{Kw, P, Tok};
use super::{Ctx, PResult, Parser};
use crate::ast::{Attr, Clause, Decreases, ExprKind, Frame, FrameItem, Spec};
use stet_base::Span;

impl Parser<'_> {
    /// `{:name args}`, any number of times.
    pub(crate) fn attributes(&mut self) -> PResult<Vec<Attr>> {
        let mut attrs = Vec::new();
        while self.is(P::LBraceColon) {
            self.bump();
            let name = match self.kind() {
                Tok::Ident | Tok::Kw(_) => {
                    let span = self.bump();
                    self.name_of(span)
                }
                _ => return self.error("ident expected"),
            };
            let mut args = Vec::new();
            while !self.is(P::RBrace) {
                args.push(self.expr(Ctx::NO_LEMMA)?);
                if !self.eat(P::Comma) {
                    break;
                }
            }
            self.expect(P::RBrace)?;
            attrs.push(Attr { name, args });
        }
        Ok(attrs)
    }

    /// `@Name(args)`, any number of times; the names become those of the braces form.
    pub(crate) fn at_attributes(&mut self) -> PResult<Vec<Attr>> {
        let mut attrs = Vec::new();
        while self.is(P::At) && self.peek(1) == Tok::Ident {
            self.bump();
            let written = self.ident()?;
            let mut args = Vec::new();
            if self.eat(P::LParen) {
                args = self.args(P::RParen, false)?;
                self.expect(P::RParen)?;
            }
            let text = braces_name(self.text_of(written.span));
            let name = crate::ast::Name {
                sym: self.names.intern(&text),
                span: written.span,
            };
            let args = args.into_iter().map(|arg| arg.value).collect();
            attrs.push(Attr { name, args });
        }
        Ok(attrs)
    }

    fn clause(&mut self, free: bool, ctx: Ctx) -> PResult<Clause> {
        let span = self.bump();
        let attrs = self.attributes()?;
        let label =
            if matches!(self.kind(), Tok::Ident | Tok::Int) && self.peek(1) == Tok::P(P::Colon) {
                let span = self.bump();
                self.bump();
                Some(self.name_of(span))
            } else {
                None
            };
        let expr = self.expr(ctx)?;
        self.old_semicolon();
        Ok(Clause {
            expr,
            label,
            attrs,
            free,
            span,
        })
    }

    /// A semicolon after a clause, which the old syntax wanted.
    pub(crate) fn old_semicolon(&mut self) {
        if self.is(P::Semi) {
            let span = self.bump();
            self.warning(span, "deprecated style: a semi-colon is not needed here");
        }
    }

    /// One frame expression: `e`, ``e`f`` or `` `f``.
    pub(crate) fn frame_item(&mut self, ctx: Ctx) -> PResult<FrameItem> {
        let start = self.span();
        if self.eat(P::Backtick) {
            let field = self.ident()?;
            let expr = self.push_expr(start, start, ExprKind::This);
            return Ok(FrameItem {
                expr,
                field: Some(field),
                span: start,
            });
        }
        if self.is(P::Star) {
            self.bump();
            self.eat(P::Star);
            let expr = self.push_expr(start, start, ExprKind::Wild);
            return Ok(FrameItem {
                expr,
                field: None,
                span: start,
            });
        }
        let expr = self.expr(ctx)?;
        // A field after a comprehension is a field of all its objects.
        if let ExprKind::SetComp {
            term: Some(term), ..
        } = self.ast.exprs[expr].kind
            && let ExprKind::FieldLocation(object, field) = self.ast.exprs[term].kind
        {
            if let ExprKind::SetComp { term, .. } = &mut self.ast.exprs[expr].kind {
                *term = Some(object);
            }
            return Ok(FrameItem {
                expr,
                field: Some(field),
                span: self.ast.exprs[expr].tok,
            });
        }
        let inner = &self.ast.exprs[expr];
        let tok = inner.tok;
        if let ExprKind::FieldLocation(object, field) = inner.kind {
            return Ok(FrameItem {
                expr: object,
                field: Some(field),
                span: tok,
            });
        }
        Ok(FrameItem {
            expr,
            field: None,
            span: tok,
        })
    }

    /// `reads …` or `modifies …`, appended to `frame`.
    pub(crate) fn reads_clause(&mut self, frame: &mut Frame, lambda: bool) -> PResult<()> {
        let span = self.bump();
        frame.given = Some(span);
        frame.attrs.extend(self.attributes()?);
        let ctx = Ctx {
            lemma: false,
            lambda,
            bar: true,
        };
        loop {
            let item = self.frame_item(ctx)?;
            frame.items.push(item);
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.old_semicolon();
        Ok(())
    }

    fn decreases_clause(&mut self, decreases: &mut Decreases) -> PResult<()> {
        let span = self.bump();
        decreases.given = Some(span);
        decreases.attrs.extend(self.attributes()?);
        loop {
            let expr = if self.is(P::Star) {
                let star = self.bump();
                self.push_expr(star, star, ExprKind::Wild)
            } else {
                self.expr(Ctx::NO_LEMMA)?
            };
            decreases.exprs.push(expr);
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.old_semicolon();
        Ok(())
    }

    /// All clauses that follow; which of them make sense is the caller's or resolver's matter.
    pub(crate) fn spec(&mut self) -> PResult<Spec> {
        let mut spec = Spec::default();
        loop {
            let free = self.is_word("free");
            let ahead = usize::from(free);
            let yields = self.peek(ahead) == Tok::Kw(Kw::Yield);
            let keyword = self.peek(ahead + usize::from(yields));
            let known = matches!(keyword, Tok::Kw(Kw::Requires | Kw::Ensures | Kw::Invariant))
                || (!yields
                    && !free
                    && matches!(keyword, Tok::Kw(Kw::Reads | Kw::Modifies | Kw::Decreases)));
            if !known {
                return Ok(spec);
            }
            for _ in 0..ahead + usize::from(yields) {
                self.bump();
            }
            self.spec_clause(&mut spec, keyword, free, yields)?;
        }
    }

    fn spec_clause(
        &mut self,
        spec: &mut Spec,
        keyword: Tok,
        free: bool,
        yields: bool,
    ) -> PResult<()> {
        let ctx = Ctx::NO_LEMMA;
        match keyword {
            Tok::Kw(Kw::Requires) => {
                let clause = self.clause(free, ctx)?;
                let list = if yields {
                    &mut spec.yield_requires
                } else {
                    &mut spec.requires
                };
                list.push(clause);
            }
            Tok::Kw(Kw::Ensures) => {
                let clause = self.clause(free, ctx)?;
                let list = if yields {
                    &mut spec.yield_ensures
                } else {
                    &mut spec.ensures
                };
                list.push(clause);
            }
            Tok::Kw(Kw::Invariant) => {
                let clause = self.clause(free, ctx)?;
                spec.invariants.push(clause);
            }
            Tok::Kw(Kw::Reads) => self.reads_clause(&mut spec.reads, true)?,
            Tok::Kw(Kw::Modifies) => self.reads_clause(&mut spec.modifies, true)?,
            _ => self.decreases_clause(&mut spec.decreases)?,
        }
        Ok(())
    }

    /// Reports the keyword of a repeated modifier.
    pub(crate) fn set_modifier(&mut self, slot: &mut Option<Span>) {
        let span = self.bump();
        if slot.is_some() {
            let word = self.text_of(span);
            self.semantic_error(span, format!("Duplicate declaration modifier: {word}"));
        }
        *slot = Some(span);
    }
}

/// `IsolateAssertions` to `isolate_assertions`.
fn braces_name(text: &str) -> String {
    match text {
        "VerifyOnly" => return "only".to_owned(),
        "Verify" => return "verify".to_owned(),
        _ => {}
    }
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if c.is_ascii_uppercase() {
            if i > 0 {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(c);
        }
    }
    out
}

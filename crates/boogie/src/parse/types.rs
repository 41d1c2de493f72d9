//! Types, type parameters, and lists of typed identifiers.

use super::token::Tok;
use super::{Ident, Parser};
use crate::ast::*;
use crate::program::{TypeVar, VarKind, Variable};
use stet_base::Span;

/// Where a list of typed identifiers stands.
#[derive(Clone, Copy)]
pub(super) struct IdsContext {
    pub(super) kind: VarKind,
    pub(super) name: &'static str,
    pub(super) attributes: bool,
    pub(super) where_clauses: bool,
}

impl Parser<'_> {
    fn push_type(&mut self, span: Span, kind: TypeExprKind) -> TypeExprId {
        self.program.type_exprs.push(TypeExpr { span, kind })
    }

    pub(super) fn starts_type(&self) -> bool {
        matches!(
            self.la(),
            Tok::Int | Tok::Real | Tok::Bool | Tok::LParen | Tok::Ident | Tok::LBracket | Tok::Lt
        )
    }

    fn starts_type_args(&self) -> bool {
        self.starts_type()
    }

    pub(super) fn type_(&mut self) -> TypeExprId {
        if !self.enter() {
            let span = self.la_span();
            self.leave();
            return self.push_type(span, TypeExprKind::Bool);
        }
        let result = match self.la() {
            Tok::Int | Tok::Real | Tok::Bool | Tok::LParen => self.type_atom(),
            Tok::Ident => {
                let id = self.ident();
                let mut args = Vec::new();
                if self.starts_type_args() {
                    self.type_args(&mut args);
                }
                self.named(id, args)
            }
            Tok::LBracket | Tok::Lt => self.map_type(),
            _ => {
                self.invalid("Type");
                let span = self.la_span();
                self.push_type(span, TypeExprKind::Bool)
            }
        };
        self.leave();
        result
    }

    fn named(&mut self, id: Ident, args: Vec<TypeExprId>) -> TypeExprId {
        let text = self.program.names.text(id.name);
        let kind = builtin_type(text)
            .filter(|_| args.is_empty())
            .unwrap_or(TypeExprKind::Named {
                name: id.name,
                args: args.into(),
            });
        self.push_type(id.span, kind)
    }

    fn type_args(&mut self, args: &mut Vec<TypeExprId>) {
        loop {
            match self.la() {
                Tok::Int | Tok::Real | Tok::Bool | Tok::LParen => {
                    let ty = self.type_atom();
                    args.push(ty);
                }
                Tok::Ident => {
                    let id = self.ident();
                    let ty = self.named(id, Vec::new());
                    args.push(ty);
                }
                Tok::LBracket | Tok::Lt => {
                    let ty = self.map_type();
                    args.push(ty);
                    return;
                }
                _ => {
                    self.invalid("TypeArgs");
                    return;
                }
            }
            if !self.starts_type_args() {
                return;
            }
        }
    }

    fn type_atom(&mut self) -> TypeExprId {
        self.get();
        let span = self.last_span();
        match self.last().kind {
            Tok::Int => self.push_type(span, TypeExprKind::Int),
            Tok::Real => self.push_type(span, TypeExprKind::Real),
            Tok::Bool => self.push_type(span, TypeExprKind::Bool),
            _ => {
                let ty = self.type_();
                self.expect(Tok::RParen);
                ty
            }
        }
    }

    fn map_type(&mut self) -> TypeExprId {
        let mut span = self.la_span();
        let mut params = Vec::new();
        if self.la() == Tok::Lt {
            params = self.type_params();
        } else {
            span = self.la_span();
        }
        self.expect(Tok::LBracket);
        let mut args = Vec::new();
        if self.starts_type() {
            args.push(self.type_());
            while self.eat(Tok::Comma) {
                args.push(self.type_());
            }
        }
        self.expect(Tok::RBracket);
        let result = self.type_();
        self.push_type(
            span,
            TypeExprKind::Map {
                params: params.into(),
                args: args.into(),
                result,
            },
        )
    }

    /// `<a, b>`.
    pub(super) fn type_params(&mut self) -> Vec<TypeVarId> {
        self.expect(Tok::Lt);
        let ids = self.idents();
        self.expect(Tok::Gt);
        ids.into_iter().map(|id| self.type_var(id)).collect()
    }

    pub(super) fn type_var(&mut self, id: Ident) -> TypeVarId {
        self.program.type_vars.push(TypeVar {
            name: id.name,
            span: id.span,
        })
    }

    pub(super) fn optional_type_params(&mut self) -> Vec<TypeVarId> {
        if self.la() == Tok::Lt {
            self.type_params()
        } else {
            Vec::new()
        }
    }

    /// `{attributes} ids: T where e, …` for formals and bound variables.
    pub(super) fn attrs_ids_type_wheres(&mut self, context: IdsContext, vars: &mut Vec<VarId>) {
        loop {
            let mut attrs = Attributes::default();
            while self.la() == Tok::LBrace {
                self.attribute(&mut attrs);
                if !context.attributes {
                    attrs = Attributes::default();
                    self.semantic_error(&format!("attributes are not allowed on {}", context.name));
                }
            }
            self.ids_type_where(context, &attrs, vars);
            if !self.eat(Tok::Comma) {
                return;
            }
        }
    }

    /// `ids: T where e, …` for globals and locals, which share `attrs`.
    pub(super) fn ids_type_wheres(
        &mut self,
        context: IdsContext,
        attrs: &Attributes,
        vars: &mut Vec<VarId>,
    ) {
        loop {
            self.ids_type_where(context, attrs, vars);
            if !self.eat(Tok::Comma) {
                return;
            }
        }
    }

    fn ids_type_where(&mut self, context: IdsContext, attrs: &Attributes, vars: &mut Vec<VarId>) {
        let ids = self.idents();
        self.expect(Tok::Colon);
        let ty = self.type_();
        let mut where_clause = None;
        if self.eat(Tok::Where) {
            let expr = self.expression();
            if context.where_clauses {
                where_clause = Some(expr);
            } else {
                self.semantic_error(&format!("where clause not allowed on {}", context.name));
            }
        }
        for id in ids {
            vars.push(self.program.vars.push(Variable {
                name: id.name,
                span: id.span,
                kind: context.kind,
                type_expr: Some(ty),
                ty: None,
                where_clause,
                attrs: attrs.clone(),
            }));
        }
    }
}

/// The types named by words that are no keywords.
fn builtin_type(name: &str) -> Option<TypeExprKind> {
    if let Some(width) = name.strip_prefix("bv") {
        return number(width).map(TypeExprKind::Bv);
    }
    if let Some(size) = name.strip_prefix("float") {
        let (significand, exponent) = size.split_once('e')?;
        return Some(TypeExprKind::Float(number(significand)?, number(exponent)?));
    }
    (name == "rmode").then_some(TypeExprKind::RMode)
}

fn number(digits: &str) -> Option<u32> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| all_digits)
}

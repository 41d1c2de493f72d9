//! Expressions, attributes and triggers.

use super::literals;
use super::token::Tok;
use super::{Parser, types::IdsContext};
use crate::ast::*;
use crate::program::{VarKind, Variable};
use num_bigint::BigInt;
use stet_base::Span;

/// What the parser holds before it knows whether `a:b` is the bounds of an extraction.
#[derive(Clone, Copy)]
enum Parsed {
    Expr(ExprId),
    /// `[upper:lower]`.
    Bounds(Bounds),
}

#[derive(Clone, Copy)]
struct Bounds {
    span: Span,
    upper: u32,
    lower: u32,
}

impl Parser<'_> {
    /// An expression; bit-vector bounds in a wrong place are errors.
    pub(super) fn expression(&mut self) -> ExprId {
        let parsed = self.expression_or_bounds();
        self.plain(parsed)
    }

    fn plain(&mut self, parsed: Parsed) -> ExprId {
        match parsed {
            Parsed::Expr(expr) => expr,
            Parsed::Bounds(bounds) => {
                // Boogie tells during resolution.
                let expr = self.push_expr(bounds.span, ExprKind::Bool(false), 0);
                self.program.misplaced_bounds.insert(expr);
                expr
            }
        }
    }

    fn dummy(&mut self) -> ExprId {
        let span = self.la_span();
        self.push_expr(span, ExprKind::Bool(false), 0)
    }

    fn expression_or_bounds(&mut self) -> Parsed {
        if !self.enter() {
            self.leave();
            return Parsed::Expr(self.dummy());
        }
        let mut left = self.implies(false);
        while self.eat(Tok::Iff) {
            let span = self.last_span();
            let right = self.implies(false);
            left = self.binary(span, BinaryOp::Iff, left, right);
        }
        self.leave();
        left
    }

    fn binary(&mut self, span: Span, op: BinaryOp, left: Parsed, right: Parsed) -> Parsed {
        let left = self.plain(left);
        let right = self.plain(right);
        let below = self.depth(left).max(self.depth(right));
        Parsed::Expr(self.push_expr(span, ExprKind::Binary(op, left, right), below))
    }

    fn implies(&mut self, no_explies: bool) -> Parsed {
        let first = self.logical();
        match self.la() {
            Tok::Implies => self.implies_chain(first),
            Tok::Explies => {
                if no_explies {
                    self.mixture();
                }
                let mut left = first;
                while self.eat(Tok::Explies) {
                    let span = self.last_span();
                    let right = self.logical();
                    left = self.binary(span, BinaryOp::Imp, right, left);
                }
                left
            }
            _ => first,
        }
    }

    /// `a ==> b ==> c`, right-associative, without recursion.
    fn implies_chain(&mut self, first: Parsed) -> Parsed {
        let mut operands = vec![first];
        let mut operators = Vec::new();
        while self.eat(Tok::Implies) {
            operators.push(self.last_span());
            operands.push(self.logical());
        }
        if self.la() == Tok::Explies {
            self.get();
            self.mixture();
            let span = self.last_span();
            let right = self.logical();
            if let Some(last) = operands.pop() {
                let joined = self.binary(span, BinaryOp::Imp, right, last);
                operands.push(joined);
            }
        }
        let mut result = operands.pop().unwrap_or(first);
        while let (Some(span), Some(left)) = (operators.pop(), operands.pop()) {
            result = self.binary(span, BinaryOp::Imp, left, result);
        }
        result
    }

    fn mixture(&mut self) {
        self.semantic_error("illegal mixture of ==> and <==, use parentheses to disambiguate");
    }

    fn logical(&mut self) -> Parsed {
        let mut left = self.relational();
        let (token, op) = match self.la() {
            Tok::And => (Tok::And, BinaryOp::And),
            Tok::Or => (Tok::Or, BinaryOp::Or),
            _ => return left,
        };
        while self.eat(token) {
            let span = self.last_span();
            let right = self.relational();
            left = self.binary(span, op, left, right);
        }
        left
    }

    fn relational(&mut self) -> Parsed {
        let mut left = self.bv_term();
        if self.la() == Tok::Ident && self.la_is("is") {
            self.get();
            let constructor = self.ident();
            let value = self.plain(left);
            let name = format!("is {}", self.program.name(constructor.name));
            left = Parsed::Expr(self.datatype_access(value, &name, constructor.span));
        }
        let op = match self.la() {
            Tok::EqEq => BinaryOp::Eq,
            Tok::Lt => BinaryOp::Lt,
            Tok::Gt => BinaryOp::Gt,
            Tok::Le => BinaryOp::Le,
            Tok::Ge => BinaryOp::Ge,
            Tok::Neq => BinaryOp::Neq,
            Tok::Subtype => BinaryOp::Subtype,
            _ => return left,
        };
        self.get();
        let span = self.last_span();
        let right = self.bv_term();
        self.binary(span, op, left, right)
    }

    fn bv_term(&mut self) -> Parsed {
        let mut left = self.term();
        while self.eat(Tok::Concat) {
            let span = self.last_span();
            let right = self.term();
            let (l, r) = (self.plain(left), self.plain(right));
            let below = self.depth(l).max(self.depth(r));
            left = Parsed::Expr(self.push_expr(span, ExprKind::Concat(l, r), below));
        }
        left
    }

    fn term(&mut self) -> Parsed {
        let mut left = self.factor();
        loop {
            let op = match self.la() {
                Tok::Plus => BinaryOp::Add,
                Tok::Minus => BinaryOp::Sub,
                _ => return left,
            };
            self.get();
            let span = self.last_span();
            let right = self.factor();
            left = self.binary(span, op, left, right);
        }
    }

    fn factor(&mut self) -> Parsed {
        let mut left = self.power();
        loop {
            let op = match self.la() {
                Tok::Star => BinaryOp::Mul,
                Tok::Div => BinaryOp::Div,
                Tok::Mod => BinaryOp::Mod,
                Tok::Slash => BinaryOp::RealDiv,
                _ => return left,
            };
            self.get();
            let span = self.last_span();
            let right = self.power();
            left = self.binary(span, op, left, right);
        }
    }

    fn power(&mut self) -> Parsed {
        let first = self.unary();
        if self.la() != Tok::Power {
            return first;
        }
        let mut operands = vec![first];
        let mut operators = Vec::new();
        while self.eat(Tok::Power) {
            operators.push(self.last_span());
            operands.push(self.unary());
        }
        let mut result = operands.pop().unwrap_or(first);
        while let (Some(span), Some(left)) = (operators.pop(), operands.pop()) {
            result = self.binary(span, BinaryOp::Pow, left, result);
        }
        result
    }

    fn unary(&mut self) -> Parsed {
        let mut operators = Vec::new();
        loop {
            let op = match self.la() {
                Tok::Minus => UnaryOp::Neg,
                Tok::Not => UnaryOp::Not,
                _ => break,
            };
            self.get();
            operators.push((op, self.last_span()));
        }
        if operators.is_empty() {
            return self.coercion();
        }
        if !self.starts_atom() {
            self.invalid("UnaryExpression");
            return Parsed::Expr(self.dummy());
        }
        let mut result = self.coercion();
        while let Some((op, span)) = operators.pop() {
            let arg = self.plain(result);
            let below = self.depth(arg);
            result = Parsed::Expr(self.push_expr(span, ExprKind::Unary(op, arg), below));
        }
        result
    }

    pub(super) fn starts_atom(&self) -> bool {
        matches!(
            self.la(),
            Tok::False
                | Tok::True
                | Tok::Rne
                | Tok::Rna
                | Tok::Rtp
                | Tok::Rtn
                | Tok::Rtz
                | Tok::Digits
                | Tok::Decimal
                | Tok::DecFloat
                | Tok::Float
                | Tok::BvLit
                | Tok::Ident
                | Tok::Old
                | Tok::Int
                | Tok::Real
                | Tok::LParen
                | Tok::If
                | Tok::CodeOpen
                | Tok::Str
        )
    }

    pub(super) fn starts_expression(&self) -> bool {
        self.starts_atom() || matches!(self.la(), Tok::Minus | Tok::Not)
    }

    fn coercion(&mut self) -> Parsed {
        if !self.starts_atom() {
            self.invalid("UnaryExpression");
            return Parsed::Expr(self.dummy());
        }
        let mut expr = Parsed::Expr(self.array());
        while self.eat(Tok::Colon) {
            let span = self.last_span();
            if self.starts_type() {
                let ty = self.type_();
                let arg = self.plain(expr);
                let below = self.depth(arg);
                expr = Parsed::Expr(self.push_expr(span, ExprKind::Ascribe(arg, ty), below));
            } else if self.la() == Tok::Digits {
                self.get();
                let lower = self.last_text().parse().unwrap_or(u32::MAX);
                let upper = self.small_literal(expr);
                expr = Parsed::Bounds(Bounds { span, upper, lower });
            } else {
                self.invalid("CoercionExpression");
            }
        }
        expr
    }

    /// The first bound of an extraction, which must be a literal.
    fn small_literal(&mut self, expr: Parsed) -> u32 {
        if let Parsed::Expr(e) = expr
            && let ExprKind::Int(value) = &self.program.exprs[e].kind
        {
            return u32::try_from(value.as_ref()).unwrap_or(u32::MAX);
        }
        self.semantic_error("arguments of extract need to be integer literals");
        0
    }

    fn array(&mut self) -> ExprId {
        let mut expr = self.atom();
        loop {
            if self.eat(Tok::LBracket) {
                let span = self.last_span();
                expr = self.brackets(span, expr);
            } else if self.at_arrow() {
                self.get();
                self.get();
                expr = self.field(expr);
            } else {
                return expr;
            }
        }
    }

    /// The rest of `x->field` or `x->(field := value)` after the arrow.
    fn field(&mut self, record: ExprId) -> ExprId {
        if !self.eat(Tok::LParen) {
            let field = self.ident();
            let name = format!("->{}", self.program.name(field.name));
            return self.datatype_access(record, &name, field.span);
        }
        let field = self.ident();
        self.expect(Tok::Assign);
        let value = self.expression();
        self.expect(Tok::RParen);
        let name = format!("->({}", self.program.name(field.name));
        let kind = ExprKind::Call {
            name: self.program.names.intern(&name),
            func: None,
            args: Box::new([record, value]),
        };
        let below = self.depth(record).max(self.depth(value));
        self.push_expr(field.span, kind, below)
    }

    /// `x->field` and `x is Constructor`: uses of members, which type checking resolves.
    pub(super) fn datatype_access(&mut self, value: ExprId, name: &str, span: Span) -> ExprId {
        let kind = ExprKind::Call {
            name: self.program.names.intern(name),
            func: None,
            args: Box::new([value]),
        };
        let below = self.depth(value);
        self.push_expr(span, kind, below)
    }

    fn brackets(&mut self, span: Span, map: ExprId) -> ExprId {
        let mut indices = Vec::new();
        let mut bounds = None;
        let mut value = None;
        if self.starts_expression() {
            match self.expression_or_bounds() {
                Parsed::Bounds(b) => bounds = Some(b),
                Parsed::Expr(e) => indices.push(e),
            }
            while self.eat(Tok::Comma) {
                match self.expression_or_bounds() {
                    Parsed::Expr(e) if bounds.is_none() => indices.push(e),
                    _ => self.semantic_error("bitvectors only have one dimension"),
                }
            }
            if self.eat(Tok::Assign) {
                match self.expression_or_bounds() {
                    Parsed::Expr(e) if bounds.is_none() => value = Some(e),
                    _ => self.semantic_error("assignment to bitvectors is not possible"),
                }
            }
        } else if self.eat(Tok::Assign) {
            value = Some(self.expression());
        }
        self.expect(Tok::RBracket);
        let mut below = self.depth(map);
        for &index in indices.iter().chain(&value) {
            below = below.max(self.depth(index));
        }
        let indices = indices.into_boxed_slice();
        let kind = match (value, bounds) {
            (Some(value), _) => ExprKind::Store {
                map,
                indices,
                value,
            },
            (None, Some(Bounds { upper, lower, .. })) => ExprKind::Extract {
                arg: map,
                end: upper,
                start: lower,
            },
            (None, None) => ExprKind::Select { map, indices },
        };
        self.push_expr(span, kind, below)
    }

    fn atom(&mut self) -> ExprId {
        if matches!(self.la(), Tok::LParen) {
            return self.parenthesised();
        }
        if !self.starts_atom() {
            self.invalid("AtomExpression");
            return self.dummy();
        }
        if self.la() == Tok::Ident {
            return self.name_or_call();
        }
        self.get();
        let span = self.last_span();
        let kind = match self.last().kind {
            Tok::False => ExprKind::Bool(false),
            Tok::True => ExprKind::Bool(true),
            Tok::Rne => ExprKind::Rounding(Rounding::NearestEven),
            Tok::Rna => ExprKind::Rounding(Rounding::NearestAway),
            Tok::Rtp => ExprKind::Rounding(Rounding::Positive),
            Tok::Rtn => ExprKind::Rounding(Rounding::Negative),
            Tok::Rtz => ExprKind::Rounding(Rounding::Zero),
            Tok::Digits => ExprKind::Int(Box::new(self.last_text().parse().unwrap_or_default())),
            Tok::Decimal | Tok::DecFloat => self.decimal(),
            Tok::Float => self.float(),
            Tok::BvLit => self.bv_literal(),
            Tok::Str => {
                let text = self.last_text();
                ExprKind::Str(text.get(1..text.len() - 1).unwrap_or("").into())
            }
            Tok::Old => {
                let arg = self.one_argument();
                return self.wrap(span, arg, ExprKind::Old(arg));
            }
            Tok::Int => {
                let arg = self.one_argument();
                return self.wrap(span, arg, ExprKind::ToInt(arg));
            }
            Tok::Real => {
                let arg = self.one_argument();
                return self.wrap(span, arg, ExprKind::ToReal(arg));
            }
            Tok::If => return self.if_then_else(span),
            _ => return self.code_expression(span),
        };
        self.push_expr(span, kind, 0)
    }

    fn wrap(&mut self, span: Span, arg: ExprId, kind: ExprKind) -> ExprId {
        let below = self.depth(arg);
        self.push_expr(span, kind, below)
    }

    fn one_argument(&mut self) -> ExprId {
        self.expect(Tok::LParen);
        let arg = self.expression();
        self.expect(Tok::RParen);
        arg
    }

    fn decimal(&mut self) -> ExprKind {
        match literals::decimal(self.last_text()) {
            Some(value) => ExprKind::Real(Box::new(value)),
            None => {
                self.semantic_error("incorrectly formatted number");
                ExprKind::Bool(false)
            }
        }
    }

    fn float(&mut self) -> ExprKind {
        match literals::float(self.last_text()) {
            Ok(value) => ExprKind::Float(Box::new(value)),
            Err(error) => {
                self.semantic_error(&format!(
                    "incorrectly formatted floating point, {}",
                    error.text()
                ));
                ExprKind::Bool(false)
            }
        }
    }

    fn bv_literal(&mut self) -> ExprKind {
        let text = self.last_text();
        let parts = text.split_once("bv").and_then(|(value, width)| {
            let value: BigInt = value.parse().ok()?;
            Some((value, width.parse::<u32>().ok()?))
        });
        match parts {
            Some((value, width)) => ExprKind::Bv {
                value: Box::new(value),
                width,
            },
            None => {
                self.semantic_error("incorrectly formatted bitvector");
                ExprKind::Bool(false)
            }
        }
    }

    fn name_or_call(&mut self) -> ExprId {
        let id = self.ident();
        if !self.eat(Tok::LParen) {
            return self.ident_expr(id);
        }
        let mut args = Vec::new();
        if self.starts_expression() {
            args = self.expressions();
        } else if self.la() != Tok::RParen {
            self.invalid("AtomExpression");
        }
        self.expect(Tok::RParen);
        let below = args.iter().map(|&a| self.depth(a)).max().unwrap_or(0);
        let kind = ExprKind::Call {
            name: id.name,
            func: None,
            args: args.into(),
        };
        self.push_expr(id.span, kind, below)
    }

    pub(super) fn expressions(&mut self) -> Vec<ExprId> {
        let mut exprs = vec![self.expression()];
        while self.eat(Tok::Comma) {
            exprs.push(self.expression());
        }
        exprs
    }

    fn if_then_else(&mut self, span: Span) -> ExprId {
        // `else if` chains are long in generated code: gather them instead of nesting on the stack.
        let condition = self.expression();
        self.expect(Tok::Then);
        let yes = self.expression();
        self.expect(Tok::Else);
        let no = self.expression();
        let below = self
            .depth(condition)
            .max(self.depth(yes))
            .max(self.depth(no));
        self.push_expr(span, ExprKind::Ite(condition, yes, no), below)
    }

    fn parenthesised(&mut self) -> ExprId {
        self.get();
        let expr = match self.la() {
            Tok::Forall => self.binder(BinderKind::Forall),
            Tok::Exists => self.binder(BinderKind::Exists),
            Tok::Lambda => self.binder(BinderKind::Lambda),
            Tok::Var => self.let_expression(),
            _ if self.starts_expression() => match self.expression_or_bounds() {
                Parsed::Expr(e) => e,
                Parsed::Bounds(_) => {
                    self.semantic_error("parentheses around bitvector bounds are not allowed");
                    self.dummy()
                }
            },
            _ => {
                self.invalid("AtomExpression");
                self.dummy()
            }
        };
        self.expect(Tok::RParen);
        expr
    }

    fn binder(&mut self, kind: BinderKind) -> ExprId {
        if !self.enter() {
            self.leave();
            return self.dummy();
        }
        self.get();
        let span = self.last_span();
        let mut type_params = Vec::new();
        let mut vars = Vec::new();
        let context = IdsContext {
            kind: VarKind::Bound,
            name: "bound variables",
            attributes: true,
            where_clauses: false,
        };
        if self.la() == Tok::Lt {
            type_params = self.type_params();
            if matches!(self.la(), Tok::Ident | Tok::LBrace) {
                self.attrs_ids_type_wheres(context, &mut vars);
            }
        } else if matches!(self.la(), Tok::Ident | Tok::LBrace) {
            self.attrs_ids_type_wheres(context, &mut vars);
        } else {
            self.invalid("QuantifierBody");
        }
        if !self.eat(Tok::ColonColon) {
            self.invalid("QSep");
        }
        let mut attrs = Attributes::default();
        let mut triggers = Vec::new();
        while self.la() == Tok::LBrace {
            self.attribute_or_trigger(&mut attrs, &mut triggers);
        }
        let body = self.expression();
        if kind == BinderKind::Lambda && !triggers.is_empty() {
            self.semantic_error("triggers not allowed in lambda expressions");
        }
        self.leave();
        if type_params.is_empty() && vars.is_empty() {
            return body;
        }
        let below = triggers
            .iter()
            .flat_map(|t| &t.exprs)
            .map(|&e| self.depth(e))
            .fold(self.depth(body), u32::max);
        let binder = Binder {
            kind,
            type_params,
            vars,
            attrs,
            triggers,
            body,
        };
        self.push_expr(span, ExprKind::Binder(Box::new(binder)), below)
    }

    fn let_expression(&mut self) -> ExprId {
        if !self.enter() {
            self.leave();
            return self.dummy();
        }
        self.get();
        let span = self.last_span();
        let mut vars = vec![self.let_var()];
        while self.eat(Tok::Comma) {
            vars.push(self.let_var());
        }
        self.expect(Tok::Assign);
        let values = self.expressions();
        self.expect(Tok::Semi);
        let mut attrs = Attributes::default();
        while self.la() == Tok::LBrace {
            self.attribute(&mut attrs);
        }
        let body = self.expression();
        self.leave();
        let below = values
            .iter()
            .map(|&e| self.depth(e))
            .fold(self.depth(body), u32::max);
        let kind = ExprKind::Let(Box::new(LetExpr {
            vars,
            values,
            attrs,
            body,
        }));
        self.push_expr(span, kind, below)
    }

    fn let_var(&mut self) -> VarId {
        let mut attrs = Attributes::default();
        while self.la() == Tok::LBrace {
            self.attribute(&mut attrs);
        }
        let id = self.ident();
        self.program.vars.push(Variable {
            name: id.name,
            span: id.span,
            kind: VarKind::Bound,
            type_expr: None,
            ty: None,
            where_clause: None,
            attrs,
        })
    }

    /// An attribute where no trigger may stand.
    pub(super) fn attribute(&mut self, attrs: &mut Attributes) {
        let mut triggers = Vec::new();
        self.attribute_or_trigger(attrs, &mut triggers);
        if !triggers.is_empty() {
            self.semantic_error("only attributes, not triggers, allowed here");
        }
    }

    fn attribute_or_trigger(&mut self, attrs: &mut Attributes, triggers: &mut Vec<Trigger>) {
        self.expect(Tok::LBrace);
        let span = self.last_span();
        if self.eat(Tok::Colon) {
            self.expect(Tok::Ident);
            let key = self.last_text().to_owned();
            let mut params = Vec::new();
            if self.la() == Tok::Str || self.starts_expression() {
                params.push(self.attribute_parameter());
                while self.eat(Tok::Comma) {
                    params.push(self.attribute_parameter());
                }
            }
            if key == "nopats" {
                if let [AttrParam::Expr(expr)] = params[..] {
                    triggers.push(Trigger {
                        span,
                        positive: false,
                        exprs: vec![expr],
                    });
                } else {
                    self.semantic_error(
                        "the 'nopats' quantifier attribute expects a string-literal parameter",
                    );
                }
            } else {
                let key = self.program.names.intern(&key);
                attrs.0.push(Attribute { span, key, params });
            }
        } else if self.starts_expression() {
            let exprs = self.expressions();
            triggers.push(Trigger {
                span,
                positive: true,
                exprs,
            });
        } else {
            self.invalid("AttributeOrTrigger");
        }
        self.expect(Tok::RBrace);
    }

    fn attribute_parameter(&mut self) -> AttrParam {
        if self.eat(Tok::Str) {
            let text = self.last_text();
            AttrParam::Str(text.get(1..text.len() - 1).unwrap_or("").into())
        } else if self.starts_expression() {
            AttrParam::Expr(self.expression())
        } else {
            self.invalid("AttributeParameter");
            AttrParam::Str("error".into())
        }
    }
}

//! Primary expressions: atoms, suffixes, displays, comprehensions, bindings.

use super::token::{Kw, P, Tok};
use super::{Ctx, PResult, Parser};
use crate::ast::{Arg, ExprId, ExprKind, Frame, Name, QVar, Seg, UnOp};
use stet_base::Span;

impl Parser<'_> {
    pub(crate) fn primary(&mut self, ctx: Ctx) -> PResult<ExprId> {
        if self.is_lambda(ctx) {
            return self.lambda(ctx);
        }
        if let Some(endless) = self.endless(ctx)? {
            return Ok(endless);
        }
        let start = self.span();
        let atom = self.atom(ctx)?;
        self.suffixes(start, atom)
    }

    /// Expressions that extend as far to the right as possible.
    pub(crate) fn endless(&mut self, ctx: Ctx) -> PResult<Option<ExprId>> {
        let next = self.peek(1);
        Ok(Some(match self.kind() {
            Tok::Kw(Kw::If) => self.if_expr(ctx)?,
            Tok::Kw(Kw::Match) => self.match_expr(ctx)?,
            Tok::Kw(Kw::Forall | Kw::Exists) | Tok::P(P::AllP | P::ExP) => self.quantifier(ctx)?,
            Tok::Kw(Kw::Set | Kw::Iset) if self.comprehension_follows() => self.set_comp(ctx)?,
            Tok::Kw(Kw::Map | Kw::Imap) if self.comprehension_follows() => self.map_comp(ctx)?,
            Tok::Kw(Kw::Assert | Kw::Assume | Kw::Expect | Kw::Reveal | Kw::Calc) => {
                let start = self.span();
                let stmt = self.statement()?;
                let body = self.expr(ctx)?;
                self.push_expr(start, start, ExprKind::StmtIn(stmt, body))
            }
            Tok::Ident if self.is_word("hide") && matches!(next, Tok::Ident | Tok::P(P::Star)) => {
                let start = self.span();
                let stmt = self.statement()?;
                let body = self.expr(ctx)?;
                self.push_expr(start, start, ExprKind::StmtIn(stmt, body))
            }
            Tok::Kw(Kw::Var) => self.let_expr(ctx)?,
            Tok::Kw(Kw::Ghost) if next == Tok::Kw(Kw::Var) => self.let_expr(ctx)?,
            Tok::P(P::ColonMinus) => {
                let tok = self.bump();
                let value = self.expr(Ctx {
                    lemma: false,
                    ..ctx
                })?;
                self.expect(P::Semi)?;
                let body = self.expr(ctx)?;
                let kind = ExprKind::LetOrFail {
                    ghost: false,
                    pat: None,
                    value,
                    body,
                };
                self.push_expr(tok, tok, kind)
            }
            _ => return Ok(None),
        }))
    }

    pub(crate) fn comprehension_follows(&self) -> bool {
        matches!(self.peek(1), Tok::Ident | Tok::P(P::LBraceColon))
    }

    /// Whether a lambda starts here.
    pub(crate) fn is_lambda(&self, ctx: Ctx) -> bool {
        if !ctx.lambda {
            return false;
        }
        let after = match self.kind() {
            Tok::Ident => self.at + 1,
            Tok::P(P::LParen) => match self.closing_paren() {
                Some(close) => close + 1,
                None => return false,
            },
            _ => return false,
        };
        match self.token_at(after).kind {
            Tok::P(P::FatArrow) => true,
            Tok::Kw(Kw::Requires | Kw::Reads) => self.lambda_spec_follows(after),
            _ => false,
        }
    }

    /// Whether `requires`/`reads` clauses from `at` lead to `=>` before anything that ends an expression.
    pub(crate) fn lambda_spec_follows(&self, mut at: usize) -> bool {
        let mut depth = 0;
        for _ in 0..200 {
            match self.token_at(at).kind {
                Tok::P(P::LParen | P::LBracket | P::LBrace) => depth += 1,
                Tok::P(P::RParen | P::RBracket | P::RBrace) if depth == 0 => return false,
                Tok::P(P::RParen | P::RBracket | P::RBrace) => depth -= 1,
                Tok::P(P::FatArrow) if depth == 0 => return true,
                Tok::P(P::Semi | P::ColonEq) | Tok::Eof => return false,
                Tok::Kw(Kw::Ensures | Kw::Decreases | Kw::Modifies | Kw::Method | Kw::Function) => {
                    return false;
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// The index of the parenthesis that closes the one here, if what is between can be a list of variables.
    pub(crate) fn closing_paren(&self) -> Option<usize> {
        let mut at = self.at + 1;
        let mut depth = 0;
        if !matches!(
            self.token_at(at).kind,
            Tok::Ident | Tok::P(P::RParen | P::LBraceColon)
        ) {
            return None;
        }
        loop {
            match self.token_at(at).kind {
                Tok::P(P::LParen) => depth += 1,
                Tok::P(P::RParen) if depth == 0 => return Some(at),
                Tok::P(P::RParen) => depth -= 1,
                Tok::P(P::Semi | P::ColonEq | P::ColonBar | P::FatArrow | P::ColonColon)
                | Tok::Eof => return None,
                _ => {}
            }
            at += 1;
        }
    }

    pub(crate) fn lambda(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let mut params = Vec::new();
        if self.eat(P::LParen) {
            if !self.is(P::RParen) {
                loop {
                    params.push(self.simple_var()?);
                    if !self.eat(P::Comma) {
                        break;
                    }
                }
            }
            self.expect(P::RParen)?;
        } else {
            let name = self.wild_ident()?;
            params.push(plain_var(name, None));
        }
        let mut requires = Vec::new();
        let mut reads = Frame::default();
        loop {
            if self.eat_kw(Kw::Requires) {
                requires.push(self.expr(Ctx::GUARD)?);
            } else if self.is_kw(Kw::Reads) {
                self.reads_clause(&mut reads, false)?;
            } else {
                break;
            }
        }
        let tok = self.expect(P::FatArrow)?;
        let body = self.expr(Ctx {
            lambda: true,
            ..ctx
        })?;
        let kind = ExprKind::Lambda {
            params,
            requires,
            reads,
            body,
        };
        let _ = tok;
        Ok(self.push_expr(start, start, kind))
    }

    pub(crate) fn simple_var(&mut self) -> PResult<QVar> {
        let attrs = self.attributes()?;
        let name = self.wild_ident()?;
        let ty = self.optional_type()?;
        Ok(QVar {
            attrs,
            ..plain_var(name, ty)
        })
    }

    pub(crate) fn atom(&mut self, ctx: Ctx) -> PResult<ExprId> {
        let start = self.span();
        let kind = match self.kind() {
            Tok::Kw(Kw::True) => self.constant(ExprKind::Bool(true)),
            Tok::Kw(Kw::False) => self.constant(ExprKind::Bool(false)),
            Tok::Kw(Kw::Null) => self.constant(ExprKind::Null),
            Tok::Kw(Kw::This) => self.constant(ExprKind::This),
            Tok::Int | Tok::Hex | Tok::Decimal | Tok::Char | Tok::Str | Tok::VerbatimStr => {
                self.literal()?
            }
            Tok::Ident => ExprKind::Name(self.name_segment()?),
            Tok::Kw(Kw::Fresh) => {
                self.bump();
                let label = self.at_label()?;
                ExprKind::Fresh(self.parenthesized()?, label)
            }
            Tok::Kw(Kw::Allocated) => {
                self.bump();
                ExprKind::Allocated(self.parenthesized()?)
            }
            Tok::Kw(Kw::Unchanged) => self.unchanged()?,
            Tok::Kw(Kw::Old) => {
                self.bump();
                let label = self.at_label()?;
                ExprKind::Old(self.parenthesized()?, label)
            }
            Tok::P(P::Bar) => {
                self.bump();
                let inner = self.expr(Ctx {
                    bar: false,
                    ..Ctx::FULL
                })?;
                self.expect(P::Bar)?;
                ExprKind::Unary(UnOp::Card, inner)
            }
            Tok::P(P::LParen) => return self.parens(start),
            Tok::P(P::LBracket) => {
                self.bump();
                let items = self.expr_list(P::RBracket)?;
                ExprKind::Seq(items)
            }
            Tok::P(P::LBrace) => {
                self.bump();
                ExprKind::Set(true, self.expr_list(P::RBrace)?)
            }
            Tok::P(P::Tilde) => return self.error("approximate literals are not supported"),
            _ => return self.collection_atom(ctx, start),
        };
        Ok(self.push_expr(start, start, kind))
    }

    pub(crate) fn constant(&mut self, kind: ExprKind) -> ExprKind {
        self.bump();
        kind
    }

    pub(crate) fn collection_atom(&mut self, _ctx: Ctx, start: Span) -> PResult<ExprId> {
        let kind = match (self.kind(), self.peek(1)) {
            (Tok::Kw(Kw::Iset), Tok::P(P::LBrace)) => {
                self.bump();
                self.bump();
                ExprKind::Set(false, self.expr_list(P::RBrace)?)
            }
            (Tok::Kw(Kw::Multiset), Tok::P(P::LBrace)) => {
                self.bump();
                self.bump();
                ExprKind::Multiset(self.expr_list(P::RBrace)?)
            }
            (Tok::Kw(Kw::Multiset), Tok::P(P::LParen)) => {
                self.bump();
                let open = self.span();
                let kind = ExprKind::MultisetOf(self.parenthesized()?);
                return Ok(self.push_expr(start, open, kind));
            }
            (Tok::Kw(Kw::Map | Kw::Imap), Tok::P(P::LBracket)) => {
                let finite = self.is_kw(Kw::Map);
                self.bump();
                self.bump();
                ExprKind::Map(finite, self.map_entries()?)
            }
            (Tok::Kw(Kw::Set | Kw::Iset | Kw::Multiset), _) => {
                self.bump();
                return self.error("invalid SetDisplayExpr");
            }
            (Tok::Kw(Kw::Seq), _) => self.seq_construct()?,
            (Tok::P(P::Star), _) | (Tok::P(P::Ellipsis), _) => {
                return self.error("invalid UnaryExpression");
            }
            _ => return self.error("invalid UnaryExpression"),
        };
        Ok(self.push_expr(start, start, kind))
    }

    pub(crate) fn seq_construct(&mut self) -> PResult<ExprKind> {
        self.bump();
        let args = self.optional_type_args()?;
        self.expect(P::LParen)?;
        let length = self.expr(Ctx::FULL)?;
        self.expect(P::Comma)?;
        let init = self.expr(Ctx::FULL)?;
        self.expect(P::RParen)?;
        Ok(ExprKind::SeqConstruct(args, length, init))
    }

    pub(crate) fn map_entries(&mut self) -> PResult<Vec<(ExprId, ExprId)>> {
        let mut entries = Vec::new();
        if !self.is(P::RBracket) {
            loop {
                let key = self.expr(Ctx::FULL)?;
                self.expect(P::ColonEq)?;
                entries.push((key, self.expr(Ctx::FULL)?));
                if !self.eat(P::Comma) {
                    break;
                }
            }
        }
        self.expect(P::RBracket)?;
        Ok(entries)
    }

    pub(crate) fn unchanged(&mut self) -> PResult<ExprKind> {
        self.bump();
        let label = self.at_label()?;
        self.expect(P::LParen)?;
        let mut frame = Frame::default();
        loop {
            let item = self.frame_item(Ctx::FULL)?;
            frame.items.push(item);
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.expect(P::RParen)?;
        Ok(ExprKind::Unchanged(frame, label))
    }

    pub(crate) fn at_label(&mut self) -> PResult<Option<Name>> {
        if !self.eat(P::At) {
            return Ok(None);
        }
        if matches!(self.kind(), Tok::Int) {
            let span = self.bump();
            return Ok(Some(self.name_of(span)));
        }
        Ok(Some(self.ident()?))
    }

    pub(crate) fn parenthesized(&mut self) -> PResult<ExprId> {
        self.expect(P::LParen)?;
        let inner = self.expr(Ctx::FULL)?;
        self.expect(P::RParen)?;
        Ok(inner)
    }

    /// A list up to `close`, which is consumed.
    pub(crate) fn expr_list(&mut self, close: P) -> PResult<Vec<ExprId>> {
        let mut items = Vec::new();
        if !self.is(close) {
            loop {
                items.push(self.expr(Ctx::FULL)?);
                if !self.eat(P::Comma) {
                    break;
                }
            }
        }
        self.expect(close)?;
        Ok(items)
    }

    /// `( … )`: a parenthesised expression, a tuple, or a termination comparison.
    pub(crate) fn parens(&mut self, start: Span) -> PResult<ExprId> {
        self.bump();
        let items = self.measure_items()?;
        let word = match self.kind() {
            Tok::Kw(Kw::Decreases) => Some("decreases to"),
            Tok::Ident if self.is_word("nonincreases") => Some("nonincreases to"),
            _ => None,
        };
        if let Some(word) = word {
            return self.decreases_to(start, items, word);
        }
        self.expect(P::RParen)?;
        Ok(match items[..] {
            [
                Arg {
                    name: None,
                    value,
                    ghost: false,
                },
            ] => self.push_expr(start, start, ExprKind::Paren(value)),
            _ => self.push_expr(start, start, ExprKind::Tuple(items)),
        })
    }

    /// The items of a parenthesised list, which may be a side of `decreases to`.
    pub(crate) fn measure_items(&mut self) -> PResult<Vec<Arg>> {
        let saved = std::mem::replace(&mut self.in_measure_list, true);
        let items = self.args(P::RParen, true);
        self.in_measure_list = saved;
        items
    }

    pub(crate) fn decreases_to(
        &mut self,
        start: Span,
        old: Vec<Arg>,
        word: &str,
    ) -> PResult<ExprId> {
        let tok = self.bump();
        if self.is_word("to") {
            self.bump();
        } else {
            if self.kind() != Tok::Ident {
                let span = self.span();
                self.semantic_error(span, "ident expected");
            }
            self.semantic_error(tok, "expected 'to'");
        }
        let new = self.measure_items()?;
        self.expect(P::RParen)?;
        let mut values = [Vec::new(), Vec::new()];
        for (side, args) in [old, new].into_iter().enumerate() {
            for arg in args {
                if let Some(name) = arg.name {
                    let message = format!("bindings are not allowed in `{word}` expressions.");
                    self.semantic_error(name.span, message);
                }
                if arg.ghost && arg.name.is_none() {
                    let span = self.ast.exprs[arg.value].span;
                    let message =
                        format!("'ghost' components are not allowed in `{word}` expressions.");
                    self.semantic_error(span, message);
                }
                values[side].push(arg.value);
            }
        }
        let [old, new] = values;
        let kind = ExprKind::DecreasesTo(old, new, word.starts_with("non"));
        Ok(self.push_expr(start, tok, kind))
    }

    /// Arguments with optional names, up to but without `close`.
    pub(crate) fn args(&mut self, close: P, allow_ghost: bool) -> PResult<Vec<Arg>> {
        let mut items = Vec::new();
        if self.is(close)
            || self.is_kw(Kw::Decreases)
            || (allow_ghost && self.is_word("nonincreases"))
        {
            return Ok(items);
        }
        loop {
            let outer = std::mem::replace(&mut self.in_measure_list, allow_ghost);
            let next = self.peek(1);
            let ghost = allow_ghost && self.is_kw(Kw::Ghost) && next != Tok::Kw(Kw::Var);
            if ghost {
                self.bump();
            }
            let named =
                matches!(self.kind(), Tok::Ident | Tok::Int) && self.peek(1) == Tok::P(P::ColonEq);
            let name = if named {
                let span = self.bump();
                self.bump();
                Some(self.name_of(span))
            } else {
                None
            };
            let value = self.expr(Ctx::FULL);
            self.in_measure_list = outer;
            items.push(Arg {
                name,
                value: value?,
                ghost,
            });
            if !self.eat(P::Comma) {
                return Ok(items);
            }
        }
    }

    pub(crate) fn name_segment(&mut self) -> PResult<Seg> {
        let name = self.ident()?;
        let args = if self.is(P::Lt) && self.is_generic_instantiation() {
            self.optional_type_args()?
        } else {
            None
        };
        Ok(Seg { name, args })
    }

    /// Everything that may follow an atom.
    pub(crate) fn suffixes(&mut self, start: Span, mut base: ExprId) -> PResult<ExprId> {
        let mut count = 0;
        loop {
            count += 1;
            if count > 2000 {
                return self.error("the program is nested too deeply");
            }
            base = match self.kind() {
                Tok::P(P::Dot) => self.dot_suffix(start, base)?,
                Tok::P(P::LBracket) => self.bracket_suffix(start, base)?,
                Tok::P(P::LParen) => self.call_suffix(start, base, None, None)?,
                Tok::P(P::Hash) if self.peek(1) == Tok::P(P::LBracket) => {
                    self.bump();
                    self.bump();
                    let k = self.expr(Ctx::NO_LEMMA)?;
                    self.expect(P::RBracket)?;
                    let at = self.at_label()?;
                    self.call_suffix(start, base, at, Some(k))?
                }
                Tok::P(P::At) if self.label_call_follows() => {
                    let at = self.at_label()?;
                    self.call_suffix(start, base, at, None)?
                }
                Tok::P(P::Backtick) => {
                    let tok = self.bump();
                    if self.is(P::LBracket) {
                        return self.error("memory locations of arrays are not supported");
                    }
                    let name = self.ident()?;
                    let _ = tok;
                    self.push_expr(start, name.span, ExprKind::FieldLocation(base, name))
                }
                _ => return Ok(base),
            };
        }
    }

    pub(crate) fn label_call_follows(&self) -> bool {
        matches!(self.peek(1), Tok::Ident | Tok::Int) && self.peek(2) == Tok::P(P::LParen)
    }

    pub(crate) fn call_suffix(
        &mut self,
        start: Span,
        callee: ExprId,
        at: Option<Name>,
        prefix: Option<ExprId>,
    ) -> PResult<ExprId> {
        let tok = self.expect(P::LParen)?;
        let args = self.args(P::RParen, false)?;
        self.expect(P::RParen)?;
        let kind = ExprKind::Apply {
            callee,
            args,
            at,
            prefix,
        };
        Ok(self.push_expr(start, tok, kind))
    }

    pub(crate) fn dot_suffix(&mut self, start: Span, base: ExprId) -> PResult<ExprId> {
        self.bump();
        match self.kind() {
            Tok::P(P::LParen) => {
                let open = self.bump();
                let mut updates = Vec::new();
                loop {
                    let name = self.member_name()?;
                    self.expect(P::ColonEq)?;
                    updates.push((name, self.expr(Ctx::FULL)?));
                    if !self.eat(P::Comma) {
                        break;
                    }
                }
                self.expect(P::RParen)?;
                Ok(self.push_expr(start, open, ExprKind::DatatypeUpdate(base, updates)))
            }
            Tok::Decimal => self.two_tuple_fields(start, base),
            _ => {
                let name = self.member_name()?;
                let args = if self.is(P::Lt) && self.is_generic_instantiation() {
                    self.optional_type_args()?
                } else {
                    None
                };
                let kind = ExprKind::Dot(base, Seg { name, args });
                Ok(self.push_expr(start, name.span, kind))
            }
        }
    }

    /// `t.0.1`, which the lexer reads as a dot and a decimal.
    pub(crate) fn two_tuple_fields(&mut self, start: Span, base: ExprId) -> PResult<ExprId> {
        let span = self.bump();
        let text = self.text_of(span);
        let Some(dot) = text.find('.') else {
            return self.error("ident expected");
        };
        let middle = span.start + dot as u32;
        let first = Span {
            end: middle,
            ..span
        };
        let second = Span {
            start: middle + 1,
            ..span
        };
        let mut value = base;
        for part in [first, second] {
            let name = self.name_of(part);
            let seg = Seg { name, args: None };
            value = self.push_expr(start, part, ExprKind::Dot(value, seg));
        }
        Ok(value)
    }

    /// A name after a dot: an identifier, digits, or a word that is reserved elsewhere.
    pub(crate) fn member_name(&mut self) -> PResult<Name> {
        match self.kind() {
            Tok::Ident
            | Tok::Int
            | Tok::Kw(Kw::Requires | Kw::Reads | Kw::Constructor | Kw::Allocated) => {
                let span = self.bump();
                Ok(self.name_of(span))
            }
            _ => self.error("ident expected"),
        }
    }

    pub(crate) fn bracket_suffix(&mut self, start: Span, base: ExprId) -> PResult<ExprId> {
        let tok = self.bump();
        if self.eat(P::DotDot) {
            let hi = if self.is(P::RBracket) {
                None
            } else {
                Some(self.expr(Ctx::FULL)?)
            };
            self.expect(P::RBracket)?;
            return Ok(self.push_expr(start, tok, ExprKind::Slice(base, None, hi)));
        }
        let first = self.expr(Ctx::FULL)?;
        let kind = match self.kind() {
            Tok::P(P::ColonEq) => {
                self.bump();
                let value = self.expr(Ctx::FULL)?;
                ExprKind::Update(base, first, value)
            }
            Tok::P(P::DotDot) => {
                self.bump();
                let hi = if self.is(P::RBracket) {
                    None
                } else {
                    Some(self.expr(Ctx::FULL)?)
                };
                ExprKind::Slice(base, Some(first), hi)
            }
            Tok::P(P::Colon) => self.multi_slice(base, first)?,
            _ => {
                let mut indices = vec![first];
                while self.eat(P::Comma) {
                    indices.push(self.expr(Ctx::FULL)?);
                }
                ExprKind::Index(base, indices)
            }
        };
        self.expect(P::RBracket)?;
        Ok(self.push_expr(start, tok, kind))
    }

    /// `s[a : b : c]`: consecutive pieces of the given lengths.
    pub(crate) fn multi_slice(&mut self, base: ExprId, first: ExprId) -> PResult<ExprKind> {
        let mut lengths = vec![first];
        let mut open_end = false;
        while self.eat(P::Colon) {
            if self.is(P::RBracket) {
                open_end = true;
                break;
            }
            lengths.push(self.expr(Ctx::FULL)?);
        }
        Ok(ExprKind::MultiSlice(base, lengths, open_end))
    }
}

pub(crate) fn plain_var(name: Name, ty: Option<crate::ast::TypeId>) -> QVar {
    QVar {
        name,
        ty,
        domain: None,
        range: None,
        attrs: Vec::new(),
    }
}

//! Statements.

use super::token::{Kw, P, Tok};
use super::{Ctx, PResult, Parser};
use crate::ast::{
    BinOp, Calc, CalcOp, ExprId, ExprKind, FailKeyword, Frame, LocalVar, NewKind, PatKind,
    RevealItem, Rhs, Stmt, StmtId, StmtKind, TypeKind, Update,
};
use stet_base::Span;

impl Parser<'_> {
    /// `{ statements }`
    pub(crate) fn block(&mut self) -> PResult<StmtId> {
        let start = self.expect(P::LBrace)?;
        let stmts = self.statements_until_brace()?;
        self.expect(P::RBrace)?;
        Ok(self.push_stmt(start, start, StmtKind::Block(stmts)))
    }

    pub(crate) fn push_stmt(&mut self, start: Span, tok: Span, kind: StmtKind) -> StmtId {
        let span = self.since(start);
        self.ast.stmts.push(Stmt {
            kind,
            span,
            tok,
            labels: Vec::new(),
            attrs: Vec::new(),
        })
    }

    /// Statements up to a closing brace, going on after a broken one.
    pub(crate) fn statements_until_brace(&mut self) -> PResult<Vec<StmtId>> {
        let mut stmts = Vec::new();
        while !self.is(P::RBrace) && self.kind() != Tok::Eof {
            if self.is_kw(Kw::New) && self.peek(1) == Tok::P(P::Semi) {
                return Ok(stmts);
            }
            let before = self.at;
            match self.statement() {
                Ok(stmt) => stmts.push(stmt),
                Err(stop) => {
                    if !self.skip_statement(before) {
                        return Err(stop);
                    }
                }
            }
        }
        Ok(stmts)
    }

    /// Skips to after the next semicolon on this nesting level; false if a declaration or the end comes first.
    pub(crate) fn skip_statement(&mut self, before: usize) -> bool {
        let mut depth = 0;
        loop {
            match self.kind() {
                Tok::P(P::Semi) if depth == 0 => {
                    self.bump();
                    return true;
                }
                Tok::P(P::LBrace | P::LBraceColon) => depth += 1,
                Tok::P(P::RBrace) if depth == 0 => return self.at > before,
                Tok::P(P::RBrace) => depth -= 1,
                Tok::Kw(
                    Kw::Method
                    | Kw::Lemma
                    | Kw::Class
                    | Kw::Datatype
                    | Kw::Module
                    | Kw::Predicate
                    | Kw::Function,
                )
                | Tok::Eof => return false,
                _ => {}
            }
            self.bump();
        }
    }

    pub(crate) fn statement(&mut self) -> PResult<StmtId> {
        self.nested(|p| {
            let at_attrs = p.at_attributes()?;
            let stmt = p.statement_inner()?;
            p.ast.stmts[stmt].attrs.extend(at_attrs);
            Ok(stmt)
        })
    }

    pub(crate) fn statement_inner(&mut self) -> PResult<StmtId> {
        let start = self.span();
        match self.kind() {
            Tok::P(P::LBrace) => self.block(),
            Tok::Kw(Kw::Assert) => self.assert_stmt(),
            Tok::Kw(Kw::Assume) => self.assume_stmt(),
            Tok::Kw(Kw::Expect) => self.expect_stmt(),
            Tok::Kw(Kw::Print) => self.print_stmt(),
            Tok::Kw(Kw::Reveal) => self.reveal_stmt(false),
            Tok::Kw(Kw::Var) => self.var_stmt(),
            Tok::Kw(Kw::Ghost) if self.peek(1) == Tok::Kw(Kw::Var) => self.var_stmt(),
            Tok::Kw(Kw::If) => self.if_stmt(),
            Tok::Kw(Kw::While) => self.while_stmt(),
            Tok::Kw(Kw::For) => self.for_stmt(),
            Tok::Kw(Kw::Match) => self.match_stmt(),
            Tok::Kw(Kw::Forall) | Tok::P(P::AllP) => self.forall_stmt(),
            Tok::Kw(Kw::Calc) => self.calc_stmt(),
            Tok::Kw(Kw::Modify) => self.modify_stmt(),
            Tok::Kw(Kw::Label) => self.label_stmt(),
            Tok::Kw(Kw::Break) | Tok::Kw(Kw::Continue) => self.break_stmt(),
            Tok::Kw(Kw::Return) | Tok::Kw(Kw::Yield) => self.return_stmt(),
            Tok::P(P::Ellipsis) => {
                self.bump();
                self.expect(P::Semi)?;
                Ok(self.push_stmt(start, start, StmtKind::Skeleton))
            }
            Tok::Ident
                if self.is_word("hide") && matches!(self.peek(1), Tok::Ident | Tok::P(P::Star)) =>
            {
                self.reveal_stmt(true)
            }
            Tok::Ident if self.is_word("opaque") => self.opaque_block(),
            _ => self.update_stmt(),
        }
    }

    pub(crate) fn opaque_block(&mut self) -> PResult<StmtId> {
        let start = self.span();
        if !matches!(
            self.peek(1),
            Tok::P(P::LBrace | P::LBraceColon) | Tok::Kw(Kw::Ensures | Kw::Modifies)
        ) {
            return self.update_stmt();
        }
        self.bump();
        let attrs = self.attributes()?;
        let spec = self.spec()?;
        let body = self.block()?;
        let stmt = self.push_stmt(start, start, StmtKind::OpaqueBlock(Box::new(spec), body));
        self.ast.stmts[stmt].attrs = attrs;
        Ok(stmt)
    }

    pub(crate) fn with_attrs(&mut self, stmt: StmtId, attrs: Vec<crate::ast::Attr>) -> StmtId {
        self.ast.stmts[stmt].attrs = attrs;
        stmt
    }

    pub(crate) fn assert_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let attrs = self.attributes()?;
        if self.eat(P::Ellipsis) {
            self.expect(P::Semi)?;
            let kind = StmtKind::Assert {
                expr: None,
                label: None,
                by: None,
            };
            return Ok(self.push_stmt(start, start, kind));
        }
        let label =
            if matches!(self.kind(), Tok::Ident | Tok::Int) && self.peek(1) == Tok::P(P::Colon) {
                let span = self.bump();
                self.bump();
                Some(self.name_of(span))
            } else {
                None
            };
        let expr = self.expr(Ctx::NO_LEMMA)?;
        let by = if self.eat_kw(Kw::By) {
            Some(self.block()?)
        } else {
            self.expect(P::Semi)?;
            None
        };
        let kind = StmtKind::Assert {
            expr: Some(expr),
            label,
            by,
        };
        let stmt = self.push_stmt(start, start, kind);
        Ok(self.with_attrs(stmt, attrs))
    }

    pub(crate) fn assume_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let attrs = self.attributes()?;
        let expr = if self.eat(P::Ellipsis) {
            None
        } else {
            Some(self.expr(Ctx::NO_LEMMA)?)
        };
        self.expect(P::Semi)?;
        let stmt = self.push_stmt(start, start, StmtKind::Assume(expr));
        Ok(self.with_attrs(stmt, attrs))
    }

    pub(crate) fn expect_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let attrs = self.attributes()?;
        let mut message = None;
        let expr = if self.eat(P::Ellipsis) {
            None
        } else {
            Some(self.expr(Ctx::NO_LEMMA)?)
        };
        if self.eat(P::Comma) {
            message = Some(self.expr(Ctx::NO_LEMMA)?);
        }
        self.expect(P::Semi)?;
        let stmt = self.push_stmt(start, start, StmtKind::Expect(expr, message));
        Ok(self.with_attrs(stmt, attrs))
    }

    pub(crate) fn print_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let exprs = self.plain_exprs()?;
        self.expect(P::Semi)?;
        Ok(self.push_stmt(start, start, StmtKind::Print(exprs)))
    }

    pub(crate) fn plain_exprs(&mut self) -> PResult<Vec<ExprId>> {
        let mut exprs = vec![self.expr(Ctx::NO_LEMMA)?];
        while self.eat(P::Comma) {
            exprs.push(self.expr(Ctx::NO_LEMMA)?);
        }
        Ok(exprs)
    }

    pub(crate) fn reveal_stmt(&mut self, hide: bool) -> PResult<StmtId> {
        let start = self.bump();
        let mut items = Vec::new();
        loop {
            if self.eat(P::Star) {
                items.push(RevealItem::All);
            } else {
                items.push(RevealItem::Expr(self.expr(Ctx::NO_LEMMA)?));
            }
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.expect(P::Semi)?;
        let kind = if hide {
            StmtKind::Hide(items)
        } else {
            StmtKind::Reveal(items)
        };
        Ok(self.push_stmt(start, start, kind))
    }

    pub(crate) fn var_stmt(&mut self) -> PResult<StmtId> {
        let start = self.span();
        let ghost = self.eat_kw(Kw::Ghost);
        self.bump();
        let pattern = self.is(P::LParen)
            || (self.kind() == Tok::Ident && matches!(self.peek(1), Tok::P(P::LParen | P::Dot)));
        if pattern {
            return self.var_pattern(start, ghost);
        }
        let mut vars = Vec::new();
        loop {
            let attrs = self.attributes()?;
            let name = self.wild_ident()?;
            let ty = self.optional_type()?;
            vars.push(LocalVar {
                name,
                ty,
                ghost,
                attrs,
            });
            if !self.eat(P::Comma) {
                break;
            }
            if self.is(P::LParen) {
                return self.error("this symbol not expected in VarDeclStatement");
            }
        }
        let update = self.update_tail(true)?;
        if !self.is(P::Semi) && !matches!(self.kind(), Tok::P(P::RBrace)) && !self.is_kw(Kw::By) {
            return self.error("this symbol not expected in VarDeclStatement");
        }
        let by = self.by_block()?;
        let tok = match &update {
            Some(
                Update::Assign(_, tok) | Update::SuchThat(.., tok) | Update::OrFail { tok, .. },
            ) => *tok,
            None => start,
        };
        let stmt = self.push_stmt(start, tok, StmtKind::Var { vars, update });
        Ok(self.after_by(stmt, by))
    }

    /// `;` or `by { … }` at the end of a call or assignment.
    pub(crate) fn by_block(&mut self) -> PResult<Option<StmtId>> {
        if self.eat_kw(Kw::By) {
            return Ok(Some(self.block()?));
        }
        self.expect(P::Semi)?;
        Ok(None)
    }

    /// A statement with the `by` proof of what it requires.
    pub(crate) fn after_by(&mut self, stmt: StmtId, by: Option<StmtId>) -> StmtId {
        let Some(by) = by else {
            return stmt;
        };
        let (start, tok) = (self.ast.stmts[stmt].span, self.ast.stmts[stmt].tok);
        self.push_stmt(start, tok, StmtKind::By(stmt, by))
    }

    pub(crate) fn var_pattern(&mut self, start: Span, ghost: bool) -> PResult<StmtId> {
        let pat = self.pattern()?;
        match self.kind() {
            Tok::P(P::ColonEq) => {}
            Tok::P(P::ColonMinus | P::ColonBar) => {
                return self.error("this symbol not expected in VarDeclStatement");
            }
            _ => return self.error("this symbol not expected in VarDeclStatement"),
        }
        let tok = self.bump();
        let rhs = self.expr(Ctx::NO_LEMMA)?;
        self.expect(P::Semi)?;
        let _ = matches!(self.ast.pats[pat].kind, PatKind::Tuple(_));
        Ok(self.push_stmt(start, tok, StmtKind::VarPattern { ghost, pat, rhs }))
    }

    /// `:= …`, `:| …`, `:- …`, if one of them is here.
    pub(crate) fn update_tail(&mut self, _declares: bool) -> PResult<Option<Update>> {
        let attrs_before = self.attributes()?;
        let tok = self.span();
        Ok(match self.kind() {
            Tok::P(P::ColonEq) => {
                self.bump();
                let rhss = self.rhs_list()?;
                Some(Update::Assign(rhss, tok))
            }
            Tok::P(P::ColonBar) => {
                self.bump();
                let assume = if self.eat_kw(Kw::Assume) {
                    let mut attrs = self.attributes()?;
                    attrs.extend(attrs_before.iter().cloned());
                    Some(attrs)
                } else {
                    None
                };
                let condition = self.expr(Ctx::NO_LEMMA)?;
                Some(Update::SuchThat(condition, assume, attrs_before, tok))
            }
            Tok::P(P::ColonMinus) => {
                self.bump();
                let keyword = match self.kind() {
                    Tok::Kw(Kw::Expect) => Some(FailKeyword::Expect),
                    Tok::Kw(Kw::Assert) => Some(FailKeyword::Assert),
                    Tok::Kw(Kw::Assume) => Some(FailKeyword::Assume),
                    _ => None,
                };
                let keyword = keyword.map(|keyword| (keyword, self.span()));
                if keyword.is_some() {
                    self.bump();
                    self.attributes()?;
                }
                let value = self.rhs()?;
                let mut rest = Vec::new();
                while self.eat(P::Comma) {
                    rest.push(self.rhs()?);
                }
                Some(Update::OrFail {
                    value,
                    rest,
                    keyword,
                    tok,
                })
            }
            _ => None,
        })
    }

    pub(crate) fn rhs_list(&mut self) -> PResult<Vec<Rhs>> {
        let mut rhss = vec![self.rhs()?];
        while self.eat(P::Comma) {
            rhss.push(self.rhs()?);
        }
        Ok(rhss)
    }

    pub(crate) fn rhs(&mut self) -> PResult<Rhs> {
        if self.is(P::Star) {
            let span = self.bump();
            self.attributes()?;
            return Ok(Rhs::Havoc(span));
        }
        if self.is_kw(Kw::New) {
            let rhs = self.new_rhs()?;
            self.attributes()?;
            return Ok(rhs);
        }
        let expr = self.expr(Ctx::NO_LEMMA)?;
        let attrs = self.attributes()?;
        Ok(Rhs::Expr(expr, attrs))
    }

    pub(crate) fn new_rhs(&mut self) -> PResult<Rhs> {
        let span = self.bump();
        // `new [n]` and `new [] [...]`: the element type is inferred.
        let ty = if self.is(P::LBracket) {
            let start = self.span();
            self.ast.types.push(crate::ast::TypeExpr {
                kind: TypeKind::Error,
                span: start,
            })
        } else {
            self.type_()?
        };
        let kind = match self.kind() {
            Tok::P(P::LParen) => {
                let tok = self.bump();
                let args = self.args(P::RParen, false)?;
                self.expect(P::RParen)?;
                NewKind::Call(args, tok)
            }
            Tok::P(P::LBracket) => self.new_array()?,
            _ => NewKind::Object,
        };
        Ok(Rhs::New { ty, span, kind })
    }

    pub(crate) fn new_array(&mut self) -> PResult<NewKind> {
        self.bump();
        let mut dims = Vec::new();
        if !self.is(P::RBracket) {
            dims = self.full_exprs()?;
        }
        self.expect(P::RBracket)?;
        if self.eat(P::LParen) {
            let init = self.expr(Ctx::FULL)?;
            self.expect(P::RParen)?;
            return Ok(NewKind::Array(dims, Some(init), None));
        }
        if self.eat(P::LBracket) {
            let mut items = Vec::new();
            if !self.is(P::RBracket) {
                items = self.full_exprs()?;
            }
            self.expect(P::RBracket)?;
            return Ok(NewKind::Array(dims, None, Some(items)));
        }
        Ok(NewKind::Array(dims, None, None))
    }

    pub(crate) fn full_exprs(&mut self) -> PResult<Vec<ExprId>> {
        let mut exprs = vec![self.expr(Ctx::FULL)?];
        while self.eat(P::Comma) {
            exprs.push(self.expr(Ctx::FULL)?);
        }
        Ok(exprs)
    }

    pub(crate) fn update_stmt(&mut self) -> PResult<StmtId> {
        let start = self.span();
        if self.is(P::ColonMinus) {
            let update = self.update_tail(false)?;
            self.expect(P::Semi)?;
            let lhss = Vec::new();
            return Ok(self.push_stmt(start, start, StmtKind::Update { lhss, update }));
        }
        if !self.starts_lhs() {
            return self.error("invalid UpdateStmt");
        }
        let mut lhss = vec![self.lhs()?];
        while self.eat(P::Comma) {
            lhss.push(self.lhs()?);
        }
        let update = self.update_tail(false)?;
        let tok = match &update {
            Some(
                Update::Assign(_, tok) | Update::SuchThat(.., tok) | Update::OrFail { tok, .. },
            ) => *tok,
            None => self.ast.exprs[lhss[0]].tok,
        };
        if update.is_none() && self.is(P::Colon) {
            return self.error("invalid UpdateStmt");
        }
        let by = self.by_block()?;
        let stmt = self.push_stmt(start, tok, StmtKind::Update { lhss, update });
        Ok(self.after_by(stmt, by))
    }

    pub(crate) fn starts_lhs(&self) -> bool {
        matches!(
            self.kind(),
            Tok::Ident
                | Tok::Int
                | Tok::Hex
                | Tok::Decimal
                | Tok::Char
                | Tok::Str
                | Tok::VerbatimStr
                | Tok::P(P::LParen | P::Bar | P::LBracket)
                | Tok::Kw(
                    Kw::This
                        | Kw::Null
                        | Kw::True
                        | Kw::False
                        | Kw::Old
                        | Kw::Fresh
                        | Kw::Allocated
                        | Kw::Unchanged
                        | Kw::Seq
                        | Kw::Multiset
                        | Kw::Map
                        | Kw::Imap
                        | Kw::Set
                        | Kw::Iset
                )
        )
    }

    pub(crate) fn lhs(&mut self) -> PResult<ExprId> {
        self.primary(Ctx::GUARD)
    }

    pub(crate) fn modify_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let attrs = self.attributes()?;
        let mut frame = None;
        if !self.eat(P::Ellipsis) {
            let mut items = Frame {
                given: Some(start),
                ..Frame::default()
            };
            loop {
                let item = self.frame_item(Ctx::GUARD)?;
                items.items.push(item);
                if !self.eat(P::Comma) {
                    break;
                }
            }
            frame = Some(items);
        }
        let body = if self.is(P::LBrace) {
            let message = "the modify statement with a block statement is deprecated";
            self.warning(self.span(), message);
            Some(self.block()?)
        } else {
            self.expect(P::Semi)?;
            None
        };
        let stmt = self.push_stmt(start, start, StmtKind::Modify { frame, body });
        Ok(self.with_attrs(stmt, attrs))
    }

    pub(crate) fn label_stmt(&mut self) -> PResult<StmtId> {
        self.bump();
        let name = if self.kind() == Tok::Int {
            let span = self.bump();
            self.name_of(span)
        } else {
            self.ident()?
        };
        self.expect(P::Colon)?;
        let stmt = self.statement()?;
        self.ast.stmts[stmt].labels.insert(0, name);
        Ok(stmt)
    }

    pub(crate) fn break_stmt(&mut self) -> PResult<StmtId> {
        let start = self.span();
        let mut count = 0;
        let mut is_continue = false;
        while matches!(self.kind(), Tok::Kw(Kw::Break | Kw::Continue)) {
            is_continue = self.is_kw(Kw::Continue);
            self.bump();
            count += 1;
            if is_continue {
                break;
            }
        }
        let label = if self.kind() == Tok::Ident {
            Some(self.ident()?)
        } else if self.kind() == Tok::Int {
            let span = self.bump();
            Some(self.name_of(span))
        } else {
            None
        };
        self.expect(P::Semi)?;
        let kind = StmtKind::Break {
            count,
            label,
            is_continue,
        };
        Ok(self.push_stmt(start, start, kind))
    }

    pub(crate) fn return_stmt(&mut self) -> PResult<StmtId> {
        let is_yield = self.is_kw(Kw::Yield);
        let start = self.bump();
        let rhss = if self.is(P::Semi) {
            None
        } else {
            Some(self.rhs_list()?)
        };
        self.expect(P::Semi)?;
        let kind = if is_yield {
            StmtKind::Yield(rhss)
        } else {
            StmtKind::Return(rhss)
        };
        Ok(self.push_stmt(start, start, kind))
    }

    pub(crate) fn calc_op(&mut self) -> PResult<Option<(CalcOp, Span)>> {
        let op = match self.kind() {
            Tok::P(P::EqEq) => BinOp::Eq,
            Tok::P(P::Lt) => BinOp::Lt,
            Tok::P(P::Gt) => BinOp::Gt,
            Tok::P(P::Le | P::LeP) => BinOp::Le,
            Tok::P(P::GeQ | P::GeP) => BinOp::Ge,
            Tok::P(P::NotEq | P::NeP) => BinOp::Neq,
            Tok::P(P::IffA | P::IffP) => BinOp::Iff,
            Tok::P(P::ImpA | P::ImpP) => BinOp::Imp,
            Tok::P(P::ExpA | P::ExpP) => BinOp::Exp,
            _ => return Ok(None),
        };
        let tok = self.bump();
        Ok(Some(match self.operator_suffix(op)? {
            Some(k) => (CalcOp::Prefix(k), tok),
            None => (CalcOp::Bin(op), tok),
        }))
    }

    pub(crate) fn calc_stmt(&mut self) -> PResult<StmtId> {
        let start = self.bump();
        let attrs = self.attributes()?;
        let op = self.calc_op()?;
        self.expect(P::LBrace)?;
        let mut calc = Calc {
            op,
            lines: Vec::new(),
            hints: Vec::new(),
            step_ops: Vec::new(),
            attrs: Vec::new(),
        };
        while !self.is(P::RBrace) {
            calc.lines.push(self.expr(Ctx::NO_LEMMA)?);
            self.expect(P::Semi)?;
            if self.is(P::RBrace) {
                break;
            }
            let step = self.calc_op()?;
            calc.step_ops.push(step);
            let mut hints = Vec::new();
            while self.is(P::LBrace) || self.is_kw(Kw::Calc) {
                hints.push(self.statement()?);
            }
            calc.hints.push(hints);
        }
        self.expect(P::RBrace)?;
        // A trailing hint belongs to a step without a second line.
        if calc.hints.len() == calc.lines.len()
            && let Some(&last) = calc.lines.last()
        {
            {
                let span = self.ast.exprs[last].span;
                let copy = self.ast.exprs[last].kind.clone();
                let same = self.ast.exprs.push(crate::ast::Expr {
                    kind: copy,
                    span,
                    tok: span,
                });
                calc.lines.push(same);
            }
        }
        let stmt = self.push_stmt(start, start, StmtKind::Calc(Box::new(calc)));
        let _ = ExprKind::Wild;
        Ok(self.with_attrs(stmt, attrs))
    }
}

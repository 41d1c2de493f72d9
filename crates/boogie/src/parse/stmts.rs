//! Statements: simple commands, structured commands, transfers, code expressions.

use super::token::Tok;
use super::types::IdsContext;
use super::{Ident, Parser};
use crate::ast::*;
use crate::program::VarKind;
use crate::{codes, message};
use stet_base::{Span, Symbol};

/// What a statement began with.
enum LabelOrCmd {
    Label(Ident),
    Cmd(CmdId),
    /// The commands that one unpacking stands for.
    Cmds(Vec<CmdId>),
}

impl LabelOrCmd {
    fn commands(self) -> Result<Vec<CmdId>, Ident> {
        match self {
            LabelOrCmd::Label(id) => Err(id),
            LabelOrCmd::Cmd(cmd) => Ok(vec![cmd]),
            LabelOrCmd::Cmds(cmds) => Ok(cmds),
        }
    }
}

/// The indexings of a path without fields.
fn indexings_only(path: &[Step]) -> Option<Vec<Indexing>> {
    let indexing = |step: &Step| match step {
        Step::Field { .. } => None,
        Step::Index { span, indices } => Some(Indexing {
            span: *span,
            indices: indices.clone(),
            type_args: Box::default(),
        }),
    };
    path.iter().map(indexing).collect()
}

/// The piece of a statement list being built.
struct Open {
    span: Span,
    label: Option<Symbol>,
    cmds: Vec<CmdId>,
}

impl Open {
    fn close(self, end: BlockEnd) -> BigBlock {
        BigBlock {
            span: self.span,
            label: self.label,
            cmds: self.cmds,
            end,
        }
    }
}

impl Parser<'_> {
    fn command(&mut self, span: Span, kind: CmdKind, attrs: Attributes) -> CmdId {
        self.program.cmds.push(Cmd { span, kind, attrs })
    }

    pub(super) fn attributes(&mut self) -> Attributes {
        let mut attrs = Attributes::default();
        while self.la() == Tok::LBrace {
            self.attribute(&mut attrs);
        }
        attrs
    }

    /// `{ locals statements }`.
    pub(super) fn impl_body(&mut self) -> (Vec<VarId>, StmtListId) {
        self.expect(Tok::LBrace);
        let mut locals = Vec::new();
        while self.la() == Tok::Var {
            self.local_vars(&mut locals);
        }
        let stmts = self.stmt_list();
        (locals, stmts)
    }

    fn local_vars(&mut self, locals: &mut Vec<VarId>) {
        self.expect(Tok::Var);
        let attrs = self.attributes();
        let context = IdsContext {
            kind: VarKind::Local,
            name: "local variables",
            attributes: true,
            where_clauses: true,
        };
        self.ids_type_wheres(context, &attrs, locals);
        self.expect(Tok::Semi);
    }

    /// Statements up to and including the closing brace.
    fn stmt_list(&mut self) -> StmtListId {
        let mut blocks = Vec::new();
        if self.enter() {
            self.stmts(&mut blocks);
        }
        self.leave();
        let end = self.last_span();
        self.program.stmts.push(StmtList { blocks, end })
    }

    fn stmts(&mut self, blocks: &mut Vec<BigBlock>) {
        let mut open: Option<Open> = None;
        loop {
            let first = self.la_span();
            let fresh = || Open {
                span: first,
                label: None,
                cmds: Vec::new(),
            };
            match self.la() {
                Tok::If | Tok::While | Tok::Break => {
                    let (span, end) = self.structured();
                    let mut block = open.take().unwrap_or_else(fresh);
                    if block.label.is_none() && block.cmds.is_empty() {
                        block.span = span;
                    }
                    blocks.push(block.close(end));
                }
                Tok::Goto | Tok::Return => {
                    let transfer = self.transfer();
                    let block = open.take().unwrap_or_else(fresh);
                    blocks.push(block.close(BlockEnd::Transfer(transfer)));
                }
                _ if self.starts_cmd() => match self.label_or_cmd().commands() {
                    Ok(cmds) => {
                        let span = cmds.first().map_or(first, |&c| self.program.cmds[c].span);
                        let block = open.get_or_insert_with(|| Open {
                            span,
                            label: None,
                            cmds: Vec::new(),
                        });
                        block.cmds.extend(cmds);
                    }
                    Err(id) => {
                        let labelled = Open {
                            span: id.span,
                            label: Some(id.name),
                            cmds: Vec::new(),
                        };
                        if let Some(block) = open.replace(labelled) {
                            blocks.push(block.close(BlockEnd::None));
                        }
                    }
                },
                _ => break,
            }
        }
        self.expect(Tok::RBrace);
        let end = self.last_span();
        if open.is_none() && blocks.is_empty() {
            open = Some(Open {
                span: end,
                label: None,
                cmds: Vec::new(),
            });
        }
        if let Some(block) = open {
            blocks.push(block.close(BlockEnd::None));
        }
    }

    fn starts_cmd(&self) -> bool {
        matches!(
            self.la(),
            Tok::Ident
                | Tok::Assert
                | Tok::Assume
                | Tok::Havoc
                | Tok::Async
                | Tok::Free
                | Tok::Call
                | Tok::Par
                | Tok::Yield
        )
    }

    fn transfer(&mut self) -> Transfer {
        self.get();
        let span = self.last_span();
        let kind = if self.last().kind == Tok::Goto {
            let labels = self.idents().into_iter().map(|id| id.name).collect();
            TransferKind::Goto {
                labels,
                targets: Vec::new(),
            }
        } else {
            TransferKind::Return
        };
        self.expect(Tok::Semi);
        Transfer { span, kind }
    }

    fn structured(&mut self) -> (Span, BlockEnd) {
        self.get();
        let span = self.last_span();
        let end = match self.last().kind {
            Tok::If => self.if_command(span),
            Tok::While => self.while_command(span),
            _ => {
                let label = (self.la() == Tok::Ident).then(|| self.ident().name);
                self.expect(Tok::Semi);
                BlockEnd::Break { span, label }
            }
        };
        (span, end)
    }

    fn if_command(&mut self, first: Span) -> BlockEnd {
        let mut arms = Vec::new();
        let mut span = first;
        loop {
            let guard = self.guard();
            self.expect(Tok::LBrace);
            let body = self.stmt_list();
            arms.push(IfArm { span, guard, body });
            if !self.eat(Tok::Else) {
                return BlockEnd::If {
                    arms,
                    otherwise: None,
                };
            }
            if self.eat(Tok::If) {
                span = self.last_span();
            } else if self.eat(Tok::LBrace) {
                let body = self.stmt_list();
                return BlockEnd::If {
                    arms,
                    otherwise: Some(body),
                };
            } else {
                self.invalid("IfCmd");
                return BlockEnd::If {
                    arms,
                    otherwise: None,
                };
            }
        }
    }

    fn while_command(&mut self, span: Span) -> BlockEnd {
        let guard = self.guard();
        let mut invariants = Vec::new();
        while matches!(self.la(), Tok::Free | Tok::Invariant) {
            let start = self.la_span();
            let free = self.eat(Tok::Free);
            self.expect(Tok::Invariant);
            let attrs = self.attributes();
            let expr = self.expression();
            let kind = if free {
                CmdKind::Assume(expr)
            } else {
                CmdKind::Assert(expr)
            };
            invariants.push(self.command(start, kind, attrs));
            self.expect(Tok::Semi);
        }
        self.expect(Tok::LBrace);
        let body = self.stmt_list();
        BlockEnd::While {
            span,
            guard,
            invariants,
            body,
        }
    }

    fn guard(&mut self) -> Option<ExprId> {
        self.expect(Tok::LParen);
        let guard = if self.eat(Tok::Star) {
            None
        } else if self.starts_expression() {
            Some(self.expression())
        } else {
            self.invalid("Guard");
            None
        };
        self.expect(Tok::RParen);
        guard
    }

    fn label_or_cmd(&mut self) -> LabelOrCmd {
        if self.la() == Tok::Ident {
            return self.label_or_assign();
        }
        if matches!(self.la(), Tok::Async | Tok::Free | Tok::Call) {
            let is_async = self.eat(Tok::Async);
            let is_free = self.eat(Tok::Free);
            self.expect(Tok::Call);
            let span = self.last_span();
            let cmd = self.call_params(span, is_async, is_free);
            self.expect(Tok::Semi);
            return LabelOrCmd::Cmd(cmd);
        }
        self.get();
        let span = self.last_span();
        let cmd = match self.last().kind {
            Tok::Assert => {
                let attrs = self.attributes();
                let expr = self.expression();
                self.command(span, CmdKind::Assert(expr), attrs)
            }
            Tok::Assume => {
                let attrs = self.attributes();
                let expr = self.expression();
                self.command(span, CmdKind::Assume(expr), attrs)
            }
            Tok::Havoc => {
                let ids = self.idents();
                let vars = ids.into_iter().map(|id| self.ident_expr(id)).collect();
                self.command(span, CmdKind::Havoc(vars), Attributes::default())
            }
            Tok::Par => {
                let mut calls = vec![self.call_params(span, false, false)];
                while self.eat(Tok::Bar) {
                    calls.push(self.call_params(span, false, false));
                }
                self.command(span, CmdKind::ParCall(calls), Attributes::default())
            }
            _ => self.command(span, CmdKind::Yield, Attributes::default()),
        };
        self.expect(Tok::Semi);
        LabelOrCmd::Cmd(cmd)
    }

    /// `hide f, g;`, `reveal *;`, `push;`, `pop;` of newer Boogie, which choose the axioms that a proof may use. Here every
    /// proof may use all of them, and a warning says so.
    fn visibility(&mut self) -> bool {
        let next = self.tokens.get(self.at + 1).map(|token| token.kind);
        let names = (self.la_is("hide") || self.la_is("reveal"))
            && matches!(next, Some(Tok::Ident | Tok::Star));
        let scopes = (self.la_is("push") || self.la_is("pop")) && next == Some(Tok::Semi);
        if !names && !scopes {
            return false;
        }
        self.get();
        let span = self.last_span();
        if names {
            if self.last_text() == "hide" {
                let text = "hide has no effect: all axioms can be used";
                let warning = message::warning(codes::TYPE, span, text.to_owned());
                self.program.warnings.push(warning);
            }
            if !self.eat(Tok::Star) {
                self.idents();
            }
        }
        self.expect(Tok::Semi);
        true
    }

    fn label_or_assign(&mut self) -> LabelOrCmd {
        if self.visibility() {
            return LabelOrCmd::Cmds(Vec::new());
        }
        let id = self.ident();
        if self.eat(Tok::Colon) {
            return LabelOrCmd::Label(id);
        }
        if self.eat(Tok::LParen) {
            return self.unpack(id);
        }
        if !matches!(self.la(), Tok::LBracket | Tok::Comma | Tok::Assign) && !self.at_arrow() {
            self.invalid("LabelOrAssign");
            let kind = CmdKind::Assume(self.ident_expr(id));
            return LabelOrCmd::Cmd(self.command(id.span, kind, Attributes::default()));
        }
        let mut lhss = vec![self.assign_lhs(id)];
        while self.eat(Tok::Comma) {
            let id = self.ident();
            lhss.push(self.assign_lhs(id));
        }
        self.expect(Tok::Assign);
        let span = self.last_span();
        let attrs = self.attributes();
        let rhss = self.expressions();
        self.expect(Tok::Semi);
        let kind = CmdKind::Assign { lhss, rhss };
        LabelOrCmd::Cmd(self.command(span, kind, attrs))
    }

    /// The rest of `C(x, y) := e;`: a check that `e` is made by `C`, and assignments of its fields.
    fn unpack(&mut self, constructor: Ident) -> LabelOrCmd {
        let targets = if self.la() == Tok::Ident {
            self.idents()
        } else {
            Vec::new()
        };
        self.expect(Tok::RParen);
        self.expect(Tok::Assign);
        let span = self.last_span();
        let attrs = self.attributes();
        let value = self.expression();
        self.expect(Tok::Semi);
        let mut cmds = vec![self.unpacked_test(span, constructor.name, value, &targets)];
        if !targets.is_empty() {
            cmds.push(self.unpacked_fields(span, constructor.name, value, &targets, attrs));
        }
        LabelOrCmd::Cmds(cmds)
    }

    /// `assert e is C;`, with the words for unpacking.
    fn unpacked_test(
        &mut self,
        span: Span,
        constructor: Symbol,
        value: ExprId,
        targets: &[Ident],
    ) -> CmdId {
        let name = format!(":= {}", self.program.name(constructor));
        let test = self.datatype_access(value, &name, span);
        let words = "The precondition for unpack could not be proved";
        let mut attrs = Attributes::default();
        self.text_attribute(&mut attrs, "msg", words, span);
        if !targets.is_empty() {
            let constructor = self.program.name(constructor).to_owned();
            self.text_attribute(&mut attrs, "unpack", &constructor, span);
        }
        self.command(span, CmdKind::Assert(test), attrs)
    }

    /// The parallel assignment of the fields, by their positions.
    fn unpacked_fields(
        &mut self,
        span: Span,
        constructor: Symbol,
        value: ExprId,
        targets: &[Ident],
        mut attrs: Attributes,
    ) -> CmdId {
        let constructor = self.program.name(constructor).to_owned();
        let mut lhss = Vec::new();
        let mut rhss = Vec::new();
        for (position, &id) in targets.iter().enumerate() {
            lhss.push(AssignLhs {
                target: self.ident_expr(id),
                indexings: Vec::new(),
                path: Vec::new(),
            });
            let name = format!("->#{position} {constructor}");
            rhss.push(self.datatype_access(value, &name, span));
        }
        self.text_attribute(&mut attrs, "unpack", &constructor, span);
        self.command(span, CmdKind::Assign { lhss, rhss }, attrs)
    }

    fn text_attribute(&mut self, attrs: &mut Attributes, key: &str, text: &str, span: Span) {
        attrs.0.push(Attribute {
            span,
            key: self.program.names.intern(key),
            params: vec![AttrParam::Str(text.into())],
        });
    }

    fn assign_lhs(&mut self, id: Ident) -> AssignLhs {
        let target = self.ident_expr(id);
        let mut path = Vec::new();
        loop {
            if self.eat(Tok::LBracket) {
                let span = self.last_span();
                let indices = if self.starts_expression() {
                    self.expressions()
                } else {
                    Vec::new()
                };
                self.expect(Tok::RBracket);
                let indices = indices.into();
                path.push(Step::Index { span, indices });
            } else if self.at_arrow() {
                self.get();
                self.get();
                let Ident { name, span } = self.ident();
                path.push(Step::Field { name, span });
            } else {
                break;
            }
        }
        let indexings = match indexings_only(&path) {
            Some(indexings) => {
                path.clear();
                indexings
            }
            None => Vec::new(),
        };
        AssignLhs {
            target,
            indexings,
            path,
        }
    }

    fn call_params(&mut self, span: Span, is_async: bool, is_free: bool) -> CmdId {
        let attrs = self.attributes();
        let mut callee = self.ident();
        let mut outs = Vec::new();
        if matches!(self.la(), Tok::Comma | Tok::Assign) {
            outs.push(Some(self.ident_expr(callee)));
            while self.eat(Tok::Comma) {
                let id = self.ident();
                outs.push(Some(self.ident_expr(id)));
            }
            self.expect(Tok::Assign);
            callee = self.ident();
            self.expect(Tok::LParen);
        } else if !self.eat(Tok::LParen) {
            self.invalid("CallParams");
        }
        let mut ins = Vec::new();
        if self.starts_expression() {
            ins = self.expressions().into_iter().map(Some).collect();
        }
        self.expect(Tok::RParen);
        let call = CallCmd {
            is_async,
            is_free,
            is_forall: false,
            name: callee.name,
            proc: None,
            ins,
            outs,
            type_args: Box::default(),
        };
        self.command(span, CmdKind::Call(Box::new(call)), attrs)
    }

    /// The rest of `|{ … }|` after its opening.
    pub(super) fn code_expression(&mut self, span: Span) -> ExprId {
        let mut locals = Vec::new();
        let mut blocks = Vec::new();
        if self.enter() {
            while self.la() == Tok::Var {
                self.local_vars(&mut locals);
            }
            blocks.push(self.spec_block());
            while self.la() == Tok::Ident {
                blocks.push(self.spec_block());
            }
            self.expect(Tok::CodeClose);
        }
        self.leave();
        crate::blocks::link(&mut blocks);
        let code = self.program.codes.push(CodeExpr { locals, blocks });
        self.push_expr(span, ExprKind::Code(code), self.nesting)
    }

    fn spec_block(&mut self) -> Block {
        let id = self.ident();
        self.expect(Tok::Colon);
        let mut cmds = Vec::new();
        while self.starts_cmd() {
            match self.label_or_cmd().commands() {
                Ok(found) => cmds.extend(found),
                Err(_) => self.semantic_error("SpecBlock's can only have one label"),
            }
        }
        let mut kind = TransferKind::Return;
        if self.eat(Tok::Goto) {
            let labels = self.idents().into_iter().map(|id| id.name).collect();
            kind = TransferKind::Goto {
                labels,
                targets: Vec::new(),
            };
        } else if self.eat(Tok::Return) {
            kind = TransferKind::ReturnExpr(self.expression());
        } else {
            self.invalid("SpecBlock");
        }
        let transfer = Transfer {
            span: self.last_span(),
            kind,
        };
        self.expect(Tok::Semi);
        Block {
            span: id.span,
            label: id.name,
            cmds,
            transfer,
        }
    }
}

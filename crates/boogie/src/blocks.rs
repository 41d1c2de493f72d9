//! Structured bodies to basic blocks, with Boogie's labels.
//!
//! Execution traces show the labels, so they are made exactly as Boogie makes them: pieces without a label are numbered in textual order (`anon0`,
//! `anon1`, …, nested ones as they come), then every `if` and `while` takes the next number for its `_Then`/`_Else` or
//! `_LoopHead`/`_LoopBody`/`_LoopDone`. The guard of a branch goes into the first block of its body if that has no label of its own.
//! If a label of the program starts with the prefix, the prefix is made longer.

use crate::ast::*;
use crate::program::Program;
use crate::{codes, message};
use stet_base::{FastMap, FastSet, Span, Symbol};
use stet_diag::Diagnostic;

/// Where a piece of a body is: the statement list and the position in it.
type Piece = (StmtListId, usize);

/// Makes the blocks of a body. Labels that do not exist and breaks that leave nothing are reported.
pub fn desugar(
    program: &mut Program,
    body: StmtListId,
    messages: &mut Vec<Diagnostic>,
) -> Vec<Block> {
    let errors_before = messages.len();
    let mut builder = Builder {
        program,
        messages,
        prefix: "anon".to_owned(),
        next: 0,
        labels: FastMap::default(),
        successors: FastMap::default(),
        breaks: FastMap::default(),
        prefix_cmds: FastMap::default(),
        blocks: Vec::new(),
    };
    let mut known = FastSet::default();
    builder.collect_labels(body, &mut known);
    builder.check_labels(body, &known, &mut Vec::new());
    builder.name_pieces(body);
    builder.record_successors(body, None);
    if builder.messages.len() > errors_before {
        return Vec::new();
    }
    builder.create(body, None);
    let mut blocks = builder.blocks;
    link(&mut blocks);
    blocks
}

/// Fills in the targets of all gotos whose labels exist. Where labels repeat, the last block counts.
pub(crate) fn link(blocks: &mut [Block]) {
    let positions: FastMap<Symbol, u32> = blocks
        .iter()
        .enumerate()
        .map(|(i, b)| (b.label, i as u32))
        .collect();
    for block in blocks {
        if let TransferKind::Goto { labels, targets } = &mut block.transfer.kind {
            *targets = labels
                .iter()
                .filter_map(|l| positions.get(l).copied())
                .collect();
        }
    }
}

struct Builder<'a> {
    program: &'a mut Program,
    messages: &'a mut Vec<Diagnostic>,
    prefix: String,
    next: u32,
    /// The label of each piece.
    labels: FastMap<Piece, Symbol>,
    /// The piece that follows each piece.
    successors: FastMap<Piece, Piece>,
    /// The piece each `break` leaves.
    breaks: FastMap<Piece, Piece>,
    /// Guards to be put in front of the first piece of a list.
    prefix_cmds: FastMap<StmtListId, Vec<CmdId>>,
    blocks: Vec<Block>,
}

/// The lists nested in a piece.
fn nested(end: &BlockEnd) -> Vec<StmtListId> {
    match end {
        BlockEnd::If { arms, otherwise } => arms.iter().map(|a| a.body).chain(*otherwise).collect(),
        BlockEnd::While { body, .. } => vec![*body],
        _ => Vec::new(),
    }
}

impl Builder<'_> {
    fn len(&self, list: StmtListId) -> usize {
        self.program.stmts[list].blocks.len()
    }

    fn piece(&self, (list, index): Piece) -> &BigBlock {
        &self.program.stmts[list].blocks[index]
    }

    fn error(&mut self, span: Span, text: String) {
        self.messages
            .push(message::error(codes::SYNTAX, span, text));
    }

    fn collect_labels(&self, list: StmtListId, known: &mut FastSet<Symbol>) {
        for block in &self.program.stmts[list].blocks {
            known.extend(block.label);
            for inner in nested(&block.end) {
                self.collect_labels(inner, known);
            }
        }
    }

    /// Checks gotos and breaks; `enclosing` are the pieces around this list, innermost last.
    fn check_labels(
        &mut self,
        list: StmtListId,
        known: &FastSet<Symbol>,
        enclosing: &mut Vec<Piece>,
    ) {
        for i in 0..self.len(list) {
            if let Some(label) = self.piece((list, i)).label {
                self.avoid(label);
            }
        }
        for i in 0..self.len(list) {
            let at = (list, i);
            let end = self.piece(at).end.clone();
            match &end {
                BlockEnd::Transfer(Transfer {
                    span,
                    kind: TransferKind::Goto { labels, .. },
                }) => {
                    for label in labels.iter().filter(|l| !known.contains(l)) {
                        let label = self.program.name(*label).to_owned();
                        self.error(*span, format!("Error: goto label '{label}' is undefined"));
                    }
                }
                BlockEnd::Break { span, label } => self.check_break(at, *span, *label, enclosing),
                _ => {}
            }
            enclosing.push(at);
            for inner in nested(&end) {
                self.check_labels(inner, known, enclosing);
            }
            enclosing.pop();
        }
    }

    fn avoid(&mut self, label: Symbol) {
        let label = self.program.names.text(label);
        if let Some(rest) = label.strip_prefix(&self.prefix) {
            let digit = if rest.starts_with('0') { '1' } else { '0' };
            self.prefix.push(digit);
        }
    }

    fn check_break(&mut self, at: Piece, span: Span, label: Option<Symbol>, enclosing: &[Piece]) {
        let target = enclosing.iter().rev().copied().find(|&e| match label {
            None => matches!(self.piece(e).end, BlockEnd::While { .. }),
            Some(_) => self.piece(e).label == label,
        });
        match (target, label) {
            (Some(target), None) => {
                self.breaks.insert(at, target);
            }
            (Some(target), Some(_)) if self.piece(target).cmds.is_empty() => {
                self.breaks.insert(at, target);
            }
            (None, None) => self.error(
                span,
                "Error: break statement is not inside a loop".to_owned(),
            ),
            (_, Some(label)) => {
                let label = self.program.name(label).to_owned();
                self.error(
                    span,
                    format!("Error: break label '{label}' must designate an enclosing statement"),
                );
            }
        }
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn fresh(&mut self, suffix: &str, number: u32) -> Symbol {
        let text = format!("{}{number}{suffix}", self.prefix);
        self.program.names.intern(&text)
    }

    fn name_pieces(&mut self, list: StmtListId) {
        for i in 0..self.len(list) {
            let at = (list, i);
            let label = match self.piece(at).label {
                Some(label) => label,
                None => {
                    let number = self.number();
                    self.fresh("", number)
                }
            };
            self.labels.insert(at, label);
            for inner in nested(&self.piece(at).end.clone()) {
                self.name_pieces(inner);
            }
        }
    }

    fn record_successors(&mut self, list: StmtListId, mut successor: Option<Piece>) {
        for i in (0..self.len(list)).rev() {
            let at = (list, i);
            if let Some(successor) = successor {
                self.successors.insert(at, successor);
            }
            let end = self.piece(at).end.clone();
            let after = match end {
                BlockEnd::While { .. } => Some(at),
                _ => successor,
            };
            for inner in nested(&end) {
                self.record_successors(inner, after);
            }
            successor = Some(at);
        }
    }

    fn goto(&self, span: Span, labels: Vec<Symbol>) -> Transfer {
        Transfer {
            span,
            kind: TransferKind::Goto {
                labels,
                targets: Vec::new(),
            },
        }
    }

    /// To where control goes after a piece: the head of the loop it ends, the next piece, or out.
    fn after(&self, span: Span, piece: Piece, run_off: Option<Symbol>) -> Transfer {
        if let Some(label) = run_off {
            return self.goto(span, vec![label]);
        }
        match self.successors.get(&piece) {
            Some(next) => self.goto(span, vec![self.labels[next]]),
            None => Transfer {
                span,
                kind: TransferKind::Return,
            },
        }
    }

    fn add(&mut self, span: Span, label: Symbol, cmds: Vec<CmdId>, transfer: Transfer) {
        self.blocks.push(Block {
            span,
            label,
            cmds,
            transfer,
        });
    }

    /// Makes the blocks of a list; in a loop body, `run_off` is the loop head.
    fn create(&mut self, list: StmtListId, run_off: Option<Symbol>) {
        let count = self.len(list);
        let closing = self.program.stmts[list].end;
        let mut prefix = self.prefix_cmds.remove(&list).unwrap_or_default();
        for i in 0..count {
            let at = (list, i);
            let run_off = run_off.filter(|_| i + 1 == count);
            let BigBlock {
                span, cmds, end, ..
            } = self.piece(at).clone();
            let label = self.labels[&at];
            let mut all = std::mem::take(&mut prefix);
            all.extend(cmds);
            match end {
                BlockEnd::Transfer(transfer) => self.add(span, label, all, transfer),
                BlockEnd::None => {
                    let transfer = self.after(closing, at, run_off);
                    self.add(span, label, all, transfer);
                }
                BlockEnd::Break {
                    span: break_span, ..
                } => {
                    let target = self.breaks[&at];
                    let transfer = self.after(break_span, target, None);
                    self.add(span, label, all, transfer);
                }
                BlockEnd::While {
                    span: while_span,
                    guard,
                    invariants,
                    body,
                } => {
                    let number = self.number();
                    let head = self.fresh("_LoopHead", number);
                    let transfer = self.goto(while_span, vec![head]);
                    self.add(span, label, all, transfer);
                    self.create_loop(at, while_span, guard, invariants, body, number, run_off);
                }
                BlockEnd::If { arms, otherwise } => {
                    self.create_if(at, span, label, all, &arms, otherwise, run_off);
                }
            }
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the parts of one statement, used once"
    )]
    fn create_loop(
        &mut self,
        at: Piece,
        span: Span,
        guard: Option<ExprId>,
        invariants: Vec<CmdId>,
        body: StmtListId,
        number: u32,
        run_off: Option<Symbol>,
    ) {
        let head = self.fresh("_LoopHead", number);
        let done = self.fresh("_LoopDone", number);
        let suggested = self.fresh("_LoopBody", number);
        let (yes, no) = self.guards(span, guard);
        let (body_label, squeezed) = self.prefix_first(body, yes.clone(), suggested);
        let transfer = self.goto(span, vec![done, body_label]);
        self.add(span, head, invariants, transfer);
        if !squeezed {
            self.guard_block(span, body_label, yes, body);
        }
        self.create(body, Some(head));
        let transfer = self.after(span, at, run_off);
        self.add(span, done, no, transfer);
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the parts of one statement, used once"
    )]
    fn create_if(
        &mut self,
        at: Piece,
        span: Span,
        label: Symbol,
        cmds: Vec<CmdId>,
        arms: &[IfArm],
        otherwise: Option<StmtListId>,
        run_off: Option<Symbol>,
    ) {
        let (mut label, mut cmds) = (label, cmds);
        for (i, arm) in arms.iter().enumerate() {
            let number = self.number();
            let then_label = self.fresh("_Then", number);
            let mut else_label = self.fresh("_Else", number);
            let (yes, no) = self.guards(arm.span, arm.guard);
            let (then_label, then_squeezed) = self.prefix_first(arm.body, yes.clone(), then_label);
            let else_body = otherwise.filter(|_| i + 1 == arms.len());
            let mut else_squeezed = false;
            if let Some(body) = else_body {
                (else_label, else_squeezed) = self.prefix_first(body, no.clone(), else_label);
            }
            let transfer = self.goto(arm.span, vec![then_label, else_label]);
            self.add(span, label, std::mem::take(&mut cmds), transfer);
            if !then_squeezed {
                self.guard_block(arm.span, then_label, yes, arm.body);
            }
            self.create(arm.body, run_off);
            if let Some(body) = else_body {
                if !else_squeezed {
                    self.guard_block(arm.span, else_label, no, body);
                }
                self.create(body, run_off);
            } else if i + 1 < arms.len() {
                label = else_label;
                cmds = no;
            } else {
                let transfer = self.after(arm.span, at, run_off);
                self.add(arm.span, else_label, no, transfer);
            }
        }
    }

    /// A block with a guard alone, before a body that starts with a label.
    fn guard_block(&mut self, span: Span, label: Symbol, cmds: Vec<CmdId>, body: StmtListId) {
        let transfer = self.goto(span, vec![self.labels[&(body, 0)]]);
        self.add(span, label, cmds, transfer);
    }

    /// Tries to put `cmds` in front of the first piece of `list` and to name it `suggested`.
    fn prefix_first(
        &mut self,
        list: StmtListId,
        cmds: Vec<CmdId>,
        suggested: Symbol,
    ) -> (Symbol, bool) {
        let first = (list, 0);
        if self.piece(first).label.is_none() {
            self.labels.insert(first, suggested);
            self.prefix_cmds.insert(list, cmds);
            (suggested, true)
        } else if cmds.is_empty() {
            (self.labels[&first], true)
        } else {
            (suggested, false)
        }
    }

    /// `assume {:partition} guard` and its negation; nothing for `*`.
    fn guards(&mut self, span: Span, guard: Option<ExprId>) -> (Vec<CmdId>, Vec<CmdId>) {
        let Some(guard) = guard else {
            return (Vec::new(), Vec::new());
        };
        let negated = negate(self.program, guard);
        let key = self.program.names.intern("partition");
        let mut assume = |expr| {
            self.program.cmds.push(Cmd {
                span,
                kind: CmdKind::Assume(expr),
                attrs: Attributes(vec![Attribute {
                    span,
                    key,
                    params: Vec::new(),
                }]),
            })
        };
        (vec![assume(guard)], vec![assume(negated)])
    }
}

/// The negation of a condition: comparisons are turned round, double negations dropped.
pub fn negate(program: &mut Program, expr: ExprId) -> ExprId {
    let Expr { kind, span, ty } = program.exprs[expr].clone();
    let kind = match kind {
        ExprKind::Unary(UnaryOp::Not, inner) => return inner,
        ExprKind::Binary(BinaryOp::Eq, a, b) => ExprKind::Binary(BinaryOp::Neq, a, b),
        ExprKind::Binary(BinaryOp::Neq, a, b) => ExprKind::Binary(BinaryOp::Eq, a, b),
        ExprKind::Binary(BinaryOp::Lt, a, b) => ExprKind::Binary(BinaryOp::Le, b, a),
        ExprKind::Binary(BinaryOp::Le, a, b) => ExprKind::Binary(BinaryOp::Lt, b, a),
        ExprKind::Binary(BinaryOp::Ge, a, b) => ExprKind::Binary(BinaryOp::Gt, b, a),
        ExprKind::Binary(BinaryOp::Gt, a, b) => ExprKind::Binary(BinaryOp::Ge, b, a),
        _ => ExprKind::Unary(UnaryOp::Not, expr),
    };
    program.add_expr(crate::position::nowhere(span), kind, ty)
}

//! From the trees of this crate to the tables of a Boogie program.

use crate::decl::{Body, Clause, Decl, Procedure, Role, Variable};
use crate::tree::{B, Check, Invariant, Name, Node, S, Sort, TypedName};
use num_bigint::BigInt;
use std::collections::BTreeMap;
use stet_base::Span;
use stet_boogie::ast::*;
use stet_boogie::{
    Axiom, Constant, DatatypeRole, Function, Implementation, Program, Spec, TypeCtor, VarKind,
};

/// Places that belong to failing checks: (start of the check, its message) to the related places.
pub(crate) type Related = BTreeMap<(u32, String), Vec<(Span, String)>>;

/// What checks assert as program text, by the same.
pub(crate) type Asserted = BTreeMap<(u32, String), String>;

/// Makes everything that was read from the prelude stand nowhere.
pub(crate) fn forget_places(program: &mut Program, nowhere: Span) {
    program.exprs.iter_mut().for_each(|(_, e)| e.span = nowhere);
    program
        .type_exprs
        .iter_mut()
        .for_each(|(_, t)| t.span = nowhere);
    program.vars.iter_mut().for_each(|(_, v)| v.span = nowhere);
    program.funcs.iter_mut().for_each(|(_, f)| f.span = nowhere);
    program
        .type_ctors
        .iter_mut()
        .for_each(|(_, t)| t.span = nowhere);
    program
        .synonyms
        .iter_mut()
        .for_each(|(_, s)| s.span = nowhere);
    program
        .axioms
        .iter_mut()
        .for_each(|(_, a)| a.span = nowhere);
}

/// Adds declarations to a program.
pub(crate) struct Lowering<'a> {
    program: &'a mut Program,
    span: Span,
    /// Bound variables around the expression, with the names they have in Boogie, where none may hide another.
    bound: Vec<(Name, Name)>,
    pub(crate) related: Related,
    pub(crate) asserted: Asserted,
    pub(crate) messages: Vec<stet_diag::Diagnostic>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(program: &'a mut Program, span: Span) -> Self {
        Lowering {
            program,
            span,
            bound: Vec::new(),
            related: Related::new(),
            asserted: Asserted::new(),
            messages: Vec::new(),
        }
    }

    pub(crate) fn decl(&mut self, decl: &Decl) {
        match decl {
            Decl::Type { name, datatype } => self.type_decl(name, *datatype),
            Decl::Function {
                name,
                ins,
                out,
                role,
            } => self.function(name, ins, out, role),
            Decl::Const { name, sort, unique } => self.constant(name, sort, *unique),
            Decl::Axiom(expr) => {
                let expr = self.expr(expr);
                let axiom = self.program.axioms.push(Axiom {
                    span: self.span,
                    expr,
                    attrs: Attributes::default(),
                    defines: None,
                });
                self.program.decls.push(stet_boogie::Decl::Axiom(axiom));
            }
            Decl::Procedure(procedure) => self.procedure(procedure),
        }
    }

    fn flag(&mut self, key: &str, param: Option<AttrParam>) -> Attribute {
        Attribute {
            span: self.span,
            key: self.program.names.intern(key),
            params: param.into_iter().collect(),
        }
    }

    fn type_decl(&mut self, name: &Name, datatype: bool) {
        let mut attrs = Attributes::default();
        if datatype {
            attrs.0.push(self.flag("datatype", None));
        }
        let name = self.program.names.intern(name);
        let ctor = self.program.type_ctors.push(TypeCtor {
            name,
            span: self.span,
            params: Vec::new(),
            finite: false,
            attrs,
            constructors: Vec::new(),
        });
        self.program.decls.push(stet_boogie::Decl::TypeCtor(ctor));
    }

    fn function(&mut self, name: &Name, ins: &[TypedName], out: &Sort, role: &Role) {
        let mut attrs = Attributes::default();
        match role {
            Role::Plain => {}
            Role::Constructor => attrs.0.push(self.flag("constructor", None)),
            Role::Bv(builtin) => {
                let text = AttrParam::Str((**builtin).into());
                attrs.0.push(self.flag("bvbuiltin", Some(text)));
            }
        }
        let ins = ins
            .iter()
            .map(|(n, s)| self.variable(n, s, VarKind::In))
            .collect();
        let out = self.variable("", out, VarKind::Out);
        let name = self.program.names.intern(name);
        let func = self.program.funcs.push(Function {
            name,
            span: self.span,
            type_params: Vec::new(),
            ins,
            out,
            body: None,
            attrs,
            datatype: DatatypeRole::None,
        });
        self.program.decls.push(stet_boogie::Decl::Function(func));
    }

    fn constant(&mut self, name: &Name, sort: &Sort, unique: bool) {
        let var = self.variable(name, sort, VarKind::Constant);
        let constant = self.program.consts.push(Constant {
            var,
            unique,
            parents: None,
            complete: false,
        });
        self.program
            .decls
            .push(stet_boogie::Decl::Constant(constant));
    }

    fn variable(&mut self, name: &str, sort: &Sort, kind: VarKind) -> VarId {
        let type_expr = Some(self.sort(sort));
        let name = self.program.names.intern(name);
        self.program.vars.push(stet_boogie::Variable {
            name,
            span: self.span,
            kind,
            type_expr,
            ty: None,
            where_clause: None,
            attrs: Attributes::default(),
        })
    }

    fn constrained(&mut self, variable: &Variable, kind: VarKind) -> VarId {
        let id = self.variable(&variable.name, &variable.sort, kind);
        if let Some(constraint) = &variable.constraint {
            let constraint = self.expr(constraint);
            self.program.vars[id].where_clause = Some(constraint);
        }
        id
    }

    fn sort(&mut self, sort: &Sort) -> TypeExprId {
        let kind = match sort {
            Sort::Named(name) => match &**name {
                "int" => TypeExprKind::Int,
                "bool" => TypeExprKind::Bool,
                "real" => TypeExprKind::Real,
                other => match bit_width(other) {
                    Some(width) => TypeExprKind::Bv(width),
                    None => TypeExprKind::Named {
                        name: self.program.names.intern(other),
                        args: Box::new([]),
                    },
                },
            },
            Sort::Map(args, result) => {
                let args: Vec<TypeExprId> = args.iter().map(|a| self.sort(a)).collect();
                let result = self.sort(result);
                TypeExprKind::Map {
                    params: Box::new([]),
                    args: args.into(),
                    result,
                }
            }
        };
        self.program.type_exprs.push(TypeExpr {
            span: self.span,
            kind,
        })
    }

    fn exprs(&mut self, es: &[B]) -> Vec<ExprId> {
        es.iter().map(|e| self.expr(e)).collect()
    }

    fn push(&mut self, kind: ExprKind) -> ExprId {
        let span = self.span;
        self.program.add_expr(span, kind, None)
    }

    fn expr(&mut self, e: &B) -> ExprId {
        let kind = match &**e {
            Node::Bool(value) => ExprKind::Bool(*value),
            Node::Int(value) if value.sign() == num_bigint::Sign::Minus => {
                let inner = self.push(ExprKind::Int(Box::new(-value.clone())));
                ExprKind::Unary(UnaryOp::Neg, inner)
            }
            Node::Int(value) => ExprKind::Int(Box::new(value.clone())),
            Node::Real(digits, exponent) => ExprKind::Real(Box::new(decimal(digits, *exponent))),
            Node::Bv(value, width) => ExprKind::Bv {
                value: Box::new(value.clone()),
                width: *width,
            },
            Node::Var(name) => {
                let mut inner = self.bound.iter().rev();
                let found = inner.find(|(n, _)| n == name).map(|(_, now)| now.clone());
                let name = found.unwrap_or_else(|| name.clone());
                ExprKind::Ident {
                    name: self.program.names.intern(&name),
                    var: None,
                }
            }
            Node::App(name, args) => ExprKind::Call {
                args: self.exprs(args).into(),
                name: self.program.names.intern(name),
                func: None,
            },
            Node::Bin(op, a, b) => ExprKind::Binary(*op, self.expr(a), self.expr(b)),
            Node::Not(a) => ExprKind::Unary(UnaryOp::Not, self.expr(a)),
            Node::Neg(a) => ExprKind::Unary(UnaryOp::Neg, self.expr(a)),
            Node::Ite(c, a, b) => ExprKind::Ite(self.expr(c), self.expr(a), self.expr(b)),
            Node::Select(map, indices) => ExprKind::Select {
                map: self.expr(map),
                indices: self.exprs(indices).into(),
            },
            Node::Store(map, indices, value) => ExprKind::Store {
                map: self.expr(map),
                indices: self.exprs(indices).into(),
                value: self.expr(value),
            },
            Node::Old(a) => ExprKind::Old(self.expr(a)),
            Node::Quant {
                forall,
                vars,
                triggers,
                body,
            } => {
                let kind = if *forall {
                    BinderKind::Forall
                } else {
                    BinderKind::Exists
                };
                self.binder(kind, vars, triggers, body)
            }
            Node::Lambda { vars, body } => self.binder(BinderKind::Lambda, vars, &[], body),
            Node::Let { vars, values, body } => self.let_expr(vars, values, body),
        };
        self.push(kind)
    }

    /// A name for a bound variable that no other around it has.
    fn bind(&mut self, name: &Name) -> Name {
        let mut now = name.clone();
        while self.bound.iter().any(|(_, n)| *n == now) {
            now = format!("{now}'").into();
        }
        self.bound.push((name.clone(), now.clone()));
        now
    }

    fn let_expr(&mut self, vars: &[Name], values: &[B], body: &B) -> ExprKind {
        let values = self.exprs(values);
        let outside = self.bound.len();
        let vars = vars
            .iter()
            .map(|name| {
                let name = self.bind(name);
                let name = self.program.names.intern(&name);
                self.program.vars.push(stet_boogie::Variable {
                    name,
                    span: self.span,
                    kind: VarKind::Bound,
                    type_expr: None,
                    ty: None,
                    where_clause: None,
                    attrs: Attributes::default(),
                })
            })
            .collect();
        let body = self.expr(body);
        self.bound.truncate(outside);
        ExprKind::Let(Box::new(LetExpr {
            vars,
            values,
            attrs: Attributes::default(),
            body,
        }))
    }

    fn binder(
        &mut self,
        kind: BinderKind,
        vars: &[TypedName],
        triggers: &[Vec<B>],
        body: &B,
    ) -> ExprKind {
        let outside = self.bound.len();
        let vars = vars
            .iter()
            .map(|(n, s)| {
                let name = self.bind(n);
                self.variable(&name, s, VarKind::Bound)
            })
            .collect();
        let triggers = triggers
            .iter()
            .map(|terms| Trigger {
                span: self.span,
                positive: true,
                exprs: self.exprs(terms),
            })
            .collect();
        let body = self.expr(body);
        self.bound.truncate(outside);
        ExprKind::Binder(Box::new(Binder {
            kind,
            type_params: Vec::new(),
            vars,
            attrs: Attributes::default(),
            triggers,
            body,
        }))
    }

    fn procedure(&mut self, procedure: &Procedure) {
        let outer = std::mem::replace(&mut self.span, procedure.span);
        let name = self.program.names.intern(&procedure.name);
        let ins: Vec<VarId> = procedure
            .ins
            .iter()
            .map(|v| self.constrained(v, VarKind::In))
            .collect();
        let outs: Vec<VarId> = procedure
            .outs
            .iter()
            .map(|v| self.constrained(v, VarKind::Out))
            .collect();
        let requires = procedure.requires.iter().map(|c| self.spec(c)).collect();
        let ensures = procedure.ensures.iter().map(|c| self.spec(c)).collect();
        let modifies = procedure
            .modifies
            .iter()
            .map(|m| self.expr(&crate::tree::var(m)));
        let modifies = modifies.collect();
        let mut attrs = Attributes::default();
        for (key, value) in &procedure.attributes {
            let value = value.map(|v| self.push(ExprKind::Int(Box::new(v.into()))));
            let attr = self.flag(key, value.map(AttrParam::Expr));
            attrs.0.push(attr);
        }
        let proc = self.program.procs.push(stet_boogie::Procedure {
            is_pure: false,
            name,
            span: procedure.span,
            type_params: Vec::new(),
            ins: ins.clone(),
            outs: outs.clone(),
            requires,
            modifies,
            ensures,
            attrs: attrs.clone(),
        });
        self.program.decls.push(stet_boogie::Decl::Procedure(proc));
        if let Some(body) = &procedure.body {
            self.implementation(name, procedure.span, &ins, &outs, attrs, body);
        }
        self.span = outer;
    }

    fn implementation(
        &mut self,
        name: stet_base::Symbol,
        span: Span,
        ins: &[VarId],
        outs: &[VarId],
        attrs: Attributes,
        body: &Body,
    ) {
        let ins = self.stripped(ins);
        let outs = self.stripped(outs);
        let locals = body
            .locals
            .iter()
            .map(|v| self.constrained(v, VarKind::Local))
            .collect();
        let end = body.end.unwrap_or(span);
        let stmts = self.stmt_list(&body.stmts, end);
        let blocks = stet_boogie::desugar(self.program, stmts, &mut self.messages);
        let implementation = self.program.impls.push(Implementation {
            name,
            span,
            proc: None,
            is_procedure_body: true,
            type_params: Vec::new(),
            ins,
            outs,
            locals,
            body: stmts,
            blocks,
            attrs,
        });
        let decl = stet_boogie::Decl::Implementation(implementation);
        self.program.decls.push(decl);
    }

    /// Copies of parameters without what only the procedure says about them.
    fn stripped(&mut self, vars: &[VarId]) -> Vec<VarId> {
        vars.iter()
            .map(|&v| {
                let mut var = self.program.vars[v].clone();
                var.where_clause = None;
                self.program.vars.push(var)
            })
            .collect()
    }

    fn message(&mut self, check: &Check) -> Attributes {
        let message = self.distinct(check);
        let mut attrs = Attributes::default();
        if !message.is_empty() {
            let text = AttrParam::Str(message.into());
            attrs.0.push(self.flag("msg", Some(text)));
        }
        if check.forgotten {
            let never = self.expr(&crate::tree::int(0));
            attrs
                .0
                .push(self.flag("subsumption", Some(AttrParam::Expr(never))));
        }
        attrs
    }

    /// The message of a check; checks of one place with other related places or another text get other messages.
    fn distinct(&mut self, check: &Check) -> String {
        let plain = check.message.replace('"', "'");
        let places = check.related.iter().map(|(s, t)| (*s, t.to_string()));
        let places: Vec<(Span, String)> = places.collect();
        let asserted = check.asserted.as_deref();
        let mut message = plain.clone();
        for number in 2.. {
            let key = (check.span.start, message.clone());
            let text = self.asserted.get(&key).map(String::as_str);
            match self.related.get(&key) {
                Some(known) if *known == places && text == asserted => break,
                Some(_) => message = numbered(&plain, number),
                None => {
                    if let Some(asserted) = asserted {
                        self.asserted.insert(key.clone(), asserted.to_owned());
                    }
                    self.related.insert(key, places);
                    break;
                }
            }
        }
        message
    }

    fn spec(&mut self, clause: &Clause) -> Spec {
        let outer = std::mem::replace(&mut self.span, clause.check.span);
        let expr = self.expr(&clause.check.cond);
        let attrs = self.message(&clause.check);
        self.span = outer;
        Spec {
            span: clause.check.span,
            free: clause.free,
            expr,
            attrs,
        }
    }

    fn invariant(&mut self, invariant: &Invariant) -> CmdId {
        let outer = std::mem::replace(&mut self.span, invariant.check.span);
        let expr = self.expr(&invariant.check.cond);
        let attrs = self.message(&invariant.check);
        let span = std::mem::replace(&mut self.span, outer);
        let kind = if invariant.free {
            CmdKind::Assume(expr)
        } else {
            CmdKind::Assert(expr)
        };
        self.program.cmds.push(Cmd { span, kind, attrs })
    }

    fn stmt_list(&mut self, stmts: &[S], end: Span) -> StmtListId {
        let mut list = Pieces {
            done: Vec::new(),
            open: None,
        };
        for stmt in stmts {
            self.stmt(stmt, &mut list, end);
        }
        list.close(self.span, BlockEnd::None);
        let blocks = list.done;
        self.program.stmts.push(StmtList { blocks, end })
    }

    fn command(&mut self, list: &mut Pieces, span: Span, kind: CmdKind, attrs: Attributes) {
        let cmd = self.program.cmds.push(Cmd { span, kind, attrs });
        list.open(span).cmds.push(cmd);
    }

    fn stmt(&mut self, stmt: &S, list: &mut Pieces, end: Span) {
        let none = Attributes::default();
        let here = self.span;
        match stmt {
            S::Assert(check) => {
                let outer = std::mem::replace(&mut self.span, check.span);
                let expr = self.expr(&check.cond);
                let attrs = self.message(check);
                self.command(list, check.span, CmdKind::Assert(expr), attrs);
                self.span = outer;
            }
            S::Settled | S::Visible(_) => {}
            S::Mark(name) => {
                let expr = self.expr(&crate::tree::tt());
                let attr = self.flag(name, None);
                let mut attrs = none;
                attrs.0.push(attr);
                self.command(list, here, CmdKind::Assume(expr), attrs);
            }
            S::Assume(cond) => {
                let expr = self.expr(cond);
                self.command(list, here, CmdKind::Assume(expr), none);
            }
            S::Assign(name, value) => {
                let lhss = vec![AssignLhs {
                    target: self.expr(&crate::tree::var(name)),
                    indexings: Vec::new(),
                    path: Vec::new(),
                }];
                let rhss = vec![self.expr(value)];
                self.command(list, here, CmdKind::Assign { lhss, rhss }, none);
            }
            S::Havoc(names) => {
                let targets = names.iter().map(|n| self.expr(&crate::tree::var(n)));
                let targets = targets.collect();
                self.command(list, here, CmdKind::Havoc(targets), none);
            }
            S::If(guard, then, otherwise) => {
                let guard = guard.as_ref().map(|g| self.expr(g));
                let arm = IfArm {
                    span: here,
                    guard,
                    body: self.stmt_list(then, end),
                };
                let otherwise = Some(self.stmt_list(otherwise, end));
                let end = BlockEnd::If {
                    arms: vec![arm],
                    otherwise,
                };
                list.close(here, end);
            }
            S::Loop {
                invariants,
                body,
                span,
            } => {
                let invariants = invariants.iter().map(|i| self.invariant(i)).collect();
                let body = self.stmt_list(body, end);
                let guard = self.push(ExprKind::Bool(true));
                let end = BlockEnd::While {
                    span: *span,
                    guard: Some(guard),
                    invariants,
                    body,
                };
                list.close(here, end);
            }
            S::Label(label) => {
                let label = self.program.names.intern(label);
                list.label(here, label);
            }
            S::Goto(label) => {
                let labels = vec![self.program.names.intern(label)];
                let kind = TransferKind::Goto {
                    labels,
                    targets: Vec::new(),
                };
                list.close(here, BlockEnd::Transfer(Transfer { span: here, kind }));
            }
            S::Return(span) => {
                let kind = TransferKind::Return;
                list.close(here, BlockEnd::Transfer(Transfer { span: *span, kind }));
            }
            S::Call {
                proc,
                ins,
                outs,
                span,
            } => self.call(list, proc, ins, outs, *span),
        }
    }

    fn call(&mut self, list: &mut Pieces, proc: &Name, ins: &[B], outs: &[Name], span: Span) {
        let ins = self.exprs(ins).into_iter().map(Some).collect();
        let outs = outs.iter().map(|n| Some(self.expr(&crate::tree::var(n))));
        let outs = outs.collect();
        let call = CallCmd {
            is_async: false,
            is_free: false,
            is_forall: false,
            name: self.program.names.intern(proc),
            proc: None,
            ins,
            outs,
            type_args: Box::new([]),
        };
        let kind = CmdKind::Call(Box::new(call));
        self.command(list, span, kind, Attributes::default());
    }
}

/// The pieces of a statement list, the last one perhaps still open.
struct Pieces {
    done: Vec<BigBlock>,
    open: Option<BigBlock>,
}

impl Pieces {
    fn open(&mut self, span: Span) -> &mut BigBlock {
        self.open.get_or_insert_with(|| BigBlock {
            span,
            label: None,
            cmds: Vec::new(),
            end: BlockEnd::None,
        })
    }

    fn close(&mut self, span: Span, end: BlockEnd) {
        if self.open.is_none() && matches!(end, BlockEnd::None) && !self.done.is_empty() {
            return;
        }
        self.open(span).end = end;
        self.done.extend(self.open.take());
    }

    fn label(&mut self, span: Span, label: stet_base::Symbol) {
        if self.open.is_some() {
            self.close(span, BlockEnd::None);
        }
        self.open(span).label = Some(label);
    }
}

/// The message of one of several checks of one place.
fn numbered(message: &str, number: u32) -> String {
    format!("{message}{NUMBERED}{number}]")
}

/// A message without the number that tells it from others of the same place.
pub fn plain_message(message: &str) -> &str {
    match message.rfind(NUMBERED) {
        Some(end) if message.ends_with(']') => &message[..end],
        _ => message,
    }
}

/// What stands before the number of a message.
const NUMBERED: &str = " [part ";

fn bit_width(name: &str) -> Option<u32> {
    name.strip_prefix("bv")?.parse().ok()
}

fn decimal(digits: &BigInt, exponent: i32) -> Decimal {
    let (mut mantissa, mut exponent) = (digits.clone(), exponent);
    let zero = BigInt::from(0);
    let ten = BigInt::from(10);
    while mantissa != zero && &mantissa % &ten == zero {
        mantissa /= &ten;
        exponent += 1;
    }
    if mantissa == zero {
        exponent = 0;
    }
    Decimal { mantissa, exponent }
}

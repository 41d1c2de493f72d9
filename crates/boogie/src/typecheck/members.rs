//! Members of datatypes: `x->f`, `x->(f := e)`, `x is C`, and assignments to fields.
//!
//! Which constructors have a field depends on the type of the value, so these are calls of made-up names (see [`Member`]) until
//! here, where they become selectors, testers and constructors. A field of several constructors is chosen by testers.

use super::Checker;
use crate::ast::*;
use crate::infer::{Form, Ty};
use crate::program::{DatatypeRole, VarKind, Variable};
use stet_base::{FastMap, Span, Symbol};

/// How members are spelt as names of calls; none is a name that can be written.
pub(crate) enum Member<'a> {
    /// `->f`; `->#1 C` is the second field of `C`.
    Field(&'a str),
    /// `->(f`.
    Update(&'a str),
    /// `is C`.
    Test(&'a str),
    /// `:= C`: the test that an unpacking needs.
    Unpacked(&'a str),
}

impl<'a> Member<'a> {
    /// The member behind the name of a call.
    pub(crate) fn of(name: &'a str) -> Option<Self> {
        let after = |prefix| name.strip_prefix(prefix);
        if let Some(field) = after("->(") {
            return Some(Member::Update(field));
        }
        let field = after("->").map(Member::Field);
        let test = || after("is ").map(Member::Test);
        let unpacked = || after(":= ").map(Member::Unpacked);
        field.or_else(test).or_else(unpacked)
    }

    /// What messages call its use.
    fn what(&self) -> &'static str {
        match self {
            Member::Field(_) => "field-access",
            Member::Update(_) => "field-update",
            Member::Test(_) | Member::Unpacked(_) => "is-constructor",
        }
    }
}

/// The position and constructor of `#1 C`.
fn positional(field: &str) -> Option<(usize, &str)> {
    let (position, constructor) = field.strip_prefix('#')?.split_once(' ')?;
    Some((position.parse().ok()?, constructor))
}

/// A constructor that has the field, with the function that selects it.
struct Holder {
    constructor: FuncId,
    selector: FuncId,
    field: usize,
}

impl Checker<'_> {
    /// The type of a use of a member, whose expression becomes one without members.
    pub(super) fn member(
        &mut self,
        id: ExprId,
        span: Span,
        name: Symbol,
        args: &[ExprId],
    ) -> Option<Ty> {
        let name = self.program.name(name).to_owned();
        let (member, &record) = (Member::of(&name)?, args.first()?);
        let errors = self.errors;
        let ty = self.expr(record);
        if self.errors > errors {
            return None;
        }
        let constructors = self.constructors_of(span, &member, ty)?;
        let kind = match member {
            Member::Test(wanted) | Member::Unpacked(wanted) => {
                let constructor = self.wanted_constructor(span, ty, &constructors, wanted)?;
                self.call_of(self.tester(constructor)?, &[record])
            }
            Member::Field(field) => {
                let holders = self.holders(span, ty, &constructors, field)?;
                self.access(span, record, &holders)?
            }
            Member::Update(field) => {
                let holders = self.holders(span, ty, &constructors, field)?;
                let value = *args.get(1)?;
                self.check_updated(span, record, &holders, value)?;
                self.update(span, record, &holders, value)?
            }
        };
        self.program.exprs[id].kind = kind;
        Some(self.expr(id))
    }

    /// Fields of one name have one type in all constructors of a datatype; not in those of older programs, whose selectors are
    /// functions with different names.
    pub(super) fn equal_fields(&mut self, datatype: TypeCtorId) {
        if !self.program.datatypes.contains(&datatype) {
            return;
        }
        let constructors = self.program.type_ctors[datatype].constructors.clone();
        let mut first: FastMap<Symbol, (FuncId, VarId)> = FastMap::default();
        for constructor in constructors {
            for field in self.program.funcs[constructor].ins.clone() {
                let name = self.program.vars[field].name;
                match first.get(&name) {
                    Some(&earlier) => self.equal_field(earlier, constructor, field),
                    None => {
                        first.insert(name, (constructor, field));
                    }
                }
            }
        }
    }

    fn equal_field(&mut self, earlier: (FuncId, VarId), constructor: FuncId, field: VarId) {
        let (earlier, expected) = earlier;
        let (own, others) = (
            &self.program.funcs[constructor],
            &self.program.funcs[earlier],
        );
        // By name: the parameters of each are in the order of their occurrence.
        let name = |param: &TypeVarId| self.program.type_vars[*param].name;
        let pairs: Vec<_> = own
            .type_params
            .iter()
            .filter_map(|&param| {
                let mut others = others.type_params.iter().copied();
                Some((param, others.find(|other| name(other) == name(&param))?))
            })
            .collect();
        let mut renaming = FastMap::default();
        for (own, other) in pairs {
            renaming.insert(own, self.infer.intern(Form::Var(other)));
        }
        let (expected, actual) = (self.var_type(expected), self.var_type(field));
        let actual = self.infer.substitute(actual, &renaming);
        if self.infer.unify(expected, actual) {
            return;
        }
        let Variable { name, span, .. } = self.program.vars[field];
        let text = format!(
            "type mismatch between field {} and identically-named field in constructor {}",
            self.program.name(name),
            self.program.name(self.program.funcs[earlier].name)
        );
        self.error(span, text);
    }

    /// The constructors of the datatype of a value.
    fn constructors_of(&mut self, span: Span, member: &Member, ty: Ty) -> Option<Vec<FuncId>> {
        if let Form::Ctor(ctor, _) = self.infer.form(ty) {
            let constructors = &self.program.type_ctors[*ctor].constructors;
            if !constructors.is_empty() {
                return Some(constructors.clone());
            }
        }
        if matches!(member, Member::Field(field) if positional(field).is_some()) {
            // the test of the same unpacking has been reported
            return None;
        }
        let shown = self.show(ty);
        let text = match member {
            Member::Unpacked(wanted) => {
                let datatype = self.datatype_of(wanted)?;
                format!(
                    "mismatched types in assignment command (cannot assign {shown} to {datatype})"
                )
            }
            _ => {
                let what = member.what();
                format!("{what} must be applied to a datatype, {shown} is not a datatype")
            }
        };
        self.error(span, text);
        None
    }

    /// The name of the datatype that a constructor makes.
    fn datatype_of(&self, constructor: &str) -> Option<String> {
        let mut ctors = self.program.type_ctors.iter();
        let named = |f: &FuncId| self.program.name(self.program.funcs[*f].name) == constructor;
        let (_, datatype) = ctors.find(|(_, t)| t.constructors.iter().any(named))?;
        Some(self.program.name(datatype.name).to_owned())
    }

    fn wanted_constructor(
        &mut self,
        span: Span,
        ty: Ty,
        constructors: &[FuncId],
        wanted: &str,
    ) -> Option<FuncId> {
        let named = |f: &&FuncId| self.program.name(self.program.funcs[**f].name) == wanted;
        let found = constructors.iter().find(named).copied();
        if found.is_none() {
            let datatype = self.datatype_name(ty);
            let text =
                format!("datatype {datatype} does not have a constructor with name {wanted}");
            self.error(span, text);
        }
        found
    }

    fn datatype_name(&self, ty: Ty) -> String {
        match self.infer.form(ty) {
            Form::Ctor(ctor, _) => {
                let name = self.program.type_ctors[*ctor].name;
                self.program.name(name).to_owned()
            }
            _ => self.show(ty),
        }
    }

    /// The constructors that have a field, of which there is at least one.
    fn holders(
        &mut self,
        span: Span,
        ty: Ty,
        constructors: &[FuncId],
        field: &str,
    ) -> Option<Vec<Holder>> {
        if let Some((position, wanted)) = positional(field) {
            return self.positional_holder(span, ty, constructors, position, wanted);
        }
        let mut holders = Vec::new();
        for &constructor in constructors {
            let ins = &self.program.funcs[constructor].ins;
            let is_field = |v: &VarId| self.program.name(self.program.vars[*v].name) == field;
            if let Some(position) = ins.iter().position(is_field)
                && let Some(selector) = self.selector(constructor, position)
            {
                holders.push(Holder {
                    constructor,
                    selector,
                    field: position,
                });
            }
        }
        if holders.is_empty() {
            let datatype = self.datatype_name(ty);
            let text = format!("datatype {datatype} does not have a field with name {field}");
            self.error(span, text);
            return None;
        }
        Some(holders)
    }

    /// The constructor that is unpacked, with the selector of one of its fields.
    fn positional_holder(
        &mut self,
        span: Span,
        ty: Ty,
        constructors: &[FuncId],
        position: usize,
        wanted: &str,
    ) -> Option<Vec<Holder>> {
        let constructor = self.wanted_constructor(span, ty, constructors, wanted)?;
        let Some(selector) = self.selector(constructor, position) else {
            let count = self.program.funcs[constructor].ins.len();
            let text = format!("constructor {wanted} has {count} fields");
            self.error(span, text);
            return None;
        };
        Some(vec![Holder {
            constructor,
            selector,
            field: position,
        }])
    }

    fn selector(&self, constructor: FuncId, position: usize) -> Option<FuncId> {
        let role = DatatypeRole::Selector {
            constructor,
            field: position as u32,
        };
        self.with_role(role)
    }

    fn tester(&self, constructor: FuncId) -> Option<FuncId> {
        self.with_role(DatatypeRole::Tester { constructor })
    }

    fn with_role(&self, role: DatatypeRole) -> Option<FuncId> {
        let mut funcs = self.program.funcs.iter();
        funcs.find(|(_, f)| f.datatype == role).map(|(id, _)| id)
    }

    fn call_of(&self, func: FuncId, args: &[ExprId]) -> ExprKind {
        ExprKind::Call {
            name: self.program.funcs[func].name,
            func: Some(func),
            args: args.into(),
        }
    }

    fn new_expr(&mut self, span: Span, kind: ExprKind) -> ExprId {
        let ty = None;
        self.program.exprs.push(Expr { kind, span, ty })
    }

    /// The field of `record`, by the constructor it was made with.
    fn access(&mut self, span: Span, record: ExprId, holders: &[Holder]) -> Option<ExprKind> {
        self.by_constructor(span, record, holders, 1, |this, record, holder| {
            Some(this.call_of(holder.selector, &[record]))
        })
    }

    /// `record` with another value of the field.
    fn update(
        &mut self,
        span: Span,
        record: ExprId,
        holders: &[Holder],
        value: ExprId,
    ) -> Option<ExprKind> {
        let uses = self.other_fields(holders);
        self.by_constructor(span, record, holders, uses, |this, record, holder| {
            let count = this.program.funcs[holder.constructor].ins.len();
            let mut args = Vec::with_capacity(count);
            for position in 0..count {
                if position == holder.field {
                    args.push(value);
                    continue;
                }
                let selector = this.selector(holder.constructor, position)?;
                let kind = this.call_of(selector, &[record]);
                args.push(this.new_expr(span, kind));
            }
            Some(this.call_of(holder.constructor, &args))
        })
    }

    /// `if record is A then … else if record is B then … else …`, one case for each constructor that has the field; a case
    /// mentions the record up to `uses` times.
    fn by_constructor(
        &mut self,
        span: Span,
        record: ExprId,
        holders: &[Holder],
        uses: usize,
        case: impl Fn(&mut Self, ExprId, &Holder) -> Option<ExprKind>,
    ) -> Option<ExprKind> {
        let (last, others) = holders.split_last()?;
        let is_small = matches!(self.program.exprs[record].kind, ExprKind::Ident { .. });
        let is_repeated = uses + others.len() > 1;
        let bound = (!is_small && is_repeated).then(|| self.bind(span, record));
        let record = bound.as_ref().map_or(record, |(_, ident)| *ident);
        let mut kind = case(self, record, last)?;
        for holder in others.iter().rev() {
            let otherwise = self.new_expr(span, kind);
            let test = self.call_of(self.tester(holder.constructor)?, &[record]);
            let test = self.new_expr(span, test);
            let then = case(self, record, holder)?;
            let then = self.new_expr(span, then);
            kind = ExprKind::Ite(test, then, otherwise);
        }
        let Some((bound, _)) = bound else {
            return Some(kind);
        };
        let body = self.new_expr(span, kind);
        Some(ExprKind::Let(Box::new(LetExpr { body, ..bound })))
    }

    /// How many fields an update takes from the record, at most.
    fn other_fields(&self, holders: &[Holder]) -> usize {
        let others = |h: &Holder| {
            self.program.funcs[h.constructor]
                .ins
                .len()
                .saturating_sub(1)
        };
        holders.iter().map(others).max().unwrap_or(0)
    }

    /// A variable for a value that would otherwise be written several times.
    fn bind(&mut self, span: Span, value: ExprId) -> (LetExpr, ExprId) {
        let name = self.program.names.intern("record#");
        let var = self.program.vars.push(Variable {
            name,
            span,
            kind: VarKind::Bound,
            type_expr: None,
            ty: None,
            where_clause: None,
            attrs: Attributes::default(),
        });
        while self.var_types.len() < self.program.vars.len() {
            self.var_types.push(None);
        }
        let var_expr = ExprKind::Ident {
            name,
            var: Some(var),
        };
        let ident = self.new_expr(span, var_expr);
        let bound = LetExpr {
            vars: vec![var],
            values: vec![value],
            attrs: Attributes::default(),
            body: value,
        };
        (bound, ident)
    }

    /// That the new value of a field has the field's type.
    fn check_updated(
        &mut self,
        span: Span,
        record: ExprId,
        holders: &[Holder],
        value: ExprId,
    ) -> Option<()> {
        let errors = self.errors;
        let holder = holders.first()?;
        let kind = self.call_of(holder.selector, &[record]);
        let field = self.new_expr(span, kind);
        let expected = self.expr(field);
        let actual = self.expr(value);
        if self.errors > errors {
            return None;
        }
        if self.infer.unify(expected, actual) {
            return Some(());
        }
        let text = format!(
            "right-hand side in field update with wrong type: {} (expected: {})",
            self.show(actual),
            self.show(expected)
        );
        self.error(span, text);
        None
    }

    /// Assignments to fields become assignments of updated values: `x->f[i] := e` is `x := x->(f := x->f[i := e])`.
    pub(super) fn without_paths(&mut self, lhss: &mut [AssignLhs], rhss: &mut [ExprId]) -> bool {
        let mut is_changed = false;
        for (lhs, rhs) in lhss.iter_mut().zip(rhss.iter_mut()) {
            let path = std::mem::take(&mut lhs.path);
            if !path.is_empty() {
                *rhs = self.updated(lhs.target, &path, *rhs);
                is_changed = true;
            }
        }
        is_changed
    }

    /// `target` with `value` at the end of a path.
    fn updated(&mut self, target: ExprId, path: &[Step], value: ExprId) -> ExprId {
        let mut values = vec![target];
        for step in path {
            let last = values[values.len() - 1];
            let (span, kind) = match step {
                Step::Field { name, span } => (*span, self.member_call("->", *name, &[last])),
                Step::Index { span, indices } => {
                    let (map, indices) = (last, indices.clone());
                    (*span, ExprKind::Select { map, indices })
                }
            };
            values.push(self.new_expr(span, kind));
        }
        let mut result = value;
        for (step, &before) in path.iter().zip(&values).rev() {
            let (span, kind) = match step {
                Step::Field { name, span } => {
                    (*span, self.member_call("->(", *name, &[before, result]))
                }
                Step::Index { span, indices } => {
                    let kind = ExprKind::Store {
                        map: before,
                        indices: indices.clone(),
                        value: result,
                    };
                    (*span, kind)
                }
            };
            result = self.new_expr(span, kind);
        }
        result
    }

    fn member_call(&mut self, prefix: &str, name: Symbol, args: &[ExprId]) -> ExprKind {
        let text = format!("{prefix}{}", self.program.name(name));
        ExprKind::Call {
            name: self.program.names.intern(&text),
            func: None,
            args: args.into(),
        }
    }
}

//! Expressions to text.
//!
//! [`Smt::expr`] writes an expression in the sort of its type; [`Smt::universal`] writes it as a `T@U`, without
//! a round trip where the term is one already (the result of a polymorphic function, a map element).

use super::{Feature, Native, Smt, literal};
use std::fmt::Write;
use stet_boogie::ast::{BinaryOp, ExprId, ExprKind, FuncId, UnaryOp, VarId};
use stet_boogie::{DatatypeRole, Program, Type, TypeId, VarKind};

/// Whether the parts of a formula are assumed or to be proved as the formula is (up to negation).
fn keeps_position(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Binary(op, ..) => matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Imp),
        ExprKind::Unary(UnaryOp::Not, _)
        | ExprKind::Binder(_)
        | ExprKind::Let(_)
        | ExprKind::Old(_)
        | ExprKind::Ascribe(..) => true,
        _ => false,
    }
}

impl Smt {
    /// Writes an expression in the sort of its type.
    pub(super) fn expr(&mut self, program: &Program, id: ExprId, out: &mut String) {
        let node = &program.exprs[id];
        let position = self.assumed;
        self.assumed = position.filter(|_| keeps_position(&node.kind));
        match &node.kind {
            ExprKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            ExprKind::Int(value) => literal::integer(value, out),
            ExprKind::Real(value) => literal::decimal(value, out),
            ExprKind::Bv { value, width } => literal::bit_vector(value, *width, out),
            ExprKind::Float(value) => literal::float(value, out),
            ExprKind::Rounding(mode) => out.push_str(literal::rounding(*mode)),
            ExprKind::Str(text) if text.contains('"') => {
                self.refuse("a text with a quotation mark in it", out);
            }
            ExprKind::Str(text) => {
                let _ = write!(out, "\"{text}\"");
            }
            ExprKind::Ident { var, .. } => self.ident(program, id, *var, out),
            ExprKind::Old(inner) => {
                let before = std::mem::replace(&mut self.in_old, true);
                self.expr(program, *inner, out);
                self.in_old = before;
            }
            ExprKind::Unary(op, arg) => self.unary(program, *op, *arg, out),
            ExprKind::Binary(op, a, b) => self.binary(program, *op, *a, *b, out),
            ExprKind::Ite(c, a, b) => self.apply(program, "ite", &[*c, *a, *b], out),
            ExprKind::ToInt(arg) => self.truncated(program, *arg, out),
            ExprKind::ToReal(arg) => self.widened(program, *arg, out),
            ExprKind::Extract { arg, end, start } => {
                let _ = write!(out, "((_ extract {} {start}) ", end.saturating_sub(1));
                self.expr(program, *arg, out);
                out.push(')');
            }
            ExprKind::Concat(a, b) => self.apply(program, "concat", &[*a, *b], out),
            ExprKind::Ascribe(inner, _) => self.expr(program, *inner, out),
            ExprKind::Call { .. } | ExprKind::Select { .. } => self.result(program, id, out),
            ExprKind::Store { .. } => self.store(program, id, out),
            ExprKind::Binder(binder) => self.binder(program, binder, out),
            ExprKind::Let(binding) => self.let_expr(program, binding, out),
            ExprKind::Code(_) => self.refuse("code expressions in this position", out),
        }
        self.assumed = position;
    }

    /// Writes an expression as a `T@U`.
    pub(super) fn universal(&mut self, program: &Program, id: ExprId, out: &mut String) {
        let ty = program.type_of(id);
        let Some(native) = self.native(program, ty) else {
            return self.expr(program, id, out);
        };
        match &program.exprs[id].kind {
            ExprKind::Ident { var: Some(var), .. } => {
                if let Some(bound) = self.bound.get(var)
                    && bound.as_universal
                {
                    return out.push_str(&bound.text);
                }
            }
            ExprKind::Ascribe(inner, _) => return self.universal(program, *inner, out),
            ExprKind::Call { .. } | ExprKind::Select { .. }
                if self.raw_is_universal(program, id) =>
            {
                return self.raw(program, id, out);
            }
            _ => {}
        }
        self.need(Feature::Native(native));
        let _ = write!(out, "({}_2_U ", self.native_tag(program, native));
        self.expr(program, id, out);
        out.push(')');
    }

    /// Writes what takes a `T@U` back to a native type, and closes it after `inside`.
    fn unboxed(
        &mut self,
        program: &Program,
        native: Native,
        out: &mut String,
        inside: impl FnOnce(&mut Self, &mut String),
    ) {
        self.need(Feature::Native(native));
        let _ = write!(out, "(U_2_{} ", self.native_tag(program, native));
        inside(self, out);
        out.push(')');
    }

    fn ident(&mut self, program: &Program, id: ExprId, var: Option<VarId>, out: &mut String) {
        let Some(var) = var else {
            return self.refuse("an unresolved name", out);
        };
        if let Some(bound) = self.bound.get(&var).cloned() {
            match self.native(program, program.type_of(id)) {
                Some(native) if bound.as_universal => {
                    self.unboxed(program, native, out, |_, out| out.push_str(&bound.text));
                }
                _ => out.push_str(&bound.text),
            }
            return;
        }
        if self.in_old && program.vars[var].kind == VarKind::Global {
            return match self.entry.get(&var) {
                Some(text) => out.push_str(text),
                None => self.refuse("`old` of a global in this position", out),
            };
        }
        if let Some(text) = self.current.get(&var) {
            return out.push_str(text);
        }
        if program.vars[var].kind == VarKind::Constant
            && let Some(name) = self.names.constant(var)
        {
            self.need(Feature::Const(var));
            return out.push_str(&name);
        }
        let name = program.name(program.vars[var].name).to_owned();
        self.refuse(&format!("variable `{name}` in this position"), out);
    }

    /// Notes that something cannot be translated: nothing is said on the strength of this text.
    pub(super) fn refuse(&mut self, what: &str, out: &mut String) {
        self.unsupported.get_or_insert_with(|| what.to_owned());
        out.push_str("false");
    }

    fn apply(&mut self, program: &Program, op: &str, args: &[ExprId], out: &mut String) {
        let _ = write!(out, "({op}");
        for &arg in args {
            out.push(' ');
            self.expr(program, arg, out);
        }
        out.push(')');
    }

    fn unary(&mut self, program: &Program, op: UnaryOp, arg: ExprId, out: &mut String) {
        let float = self.is_float(program, arg);
        let name = match op {
            UnaryOp::Not => {
                let flipped = self.assumed.map(|assumed| !assumed);
                return self.in_position(flipped, |smt| smt.apply(program, "not", &[arg], out));
            }
            UnaryOp::Neg if float => "fp.neg",
            UnaryOp::Neg => "-",
        };
        self.apply(program, name, &[arg], out);
    }

    fn is_float(&self, program: &Program, expr: ExprId) -> bool {
        matches!(program.types.get(program.type_of(expr)), Type::Float(..))
    }

    fn sorts_differ(&mut self, program: &Program, a: ExprId, b: ExprId) -> bool {
        let (a, b) = (program.type_of(a), program.type_of(b));
        a != b && self.sort(program, a) != self.sort(program, b)
    }

    fn binary(&mut self, program: &Program, op: BinaryOp, a: ExprId, b: ExprId, out: &mut String) {
        if self.is_float(program, a) {
            return self.float_binary(program, op, a, b, out);
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::Neq) && self.sorts_differ(program, a, b) {
            // Type parameters are involved: compare as values of any type.
            let (open, close) = match op {
                BinaryOp::Neq => ("(not (= ", "))"),
                _ => ("(= ", ")"),
            };
            out.push_str(open);
            self.universal(program, a, out);
            out.push(' ');
            self.universal(program, b, out);
            return out.push_str(close);
        }
        let name = match op {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "div",
            BinaryOp::Mod => "mod",
            BinaryOp::RealDiv => return self.real_division(program, a, b, out),
            BinaryOp::Pow => {
                self.need(Feature::Power);
                "real_pow"
            }
            BinaryOp::Eq | BinaryOp::Iff => "=",
            BinaryOp::Neq => {
                out.push_str("(not ");
                self.apply(program, "=", &[a, b], out);
                return out.push(')');
            }
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Imp => {
                out.push_str("(=> ");
                let flipped = self.assumed.map(|assumed| !assumed);
                self.in_position(flipped, |smt| smt.expr(program, a, out));
                out.push(' ');
                self.expr(program, b, out);
                return out.push(')');
            }
            BinaryOp::Subtype => return self.subtype(program, a, b, out),
        };
        self.apply(program, name, &[a, b], out);
    }

    fn float_binary(
        &mut self,
        program: &Program,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        out: &mut String,
    ) {
        let name = match op {
            BinaryOp::Add => "fp.add RNE",
            BinaryOp::Sub => "fp.sub RNE",
            BinaryOp::Mul => "fp.mul RNE",
            BinaryOp::Div | BinaryOp::RealDiv => "fp.div RNE",
            // Equality is identity in Boogie, on floating-point numbers too.
            BinaryOp::Eq => "=",
            BinaryOp::Neq => "distinct",
            BinaryOp::Lt => "fp.lt",
            BinaryOp::Le => "fp.leq",
            BinaryOp::Gt => "fp.gt",
            BinaryOp::Ge => "fp.geq",
            _ => return self.refuse("this operation on floating-point numbers", out),
        };
        self.apply(program, name, &[a, b], out);
    }

    fn real_division(&mut self, program: &Program, a: ExprId, b: ExprId, out: &mut String) {
        out.push_str("(/ ");
        self.real_operand(program, a, out);
        out.push(' ');
        self.real_operand(program, b, out);
        out.push(')');
    }

    fn real_operand(&mut self, program: &Program, expr: ExprId, out: &mut String) {
        match program.types.get(program.type_of(expr)) {
            Type::Int => self.apply(program, "to_real", &[expr], out),
            _ => self.expr(program, expr, out),
        }
    }

    fn truncated(&mut self, program: &Program, arg: ExprId, out: &mut String) {
        match program.types.get(program.type_of(arg)) {
            Type::Float(..) => self.refuse("conversion of a floating-point number to int", out),
            _ => self.apply(program, "to_int", &[arg], out),
        }
    }

    fn widened(&mut self, program: &Program, arg: ExprId, out: &mut String) {
        match program.types.get(program.type_of(arg)) {
            Type::Float(..) => self.apply(program, "fp.to_real", &[arg], out),
            _ => self.apply(program, "to_real", &[arg], out),
        }
    }

    fn subtype(&mut self, program: &Program, a: ExprId, b: ExprId, out: &mut String) {
        let ty = program.type_of(a);
        match self.native(program, ty) {
            Some(native) => {
                self.need(Feature::NativeOrder(native));
                let tag = self.native_tag(program, native);
                self.apply(program, &format!("UOrdering_{tag}"), &[a, b], out);
            }
            None => {
                self.need(Feature::Order);
                self.apply(program, "UOrdering2", &[a, b], out);
            }
        }
    }

    /// Writes a call or selection in the sort of its type, casting the raw result where they differ.
    fn result(&mut self, program: &Program, id: ExprId, out: &mut String) {
        match self.native(program, program.type_of(id)) {
            Some(native) if self.raw_is_universal(program, id) => {
                self.unboxed(program, native, out, |this, out| this.raw(program, id, out));
            }
            _ => self.raw(program, id, out),
        }
    }

    /// Writes a term of a trigger: without the cast around it, as what is cast is there wherever the cast is. The prover
    /// finds the terms it may be through the arguments they share with it, which the cast would hide: a trigger of three
    /// selections from one map would be tried with all triples of selections from any map.
    pub(super) fn pattern(&mut self, program: &Program, id: ExprId, out: &mut String) {
        match &program.exprs[id].kind {
            ExprKind::Call { .. } | ExprKind::Select { .. } => self.raw(program, id, out),
            _ => self.expr(program, id, out),
        }
    }

    /// Whether the raw result of a call or selection is a `T@U`.
    fn raw_is_universal(&self, program: &Program, id: ExprId) -> bool {
        match &program.exprs[id].kind {
            ExprKind::Call {
                func: Some(func), ..
            } => {
                let out = program.funcs[*func].out;
                let ty = program.vars[out].ty;
                super::builtin(program, *func).is_none()
                    && ty.is_some_and(|ty| self.is_universal(program, ty))
            }
            ExprKind::Select { map, .. } => self.is_universal(program, program.type_of(*map)),
            _ => false,
        }
    }

    fn raw(&mut self, program: &Program, id: ExprId, out: &mut String) {
        match &program.exprs[id].kind {
            ExprKind::Call {
                func: Some(func),
                args,
                ..
            } => self.call(program, id, *func, args, out),
            ExprKind::Select { map, indices } => self.select(program, id, *map, indices, out),
            _ => self.refuse("an unresolved function", out),
        }
    }

    /// A constant of the prover; one of a sort with arguments is written with its sort: `(as seq.empty (Seq Int))`.
    fn builtin_constant(&mut self, program: &Program, func: FuncId, op: &str, out: &mut String) {
        let ty = program.vars[program.funcs[func].out].ty;
        let sort = ty.and_then(|ty| match program.types.get(ty) {
            Type::Ctor(ctor, args)
                if !args.is_empty() && super::is_builtin_type(program, *ctor) =>
            {
                Some(self.sort(program, ty))
            }
            _ => None,
        });
        match sort {
            Some(sort) => {
                let _ = write!(out, "(as {op} {sort})");
            }
            None => out.push_str(op),
        }
    }

    fn call(
        &mut self,
        program: &Program,
        id: ExprId,
        func: FuncId,
        args: &[ExprId],
        out: &mut String,
    ) {
        if let Some(op) = super::builtin(program, func) {
            if self.map_builtin(program, func, op, args, out) {
                return;
            }
            if !super::is_closed(op) || args.is_empty() && !super::is_one_term(op) {
                return self.refuse(&format!("`{op}` as a function of the prover"), out);
            }
            return if args.is_empty() {
                self.builtin_constant(program, func, op, out);
            } else {
                self.apply(program, op, args, out);
            };
        }
        let role = program.funcs[func].datatype;
        if has_type_arguments(program, func) {
            return self.refuse(
                "a datatype with a constructor for some type arguments only",
                out,
            );
        }
        let name = match role {
            DatatypeRole::Tester { constructor } => {
                self.need_datatype_of(program, constructor);
                format!("(_ is {})", self.names.func(constructor))
            }
            DatatypeRole::Selector { constructor, .. } => {
                self.need_datatype_of(program, constructor);
                self.names.func(func).to_string()
            }
            DatatypeRole::Constructor => {
                self.need_datatype_of(program, func);
                self.names.func(func).to_string()
            }
            DatatypeRole::None => {
                self.need(Feature::Func(func));
                self.names.func(func).to_string()
            }
        };
        let explicit = Self::explicit_type_params(program, func);
        if args.is_empty() && explicit.is_empty() {
            return out.push_str(&name);
        }
        let _ = write!(out, "({name}");
        let type_args = program.type_args.get(&id).cloned().unwrap_or_default();
        for i in explicit {
            out.push(' ');
            match type_args.get(i) {
                Some(&ty) => self.type_term(program, ty, &mut Vec::new(), out),
                None => self.refuse("a call without type arguments", out),
            }
        }
        let ins: Vec<TypeId> = program.funcs[func]
            .ins
            .iter()
            .filter_map(|&var| program.vars[var].ty)
            .collect();
        debug_assert_eq!(
            args.len(),
            ins.len(),
            "a call has an argument for every parameter"
        );
        for (&arg, &ty) in args.iter().zip(&ins) {
            out.push(' ');
            if self.is_universal(program, ty) {
                self.universal(program, arg, out);
            } else {
                self.expr(program, arg, out);
            }
        }
        out.push(')');
    }

    fn need_datatype_of(&mut self, program: &Program, constructor: FuncId) {
        let out = program.funcs[constructor].out;
        if let Some(ty) = program.vars[out].ty
            && let Type::Ctor(ctor, _) = program.types.get(ty)
        {
            self.need(Feature::Datatype(*ctor));
        }
    }

    fn select(
        &mut self,
        program: &Program,
        id: ExprId,
        map: ExprId,
        indices: &[ExprId],
        out: &mut String,
    ) {
        let ty = program.type_of(map);
        if let Some(Native::Map(_)) = self.native(program, ty) {
            let select = self.map_operation(program, "Select", ty);
            let all: Vec<ExprId> = std::iter::once(map)
                .chain(indices.iter().copied())
                .collect();
            return self.apply(program, &select, &all, out);
        }
        if !self.is_universal(program, ty) {
            // Arrays of arrays: one `select` per index.
            out.push_str(&"(select ".repeat(indices.len()));
            self.expr(program, map, out);
            for &index in indices {
                out.push(' ');
                self.expr(program, index, out);
                out.push(')');
            }
            return;
        }
        let (class, _) = self.class(program, ty);
        let _ = write!(out, "({}Select", class.name);
        self.map_type_args(program, id, &class.explicit(), out);
        out.push(' ');
        self.expr(program, map, out);
        for &index in indices {
            out.push(' ');
            self.universal(program, index, out);
        }
        out.push(')');
    }

    fn map_type_args(&mut self, program: &Program, id: ExprId, explicit: &[u32], out: &mut String) {
        let type_args = program.type_args.get(&id).cloned().unwrap_or_default();
        for &i in explicit {
            out.push(' ');
            match type_args.get(i as usize) {
                Some(&ty) => self.type_term(program, ty, &mut Vec::new(), out),
                None => self.refuse("a map access without type arguments", out),
            }
        }
    }

    fn store(&mut self, program: &Program, id: ExprId, out: &mut String) {
        let ExprKind::Store {
            map,
            indices,
            value,
        } = &program.exprs[id].kind
        else {
            return;
        };
        let ty = program.type_of(*map);
        if let Some(Native::Map(_)) = self.native(program, ty) {
            let store = self.map_operation(program, "Store", ty);
            let (map, value) = (std::iter::once(*map), std::iter::once(*value));
            let all: Vec<ExprId> = map.chain(indices.iter().copied()).chain(value).collect();
            return self.apply(program, &store, &all, out);
        }
        if !self.is_universal(program, ty) {
            return self.array_store(program, *map, indices, *value, out);
        }
        let (class, _) = self.class(program, ty);
        let _ = write!(out, "({}Store", class.name);
        self.map_type_args(program, id, &class.explicit(), out);
        out.push(' ');
        self.expr(program, *map, out);
        for &index in indices.iter().chain([value]) {
            out.push(' ');
            self.universal(program, index, out);
        }
        out.push(')');
    }

    /// `m[i, j := v]` on arrays of arrays is `store(m, i, store(select(m, i), j, v))`.
    fn array_store(
        &mut self,
        program: &Program,
        map: ExprId,
        indices: &[ExprId],
        value: ExprId,
        out: &mut String,
    ) {
        let map = self.text(program, map);
        let indices: Vec<String> = indices.iter().map(|&i| self.text(program, i)).collect();
        let value = self.text(program, value);
        if indices.is_empty() {
            // A map without indices has one element.
            return out.push_str(&value);
        }
        let mut inner = map;
        let mut closing = String::new();
        for (i, index) in indices.iter().enumerate() {
            if i + 1 < indices.len() {
                let _ = write!(out, "(store {inner} {index} ");
                closing.push(')');
                inner = format!("(select {inner} {index})");
            } else {
                let _ = write!(out, "(store {inner} {index} {value})");
            }
        }
        out.push_str(&closing);
    }
}

/// Whether a function belongs to a datatype with type parameters. (Most such datatypes are functions with axioms by
/// now, see `datatypes`.)
fn has_type_arguments(program: &Program, func: FuncId) -> bool {
    let function = &program.funcs[func];
    let var = match function.datatype {
        DatatypeRole::None => return false,
        DatatypeRole::Constructor => Some(function.out),
        DatatypeRole::Selector { .. } | DatatypeRole::Tester { .. } => {
            function.ins.first().copied()
        }
    };
    let ty = var.and_then(|var| program.vars[var].ty);
    matches!(ty.map(|ty| program.types.get(ty)), Some(Type::Ctor(_, args)) if !args.is_empty())
}

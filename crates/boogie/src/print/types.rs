//! Types, as written and as resolved.

use super::{Printer, quoted};
use crate::ast::*;
use crate::infer::basic_name;
use crate::types::{Type, TypeId};

impl Printer<'_> {
    /// `context`: 0 anywhere, 1 the last argument of a constructor, 2 another argument.
    pub(super) fn type_expr(&mut self, ty: TypeExprId, context: u8) {
        let program = self.program;
        let text = match &program.type_exprs[ty].kind {
            TypeExprKind::Int => "int".to_owned(),
            TypeExprKind::Real => "real".to_owned(),
            TypeExprKind::Bool => "bool".to_owned(),
            TypeExprKind::RMode => "rmode".to_owned(),
            TypeExprKind::Str => "string".to_owned(),
            TypeExprKind::RegEx => "regex".to_owned(),
            TypeExprKind::Bv(width) => format!("bv{width}"),
            TypeExprKind::Float(s, e) => format!("float{s}e{e}"),
            TypeExprKind::Named { name, args } => {
                let open = context > 0 && !args.is_empty();
                if open {
                    self.out.write("(");
                }
                self.name(*name);
                for (i, &arg) in args.iter().enumerate() {
                    self.out.write(" ");
                    self.type_expr(arg, if i + 1 == args.len() { 1 } else { 2 });
                }
                if open {
                    self.out.write(")");
                }
                return;
            }
            TypeExprKind::Map {
                params,
                args,
                result,
            } => {
                if context > 1 {
                    self.out.write("(");
                }
                self.type_params(params);
                self.out.write("[");
                for (i, &arg) in args.iter().enumerate() {
                    if i > 0 {
                        self.out.write(",");
                    }
                    self.type_expr(arg, 0);
                }
                self.out.write("]");
                self.type_expr(*result, 0);
                if context > 1 {
                    self.out.write(")");
                }
                return;
            }
        };
        self.out.write(&text);
    }

    /// `<a,b>`, nothing if there are none.
    pub(super) fn type_params(&mut self, params: &[TypeVarId]) {
        if params.is_empty() {
            return;
        }
        let names: Vec<String> = params
            .iter()
            .map(|&p| quoted(self.program.name(self.program.type_vars[p].name)))
            .collect();
        self.out.write(&format!("<{}>", names.join(",")));
    }

    /// A resolved type; map type parameters are named `T0`, `T1`, … by depth.
    pub(super) fn type_id(&mut self, ty: TypeId, context: u8, depth: u32) {
        let program = self.program;
        match program.types.get(ty) {
            Type::Var(var) => self.name(program.type_vars[*var].name),
            Type::Bound { depth: up, index } => {
                let level = depth.saturating_sub(*up + 1);
                self.out.write(&format!("T{level}_{index}"));
            }
            Type::Ctor(ctor, args) => {
                let open = context > 0 && !args.is_empty();
                if open {
                    self.out.write("(");
                }
                self.name(program.type_ctors[*ctor].name);
                for (i, &arg) in args.iter().enumerate() {
                    self.out.write(" ");
                    self.type_id(arg, if i + 1 == args.len() { 1 } else { 2 }, depth);
                }
                if open {
                    self.out.write(")");
                }
            }
            Type::Map {
                params,
                args,
                result,
            } => {
                if context > 1 {
                    self.out.write("(");
                }
                if *params > 0 {
                    let names: Vec<String> =
                        (0..*params).map(|i| format!("T{depth}_{i}")).collect();
                    self.out.write(&format!("<{}>", names.join(",")));
                }
                let inner = depth + u32::from(*params > 0);
                self.out.write("[");
                for (i, &arg) in args.iter().enumerate() {
                    if i > 0 {
                        self.out.write(",");
                    }
                    self.type_id(arg, 0, inner);
                }
                self.out.write("]");
                self.type_id(*result, 0, inner);
                if context > 1 {
                    self.out.write(")");
                }
            }
            basic => self.out.write(&basic_name(basic)),
        }
    }
}

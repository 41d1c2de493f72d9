//! Functions with `{:builtin "MapAdd"}` and its kin: operations on maps, index by index.
//!
//! As SMT arrays they are Z3's `map` and `const`; otherwise each becomes a function with the axiom that says what
//! its result holds at an index.

use super::names::quoted;
use super::{Feature, Native, Smt, Unit};
use std::fmt::Write;
use std::rc::Rc;
use stet_boogie::ast::{ExprId, FuncId};
use stet_boogie::{Program, Type, TypeId};

/// One such operation at the types of one function.
#[derive(Clone, Debug)]
pub(super) struct MapFunction {
    name: Rc<str>,
    op: &'static str,
    /// The types of its parameters and of its result.
    params: Vec<TypeId>,
    result: TypeId,
}

/// The operation on elements behind a name; `const` for `MapConst`.
fn element_operation(builtin: &str) -> Option<&'static str> {
    Some(match builtin {
        "MapConst" => "const",
        "MapAdd" => "+",
        "MapSub" => "-",
        "MapMul" => "*",
        "MapDiv" => "div",
        "MapMod" => "mod",
        "MapEq" | "MapIff" => "=",
        "MapGt" => ">",
        "MapGe" => ">=",
        "MapLt" => "<",
        "MapLe" => "<=",
        "MapAnd" => "and",
        "MapOr" => "or",
        "MapNot" => "not",
        "MapImp" => "=>",
        "MapIte" => "ite",
        _ => return None,
    })
}

impl Smt {
    /// Writes a call of such a function; false if it is none.
    pub(super) fn map_builtin(
        &mut self,
        program: &Program,
        func: FuncId,
        builtin: &str,
        args: &[ExprId],
        out: &mut String,
    ) -> bool {
        let Some(op) = element_operation(builtin) else {
            return false;
        };
        let types = |vars: &[_]| -> Vec<TypeId> {
            vars.iter()
                .filter_map(|&var: &stet_boogie::ast::VarId| program.vars[var].ty)
                .collect()
        };
        let params = types(&program.funcs[func].ins);
        let result = types(&[program.funcs[func].out]);
        let (Some(&result), true) = (result.first(), params.len() == args.len()) else {
            self.unsupported
                .get_or_insert_with(|| format!("`{builtin}` at these types"));
            out.push_str("false");
            return true;
        };
        match self.native(program, result) {
            Some(Native::Array(_)) => {
                let head = match op {
                    "const" => format!("(as const {})", self.sort(program, result)),
                    _ => format!("(_ map {})", self.array_operation(program, op, &params)),
                };
                let _ = write!(out, "({head}");
            }
            Some(Native::Map(_)) => {
                let name: Rc<str> = quoted(&format!(
                    "{builtin}@{}",
                    program.name(program.funcs[func].name)
                ))
                .into();
                let function = MapFunction {
                    name: name.clone(),
                    op,
                    params,
                    result,
                };
                self.map_functions.insert(name.clone(), function);
                self.need(Feature::MapFunction(name.clone()));
                let _ = write!(out, "({name}");
            }
            _ => {
                self.unsupported
                    .get_or_insert_with(|| format!("`{builtin}` on polymorphic maps"));
                out.push_str("false");
                return true;
            }
        }
        for &arg in args {
            out.push(' ');
            self.expr(program, arg, out);
        }
        out.push(')');
        true
    }

    /// An operation as Z3's `map` wants it: overloaded ones with their signatures.
    fn array_operation(&mut self, program: &Program, op: &str, params: &[TypeId]) -> String {
        let elements: Vec<TypeId> = params
            .iter()
            .filter_map(|&ty| match program.types.get(ty) {
                Type::Map { result, .. } => Some(*result),
                _ => None,
            })
            .collect();
        let sorts: Vec<String> = elements.iter().map(|&ty| self.sort(program, ty)).collect();
        let first = sorts.last().cloned().unwrap_or_default();
        match op {
            "+" | "-" | "*" | "div" | "mod" => format!("({op} ({first} {first}) {first})"),
            ">" | ">=" | "<" | "<=" | "=" => format!("({op} ({first} {first}) Bool)"),
            "ite" => format!("(ite (Bool {first} {first}) {first})"),
            _ => op.to_owned(),
        }
    }

    /// Declares an operation on maps that are not arrays, and says what it means.
    pub(super) fn map_function_unit(&mut self, program: &Program, name: &Rc<str>, unit: &mut Unit) {
        let Some(MapFunction {
            name,
            op,
            params,
            result,
        }) = self.map_functions.get(name).cloned()
        else {
            return;
        };
        let Type::Map { args, .. } = program.types.get(result).clone() else {
            return;
        };
        let sorts: Vec<String> = params.iter().map(|&ty| self.sort(program, ty)).collect();
        let result_sort = self.sort(program, result);
        let _ = writeln!(
            unit.declarations,
            "(declare-fun {name} ({}) {result_sort})",
            sorts.join(" ")
        );
        let mut head = String::new();
        for (i, sort) in sorts.iter().enumerate() {
            let _ = write!(head, "(m{i} {sort}) ");
        }
        let mut indices = String::new();
        for (i, &arg) in args.iter().enumerate() {
            let sort = self.sort(program, arg);
            let _ = write!(head, "(i{i} {sort}) ");
            let _ = write!(indices, " i{i}");
        }
        let mut call = format!("({name}");
        let mut elements = String::new();
        for (i, &ty) in params.iter().enumerate() {
            let _ = write!(call, " m{i}");
            if matches!(program.types.get(ty), Type::Map { .. }) {
                let select = self.map_operation(program, "Select", ty);
                let _ = write!(elements, " ({select} m{i}{indices})");
            } else {
                let _ = write!(elements, " m{i}");
            }
        }
        call.push(')');
        let select = self.map_operation(program, "Select", result);
        let value = match op {
            "const" => elements.trim_start().to_owned(),
            _ => format!("({op}{elements})"),
        };
        let _ = writeln!(
            unit.axioms,
            "(assert (forall ({head}) (! (= ({select} {call}{indices}) {value}) :pattern (({select} {call}{indices})))))"
        );
    }
}

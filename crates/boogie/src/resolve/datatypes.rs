//! Datatypes: for every `{:constructor}` function, its selectors `field#Cons` and its tester `is#Cons`.

use super::Resolver;
use crate::ast::*;
use crate::program::*;
use stet_base::FastSet;

impl Resolver<'_> {
    pub(super) fn add_datatype_functions(&mut self) {
        let constructors: Vec<FuncId> = self
            .program
            .funcs
            .iter()
            .filter(|(_, f)| f.datatype == DatatypeRole::None)
            .filter(|(_, f)| self.program.bool_attribute(&f.attrs, "constructor"))
            .map(|(id, _)| id)
            .collect();
        for constructor in constructors {
            self.constructor(constructor);
        }
    }

    fn constructor(&mut self, constructor: FuncId) {
        let function = self.program.funcs[constructor].clone();
        self.program.funcs[constructor].datatype = DatatypeRole::Constructor;
        let Some(result) = self.program.vars[function.out].type_expr else {
            return;
        };
        let datatype = match &self.program.type_exprs[result].kind {
            TypeExprKind::Named { name, .. } => {
                let mut ctors = self.program.type_ctors.iter();
                ctors.find(|(_, t)| t.name == *name).map(|(id, _)| id)
            }
            _ => None,
        };
        let is_datatype = datatype.is_some_and(|id| {
            let attrs = &self.program.type_ctors[id].attrs;
            self.program.bool_attribute(attrs, "datatype")
        });
        if !is_datatype {
            self.error(
                function.span,
                "The output type of a constructor must be a datatype".to_owned(),
            );
            return;
        }
        if let Some(id) = datatype {
            self.program.type_ctors[id].constructors.push(constructor);
        }
        let name = self.program.name(function.name).to_owned();
        let mut seen = FastSet::default();
        for (field, &param) in function.ins.iter().enumerate() {
            let Variable {
                name: field_name,
                type_expr,
                ..
            } = self.program.vars[param];
            let field_text = self.program.name(field_name);
            if field_text.is_empty() {
                let text = "The selector must be a non-empty string";
                self.error(function.span, text.to_owned());
                continue;
            }
            let selector = format!("{field_text}#{name}");
            if !seen.insert(field_name) {
                let text = "The selectors for a constructor must be distinct strings";
                self.error(function.span, text.to_owned());
                continue;
            }
            let role = DatatypeRole::Selector {
                constructor,
                field: field as u32,
            };
            self.datatype_function(&function, &selector, type_expr, role);
        }
        let bool_type = self.program.type_exprs.push(TypeExpr {
            span: function.span,
            kind: TypeExprKind::Bool,
        });
        let role = DatatypeRole::Tester { constructor };
        self.datatype_function(&function, &format!("is#{name}"), Some(bool_type), role);
    }

    /// A function from the datatype to `type_expr`.
    fn datatype_function(
        &mut self,
        constructor: &Function,
        name: &str,
        type_expr: Option<TypeExprId>,
        datatype: DatatypeRole,
    ) {
        let empty = self.program.names.intern("");
        let span = constructor.span;
        let datatype_type = self.program.vars[constructor.out].type_expr;
        let mut var = |kind, type_expr| {
            self.program.vars.push(Variable {
                name: empty,
                span,
                kind,
                type_expr,
                ty: None,
                where_clause: None,
                attrs: Attributes::default(),
            })
        };
        let param = var(VarKind::In, datatype_type);
        let out = var(VarKind::Out, type_expr);
        let name = self.program.names.intern(name);
        let function = self.program.funcs.push(Function {
            name,
            span,
            type_params: constructor.type_params.clone(),
            ins: vec![param],
            out,
            body: None,
            attrs: Attributes::default(),
            datatype,
        });
        self.program.decls.push(Decl::Function(function));
    }
}

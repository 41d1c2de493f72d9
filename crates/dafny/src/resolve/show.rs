//! Types and declarations as messages show them.

use super::Resolver;
use super::infer::VarClass;
use crate::tree::{ArrowKind, DeclId, Program, Ty, TyKind, TypeDeclKind};

impl Resolver<'_> {
    /// A type as Dafny prints it, solved variables replaced.
    pub(crate) fn show(&self, ty: Ty) -> String {
        let ty = self.infer.deep(&self.program, ty);
        let ty = self.with_defaults(ty, 0);
        self.program.show_type(self.without_null(ty, 0))
    }

    /// Inference forgets which reference types exclude null; the plain names read better.
    fn without_null(&self, ty: Ty, depth: u32) -> Ty {
        if depth > 50 {
            return ty;
        }
        let children = self.program.types.children(ty);
        let new: Vec<Ty> = children
            .iter()
            .map(|&c| self.without_null(c, depth + 1))
            .collect();
        let ty = if new == children {
            ty
        } else {
            self.program.types.with_children(ty, &new)
        };
        let mut kind = (*self.program.types.kind(ty)).clone();
        match &mut kind {
            TyKind::Named { nullable, .. }
            | TyKind::Array { nullable, .. }
            | TyKind::Object { nullable } => *nullable = false,
            TyKind::Arrow { kind, .. } => *kind = ArrowKind::Total,
            _ => return ty,
        }
        self.program.types.intern(kind)
    }

    /// Literals show the type they would get.
    fn with_defaults(&self, ty: Ty, depth: u32) -> Ty {
        match self.infer.class_of(&self.program, ty) {
            Some(VarClass::Int) => return self.program.types.int,
            Some(VarClass::Real) => return self.program.types.real,
            _ => {}
        }
        let children = self.program.types.children(ty);
        if children.is_empty() || depth > 50 {
            return ty;
        }
        let new: Vec<Ty> = children
            .iter()
            .map(|&c| self.with_defaults(c, depth + 1))
            .collect();
        self.program.types.with_children(ty, &new)
    }

    pub(crate) fn decl_kind_word(&self, decl: DeclId) -> &'static str {
        match &self.program.decls[decl].kind {
            TypeDeclKind::Class { .. } => "class",
            TypeDeclKind::Trait { .. } => "trait",
            TypeDeclKind::Datatype { co: false, .. } => "datatype",
            TypeDeclKind::Datatype { co: true, .. } => "codatatype",
            TypeDeclKind::Newtype(_) => "newtype",
            TypeDeclKind::Subset(_) => "subset type",
            TypeDeclKind::Synonym(_) => "type synonym",
            TypeDeclKind::Abstract(_) => "abstract type",
            TypeDeclKind::Iterator(_) => "iterator",
        }
    }
}

impl Program {
    /// A type as Dafny prints it.
    pub fn show_type(&self, ty: Ty) -> String {
        let mut out = String::new();
        self.write_type(&mut out, ty, 0);
        out
    }

    fn write_args(&self, out: &mut String, args: &[Ty], depth: u32) {
        if args.is_empty() {
            return;
        }
        out.push('<');
        self.write_list(out, args, depth);
        out.push('>');
    }

    fn write_list(&self, out: &mut String, args: &[Ty], depth: u32) {
        for (i, &arg) in args.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write_type(out, arg, depth + 1);
        }
    }

    fn write_type(&self, out: &mut String, ty: Ty, depth: u32) {
        if depth > 50 {
            out.push('…');
            return;
        }
        if ty == self.types.string {
            out.push_str("string");
            return;
        }
        match &*self.types.kind(ty) {
            TyKind::Bool => out.push_str("bool"),
            TyKind::Char => out.push_str("char"),
            TyKind::Int => out.push_str("int"),
            TyKind::Nat => out.push_str("nat"),
            TyKind::Real => out.push_str("real"),
            TyKind::Ordinal => out.push_str("ORDINAL"),
            TyKind::Bv(width) => out.push_str(&format!("bv{width}")),
            TyKind::Set { finite, elem } => {
                out.push_str(if *finite { "set" } else { "iset" });
                self.write_args(out, &[*elem], depth);
            }
            TyKind::Multiset(elem) => {
                out.push_str("multiset");
                self.write_args(out, &[*elem], depth);
            }
            TyKind::Seq(elem) => {
                out.push_str("seq");
                self.write_args(out, &[*elem], depth);
            }
            TyKind::Map { finite, key, value } => {
                out.push_str(if *finite { "map" } else { "imap" });
                self.write_args(out, &[*key, *value], depth);
            }
            TyKind::Tuple(items, ghost) => self.write_tuple(out, items, ghost, depth),
            TyKind::Array {
                dims,
                elem,
                nullable,
            } => {
                out.push_str("array");
                if *dims > 1 {
                    out.push_str(&dims.to_string());
                }
                if *nullable {
                    out.push('?');
                }
                self.write_args(out, &[*elem], depth);
            }
            TyKind::Arrow {
                kind,
                params,
                result,
            } => {
                self.write_arrow(out, *kind, params, *result, depth);
            }
            TyKind::Object { nullable } => {
                out.push_str(if *nullable { "object?" } else { "object" })
            }
            TyKind::Named {
                decl,
                args,
                nullable,
            } => {
                let d = &self.decls[*decl];
                out.push_str(self.text(d.name));
                if *nullable {
                    out.push('?');
                }
                self.write_args(out, args, depth);
            }
            TyKind::Param(param) => out.push_str(self.text(self.type_params[*param].name)),
            TyKind::Infer(_) | TyKind::Error => out.push('?'),
        }
    }

    fn write_tuple(&self, out: &mut String, items: &[Ty], ghost: &[bool], depth: u32) {
        out.push('(');
        for (i, &item) in items.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            if ghost.get(i) == Some(&true) {
                out.push_str("ghost ");
            }
            self.write_type(out, item, depth + 1);
        }
        out.push(')');
    }

    fn write_arrow(
        &self,
        out: &mut String,
        kind: ArrowKind,
        params: &[Ty],
        result: Ty,
        depth: u32,
    ) {
        let bare = match params {
            [only] => !matches!(
                &*self.types.kind(*only),
                TyKind::Tuple(..) | TyKind::Arrow { .. }
            ),
            _ => false,
        };
        if !bare {
            out.push('(');
        }
        self.write_list(out, params, depth);
        if !bare {
            out.push(')');
        }
        out.push_str(match kind {
            ArrowKind::Total => " -> ",
            ArrowKind::Partial => " --> ",
            ArrowKind::General => " ~> ",
        });
        self.write_type(out, result, depth + 1);
    }
}

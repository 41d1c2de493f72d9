//! Classes of map types and type terms.
//!
//! A map type is split into its *shape* and the closed types in it: `<a>[ref, Field a]a` is the shape
//! `<a>[#0, Field a]a` at `ref`; `[int]bool` is `[#0]#1` at `int, bool`. Map types of one shape form a class and
//! share a type function and a select and a store function.

use super::names::digits;
use super::{Feature, Smt, Types};
use std::fmt::Write;
use std::rc::Rc;
use stet_boogie::ast::{TypeCtorId, TypeVarId};
use stet_boogie::{Program, Type, TypeId};

/// A type in a shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ShapeTerm {
    /// An abstracted closed type.
    Param(usize),
    /// A type parameter of the map type itself.
    Own(u32),
    /// A declared type.
    Ctor(TypeCtorId, Vec<ShapeTerm>),
    /// A nested map type.
    Map(Rc<str>, Vec<ShapeTerm>),
}

/// A class of map types.
#[derive(Debug)]
pub(super) struct MapClass {
    pub(super) name: Rc<str>,
    /// The number of abstracted types.
    pub(super) params: usize,
    /// The number of type parameters of the map types themselves.
    pub(super) own: u32,
    pub(super) args: Vec<ShapeTerm>,
    pub(super) result: ShapeTerm,
}

impl MapClass {
    /// The own type parameters that neither the map nor the indices determine.
    pub(super) fn explicit(&self) -> Vec<u32> {
        let found = |own| {
            let target = ShapeTerm::Own(own);
            self.args.iter().any(|arg| contains(arg, &target))
        };
        (0..self.own).filter(|&own| !found(own)).collect()
    }
}

fn contains(term: &ShapeTerm, target: &ShapeTerm) -> bool {
    term == target
        || match term {
            ShapeTerm::Ctor(_, args) | ShapeTerm::Map(_, args) => {
                args.iter().any(|arg| contains(arg, target))
            }
            _ => false,
        }
}

impl Smt {
    /// The class of a map type and its closed types.
    pub(super) fn class(&mut self, program: &Program, ty: TypeId) -> (Rc<MapClass>, Rc<[TypeId]>) {
        if let Some((name, params)) = self.class_of.get(&ty) {
            let (name, params) = (name.clone(), params.clone());
            self.needs.insert(Feature::Map(name.clone()));
            return (self.classes[&name].clone(), params);
        }
        let Type::Map {
            params: own,
            args,
            result,
        } = program.types.get(ty).clone()
        else {
            stet_base::never!("class of a type that is no map type");
            return (
                Rc::new(MapClass {
                    name: "MapType".into(),
                    params: 0,
                    own: 0,
                    args: Vec::new(),
                    result: ShapeTerm::Own(0),
                }),
                Rc::new([]),
            );
        };
        let mut params = Vec::new();
        let level = (own > 0).then_some(0);
        let shape_args: Vec<ShapeTerm> = args
            .iter()
            .map(|&arg| self.shape(program, arg, level, &mut params))
            .collect();
        let shape_result = self.shape(program, result, level, &mut params);
        let name: Rc<str> = if own == 0 {
            format!("MapType{}", args.len()).into()
        } else {
            let mut text = format!("<{own}>");
            for arg in &shape_args {
                self.shape_text(arg, &mut text);
            }
            text.push(':');
            self.shape_text(&shape_result, &mut text);
            format!("MapType_{}", digits(&text)).into()
        };
        let shape = (shape_args.clone(), shape_result.clone());
        let class = self.classes.entry(name.clone()).or_insert_with(|| {
            Rc::new(MapClass {
                name: name.clone(),
                params: params.len(),
                own,
                args: shape_args,
                result: shape_result,
            })
        });
        let class = class.clone();
        // Names hold digests: two shapes must not share functions.
        if !stet_base::always!(
            class.args == shape.0 && class.result == shape.1 && class.params == params.len(),
            "a class of map types has one shape"
        ) {
            self.unsupported
                .get_or_insert_with(|| "two map types with one name".to_owned());
        }
        let params: Rc<[TypeId]> = params.into();
        self.class_of.insert(ty, (name.clone(), params.clone()));
        self.needs.insert(Feature::Map(name));
        (class, params)
    }

    fn shape(
        &mut self,
        program: &Program,
        ty: TypeId,
        level: Option<u32>,
        params: &mut Vec<TypeId>,
    ) -> ShapeTerm {
        if !level.is_some_and(|level| mentions(program, ty, level)) {
            params.push(ty);
            return ShapeTerm::Param(params.len() - 1);
        }
        match program.types.get(ty).clone() {
            Type::Bound { index, .. } => ShapeTerm::Own(index),
            Type::Ctor(ctor, args) => {
                let args = args
                    .iter()
                    .map(|&arg| self.shape(program, arg, level, params));
                ShapeTerm::Ctor(ctor, args.collect())
            }
            Type::Map { params: own, .. } => {
                let (class, inner) = self.class(program, ty);
                let level = level.map(|level| level + u32::from(own > 0));
                let args = inner
                    .iter()
                    .map(|&arg| self.shape(program, arg, level, params));
                ShapeTerm::Map(class.name.clone(), args.collect())
            }
            _ => {
                params.push(ty);
                ShapeTerm::Param(params.len() - 1)
            }
        }
    }

    /// Needs what the term of a type in a shape mentions.
    pub(super) fn need_shape(&mut self, term: &ShapeTerm) {
        let args = match term {
            ShapeTerm::Param(_) | ShapeTerm::Own(_) => return,
            ShapeTerm::Ctor(ctor, args) => {
                self.need(Feature::Ctor(*ctor));
                args
            }
            ShapeTerm::Map(class, args) => {
                self.need(Feature::Map(class.clone()));
                debug_assert!(
                    self.classes.contains_key(class),
                    "the class of a nested map type is made first"
                );
                args
            }
        };
        args.iter().for_each(|arg| self.need_shape(arg));
    }

    fn shape_text(&self, term: &ShapeTerm, out: &mut String) {
        match term {
            ShapeTerm::Param(_) => out.push('#'),
            ShapeTerm::Own(index) => {
                let _ = write!(out, "'{index}");
            }
            ShapeTerm::Ctor(ctor, args) => {
                let _ = write!(out, "({}", self.names.ctor(*ctor));
                args.iter().for_each(|arg| self.shape_text(arg, out));
                out.push(')');
            }
            ShapeTerm::Map(class, args) => {
                let _ = write!(out, "({class}");
                args.iter().for_each(|arg| self.shape_text(arg, out));
                out.push(')');
            }
        }
    }

    /// The term of sort `T@T` for a type. `scopes` names the type parameters of enclosing map types.
    pub(super) fn type_term(
        &mut self,
        program: &Program,
        ty: TypeId,
        scopes: &mut Vec<Vec<Rc<str>>>,
        out: &mut String,
    ) {
        if self.encoding.types == Types::Monomorphic {
            self.unsupported
                .get_or_insert_with(|| "polymorphism in this position".to_owned());
            return out.push_str("false");
        }
        if let Some(native) = self.native(program, ty) {
            self.need(Feature::Native(native));
            let _ = write!(out, "{}Type", self.native_tag(program, native));
            return;
        }
        match program.types.get(ty).clone() {
            Type::Var(var) => match self.type_vars.get(&var) {
                Some(text) => out.push_str(text),
                None => {
                    stet_base::never!("type parameter out of scope");
                    self.refuse("a type parameter out of scope", out);
                }
            },
            Type::Bound { depth, index } => {
                let scope = scopes.len().checked_sub(1 + depth as usize);
                let text = scope.and_then(|scope| scopes[scope].get(index as usize));
                match text {
                    Some(text) => out.push_str(text),
                    None => {
                        stet_base::never!("map type parameter out of scope");
                        self.refuse("a map type parameter out of scope", out);
                    }
                }
            }
            Type::Ctor(ctor, args) => {
                self.need(Feature::Ctor(ctor));
                let name = self.names.ctor(ctor);
                self.application(program, &name, &args, scopes, out);
            }
            Type::Map { params: own, .. } => {
                let (class, params) = self.class(program, ty);
                if own > 0 {
                    scopes.push(Vec::new());
                }
                let name = format!("{}Type", class.name);
                self.application(program, &name, &params, scopes, out);
                if own > 0 {
                    scopes.pop();
                }
            }
            _ => stet_base::never!("a native type without a native sort"),
        }
    }

    fn application(
        &mut self,
        program: &Program,
        name: &str,
        args: &[TypeId],
        scopes: &mut Vec<Vec<Rc<str>>>,
        out: &mut String,
    ) {
        if args.is_empty() {
            out.push_str(name);
            return;
        }
        let _ = write!(out, "({name}");
        for &arg in args {
            out.push(' ');
            self.type_term(program, arg, scopes, out);
        }
        out.push(')');
    }

    /// The term of a type in a shape, given terms for its abstracted and own parameters.
    pub(super) fn shape_term(
        &self,
        term: &ShapeTerm,
        params: &[String],
        own: &[String],
        out: &mut String,
    ) {
        debug_assert!(
            !matches!(term, ShapeTerm::Param(i) if *i >= params.len()),
            "a term for every abstracted type"
        );
        let mut apply = |name: &str, args: &[ShapeTerm]| {
            if args.is_empty() {
                out.push_str(name);
                return;
            }
            let _ = write!(out, "({name}");
            for arg in args {
                out.push(' ');
                self.shape_term(arg, params, own, out);
            }
            out.push(')');
        };
        match term {
            ShapeTerm::Param(i) => out.push_str(&params[*i]),
            ShapeTerm::Own(i) => out.push_str(&own[*i as usize]),
            ShapeTerm::Ctor(ctor, args) => apply(&self.names.ctor(*ctor), args),
            ShapeTerm::Map(class, args) => apply(&format!("{class}Type"), args),
        }
    }

    /// How to get a part of a type from the term of the whole, by inverse functions.
    pub(super) fn extract_shape(
        &self,
        target: &ShapeTerm,
        term: &ShapeTerm,
        text: &str,
    ) -> Option<String> {
        if term == target {
            return Some(text.to_owned());
        }
        let (name, args): (Rc<str>, &[ShapeTerm]) = match term {
            ShapeTerm::Ctor(ctor, args) => (self.names.ctor(*ctor), args),
            ShapeTerm::Map(class, args) => (format!("{class}Type").into(), args),
            _ => return None,
        };
        args.iter().enumerate().find_map(|(i, arg)| {
            let inverse = format!("({} {text})", inverse_name(&name, i));
            self.extract_shape(target, arg, &inverse)
        })
    }

    /// How to get a type parameter from the term of a type it occurs in.
    pub(super) fn extract_type_var(
        &mut self,
        program: &Program,
        var: TypeVarId,
        ty: TypeId,
        text: &str,
    ) -> Option<String> {
        let (name, args): (Rc<str>, Vec<TypeId>) = match program.types.get(ty).clone() {
            Type::Var(v) if v == var => return Some(text.to_owned()),
            Type::Ctor(ctor, args) => {
                self.need(Feature::Ctor(ctor));
                (self.names.ctor(ctor), args.to_vec())
            }
            Type::Map { .. } => {
                let (class, params) = self.class(program, ty);
                (format!("{}Type", class.name).into(), params.to_vec())
            }
            _ => return None,
        };
        args.iter().enumerate().find_map(|(i, &arg)| {
            let inverse = format!("({} {text})", inverse_name(&name, i));
            self.extract_type_var(program, var, arg, &inverse)
        })
    }
}

/// The name of the `i`-th inverse of a type function.
pub(super) fn inverse_name(name: &str, i: usize) -> String {
    match name.strip_suffix('|') {
        Some(open) => format!("{open}Inv{i}|"),
        None => format!("{name}Inv{i}"),
    }
}

/// Whether a type mentions the parameters of the map type `level` polymorphic map types further out.
fn mentions(program: &Program, ty: TypeId, level: u32) -> bool {
    match program.types.get(ty) {
        Type::Bound { depth, .. } => *depth == level,
        Type::Ctor(_, args) => args.iter().any(|&arg| mentions(program, arg, level)),
        Type::Map {
            params,
            args,
            result,
        } => {
            let level = level + u32::from(*params > 0);
            args.iter().any(|&arg| mentions(program, arg, level))
                || mentions(program, *result, level)
        }
        _ => false,
    }
}

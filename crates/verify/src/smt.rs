//! From Boogie expressions and types to SMT-LIB text.
//!
//! A program without polymorphism is encoded sort by sort ([`monomorphic`]). Otherwise
//! types are encoded by predicates [Leino & Rümmer, TACAS 2010]: values of native types (`int`, `bool`, `real`,
//! bit-vectors, floats, …) keep their SMT sorts, everything else lives in one sort `T@U`; types are terms of
//! sort `T@T`, and `type(x)` relates the two. Maps are axiomatised by a select and a store function per
//! *class* of map types (their shape with closed parts abstracted), or become SMT arrays on request.
//!
//! Every text says what it needs ([`Feature`]): [`background`] declares exactly that, so the text sent for one
//! implementation is a function of that implementation and of what it depends on. No text contains a
//! position or a number that depends on other declarations; its digest is the key of the answer.

pub(crate) mod background;
mod declare;
mod expr;
mod literal;
mod map_builtins;
mod maps;
mod monomorphic;
mod names;
mod quantifier;

pub(crate) use declare::Unit;
use maps::MapClass;
pub(crate) use monomorphic::is_monomorphic;
use names::Names;
pub(crate) use names::quoted;

use crate::tree;
use std::collections::BTreeSet;
use std::rc::Rc;
use stet_base::FastMap;
use stet_boogie::ast::{ExprId, FuncId, TypeCtorId, TypeVarId, VarId};
use stet_boogie::{Program, Type, TypeId};

/// A type whose values have an SMT sort of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Native {
    Int,
    Real,
    Bool,
    RMode,
    Str,
    RegEx,
    Bv(u32),
    Float(u32, u32),
    Datatype(TypeCtorId),
    /// A map type without type parameters, when maps are SMT arrays.
    Array(TypeId),
    /// A declared type, in a program without polymorphism.
    Sort(TypeId),
    /// A map type, in a program without polymorphism.
    Map(TypeId),
    /// A declared type with `{:builtin "…"}`, a sort of the prover.
    Builtin(TypeId),
}

/// Something a text needs declared or axiomatised before it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Feature {
    /// Casts of a native type to and from `T@U`, and its type term.
    Native(Native),
    /// A declared type constructor.
    Ctor(TypeCtorId),
    /// A class of map types, by name.
    Map(Rc<str>),
    /// The partial order `<:`.
    Order,
    /// The partial order on a native type.
    NativeOrder(Native),
    Power,
    Func(FuncId),
    Const(VarId),
    /// The sort and constructors of a datatype.
    Datatype(TypeCtorId),
    /// A sort of its own, by name.
    Sort(Rc<str>),
    /// A map type with a sort of its own, by the name of that sort.
    MapSort(Rc<str>),
    /// An operation on maps as a whole, by name.
    MapFunction(Rc<str>),
}

/// How values carry their types.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Types {
    /// Every type has a sort of its own; for programs without polymorphism.
    Monomorphic,
    #[default]
    Predicates,
    /// Nothing is said about types, which proves wrong things: Boogie's `/typeEncoding:n`. Type
    /// arguments are still passed.
    Erased,
}

/// Options of the encoding; part of every key because they change the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Encoding {
    /// Maps as SMT arrays where they are not polymorphic.
    pub(crate) arrays: bool,
    /// How values carry their types.
    pub(crate) types: Types,
}

/// A bound variable in scope.
#[derive(Clone, Debug)]
struct Bound {
    text: Rc<str>,
    /// A variable of a native type that ranges over `T@U` (see [`quantifier`]).
    as_universal: bool,
}

/// The translator. [`needs`](Self::take_needs) accumulates what the emitted texts need.
pub(crate) struct Smt {
    pub(crate) encoding: Encoding,
    names: Names,
    classes: FastMap<Rc<str>, Rc<MapClass>>,
    class_of: FastMap<TypeId, (Rc<str>, Rc<[TypeId]>)>,
    /// The map types behind [`Feature::MapSort`], and operations on maps.
    map_sorts: FastMap<Rc<str>, TypeId>,
    map_functions: FastMap<Rc<str>, map_builtins::MapFunction>,
    units: FastMap<Feature, Rc<Unit>>,
    needs: BTreeSet<Feature>,
    bound: FastMap<VarId, Bound>,
    type_vars: FastMap<TypeVarId, Rc<str>>,
    counter: u32,
    in_old: bool,
    /// Whether the formula being written is assumed (`true`) or to be proved; unknown inside terms.
    assumed: Option<bool>,
    /// What the variables of an implementation are called now.
    pub(crate) current: FastMap<VarId, Rc<str>>,
    /// What globals were called on entry, for `old`.
    pub(crate) entry: FastMap<VarId, Rc<str>>,
    /// The first thing that could not be translated.
    pub(crate) unsupported: Option<String>,
}

impl Smt {
    /// A translator for one program.
    pub(crate) fn new(program: &Program, encoding: Encoding) -> Self {
        Smt {
            encoding,
            names: Names::new(program),
            classes: FastMap::default(),
            class_of: FastMap::default(),
            map_sorts: FastMap::default(),
            map_functions: FastMap::default(),
            units: FastMap::default(),
            needs: BTreeSet::new(),
            bound: FastMap::default(),
            type_vars: FastMap::default(),
            counter: 0,
            in_old: false,
            assumed: None,
            current: FastMap::default(),
            entry: FastMap::default(),
            unsupported: None,
        }
    }

    /// Starts the texts of a new implementation or declaration: numbering and variables start afresh.
    pub(crate) fn begin(&mut self) {
        debug_assert!(
            self.bound.is_empty() && !self.in_old && self.assumed.is_none(),
            "every scope of the text before was left"
        );
        self.bound.clear();
        self.type_vars.clear();
        self.current.clear();
        self.entry.clear();
        self.counter = 0;
        self.in_old = false;
        self.needs.clear();
    }

    /// What the texts emitted since the last call need.
    pub(crate) fn take_needs(&mut self) -> BTreeSet<Feature> {
        std::mem::take(&mut self.needs)
    }

    /// Names functions added to the program since the last call.
    pub(crate) fn refresh(&mut self, program: &Program) {
        self.names.extend(program);
    }

    /// Whether a declared thing has this name.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.names.is_taken(name)
    }

    fn need(&mut self, feature: Feature) {
        self.needs.insert(feature);
    }

    /// The text of an expression in the sort of its type.
    pub(crate) fn text(&mut self, program: &Program, expr: ExprId) -> String {
        let mut out = String::new();
        self.expr(program, expr, &mut out);
        out
    }

    /// The text of a formula that is assumed.
    pub(crate) fn assumption(&mut self, program: &Program, expr: ExprId) -> String {
        self.in_position(Some(true), |smt| smt.text(program, expr))
    }

    /// The text of a formula that is to be proved.
    pub(crate) fn goal(&mut self, program: &Program, expr: ExprId) -> String {
        self.in_position(Some(false), |smt| smt.text(program, expr))
    }

    fn in_position<R>(&mut self, assumed: Option<bool>, write: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.assumed, assumed);
        let result = write(self);
        self.assumed = outer;
        result
    }

    /// Names a type parameter of the implementation as a constant of sort `T@T`.
    pub(crate) fn bind_type_var(&mut self, var: TypeVarId, text: Rc<str>) {
        self.type_vars.insert(var, text);
    }

    fn is_monomorphic(&self) -> bool {
        self.encoding.types == Types::Monomorphic
    }

    /// The native type behind a resolved type, if it has one.
    pub(crate) fn native(&self, program: &Program, ty: TypeId) -> Option<Native> {
        match *program.types.get(ty) {
            Type::Int => Some(Native::Int),
            Type::Real => Some(Native::Real),
            Type::Bool => Some(Native::Bool),
            Type::RMode => Some(Native::RMode),
            Type::Str => Some(Native::Str),
            Type::RegEx => Some(Native::RegEx),
            Type::Bv(width) => Some(Native::Bv(width)),
            Type::Float(s, e) => Some(Native::Float(s, e)),
            Type::Ctor(ctor, ref args)
                if args.is_empty() && !program.type_ctors[ctor].constructors.is_empty() =>
            {
                Some(Native::Datatype(ctor))
            }
            Type::Ctor(ctor, _) if is_builtin_type(program, ctor) => Some(Native::Builtin(ty)),
            Type::Map { params: 0, .. } if self.encoding.arrays => Some(Native::Array(ty)),
            Type::Map { params: 0, .. } if self.is_monomorphic() => Some(Native::Map(ty)),
            Type::Ctor(..) if self.is_monomorphic() => Some(Native::Sort(ty)),
            _ => None,
        }
    }

    /// The sort of values of a type.
    pub(crate) fn sort(&mut self, program: &Program, ty: TypeId) -> String {
        match self.native(program, ty) {
            Some(native) => self.native_sort(program, native),
            None => "T@U".to_owned(),
        }
    }

    fn native_sort(&mut self, program: &Program, native: Native) -> String {
        match native {
            Native::Int => "Int".to_owned(),
            Native::Real => "Real".to_owned(),
            Native::Bool => "Bool".to_owned(),
            Native::RMode => "RoundingMode".to_owned(),
            Native::Str => "String".to_owned(),
            Native::RegEx => "RegLan".to_owned(),
            Native::Bv(width) => format!("(_ BitVec {width})"),
            Native::Float(s, e) => format!("(_ FloatingPoint {e} {s})"),
            Native::Datatype(ctor) => {
                self.need(Feature::Datatype(ctor));
                self.datatype_sort(program, ctor)
            }
            Native::Array(ty) => {
                let Type::Map { args, result, .. } = program.types.get(ty).clone() else {
                    stet_base::never!("an array sort for a type that is no map type");
                    return "T@U".to_owned();
                };
                let mut text = self.sort(program, result);
                for &arg in args.iter().rev() {
                    text = format!("(Array {} {text})", self.sort(program, arg));
                }
                text
            }
            Native::Sort(ty) | Native::Map(ty) => self.own_sort(program, ty),
            Native::Builtin(ty) => self.builtin_sort(program, ty),
        }
    }

    /// The sort of a type that is the prover's: `(Seq Int)` for `type {:builtin "Seq"} Seq _;` at `Seq int`.
    fn builtin_sort(&mut self, program: &Program, ty: TypeId) -> String {
        let Type::Ctor(ctor, args) = program.types.get(ty).clone() else {
            stet_base::never!("a sort of the prover for a type that is not declared");
            return "T@U".to_owned();
        };
        let attrs = &program.type_ctors[ctor].attrs;
        let sort = program.str_attribute(attrs, "builtin").unwrap_or_default();
        if !is_one_term(sort) {
            self.unsupported
                .get_or_insert_with(|| format!("`{sort}` as a type of the prover"));
        }
        if args.is_empty() || sort.starts_with('(') {
            return sort.to_owned();
        }
        let args: Vec<String> = args.iter().map(|&arg| self.sort(program, arg)).collect();
        format!("({sort} {})", args.join(" "))
    }

    fn datatype_sort(&self, program: &Program, ctor: TypeCtorId) -> String {
        names::sort(program.name(program.type_ctors[ctor].name))
    }

    /// The name of a native type in the names of its casts and type term.
    fn native_tag(&mut self, program: &Program, native: Native) -> String {
        match native {
            Native::Int => "int".to_owned(),
            Native::Real => "real".to_owned(),
            Native::Bool => "bool".to_owned(),
            Native::RMode => "rmode".to_owned(),
            Native::Str => "string".to_owned(),
            Native::RegEx => "regex".to_owned(),
            Native::Bv(width) => format!("bv{width}"),
            Native::Float(s, e) => format!("float{s}e{e}"),
            Native::Datatype(ctor) => {
                format!("data_{}", names::digits(&self.names.ctor(ctor)))
            }
            Native::Array(_) | Native::Sort(_) | Native::Map(_) | Native::Builtin(_) => {
                let sort = self.native_sort(program, native);
                format!("array_{}", names::digits(&sort))
            }
        }
    }

    /// Whether values of a type live in `T@U`.
    fn is_universal(&self, program: &Program, ty: TypeId) -> bool {
        self.native(program, ty).is_none()
    }

    /// `(= (type text) term)`, or nothing for types that need no such premise.
    pub(crate) fn type_premise(
        &mut self,
        program: &Program,
        text: &str,
        ty: TypeId,
    ) -> Option<String> {
        if !self.is_universal(program, ty) || self.encoding.types == Types::Erased {
            return None;
        }
        let mut out = format!("(= (type {text}) ");
        self.type_term(program, ty, &mut Vec::new(), &mut out);
        out.push(')');
        Some(out)
    }

    /// The type parameters of a function that its arguments do not determine; they are passed as terms.
    fn explicit_type_params(program: &Program, func: FuncId) -> Vec<usize> {
        let function = &program.funcs[func];
        let in_types: Vec<TypeId> = function
            .ins
            .iter()
            .filter_map(|&var| program.vars[var].ty)
            .collect();
        let determined = |var: TypeVarId| in_types.iter().any(|&ty| tree::occurs(program, var, ty));
        (0..function.type_params.len())
            .filter(|&i| !determined(function.type_params[i]))
            .collect()
    }
}

/// What a function is translated to, if that is something SMT-LIB or the encoding has.
fn builtin(program: &Program, func: FuncId) -> Option<&str> {
    let attrs = &program.funcs[func].attrs;
    program
        .str_attribute(attrs, "bvbuiltin")
        .or_else(|| program.str_attribute(attrs, "builtin"))
}

/// Whether a text written into a formula stays where it is put: parentheses match, and nothing quotes or hides what follows.
fn is_closed(text: &str) -> bool {
    let mut depth = 0_i32;
    let stays = text.chars().all(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' | '"' | '|' | '\\' => return false,
            _ => {}
        }
        depth >= 0
    });
    stays && depth == 0 && !text.trim().is_empty()
}

/// Whether a text is one symbol or one term in parentheses.
fn is_one_term(text: &str) -> bool {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    match inner {
        Some(inner) => is_closed(inner),
        None => {
            is_closed(text) && !text.contains(['(', ')']) && !text.contains(char::is_whitespace)
        }
    }
}

/// Whether a declared type is a sort of the prover.
fn is_builtin_type(program: &Program, ctor: TypeCtorId) -> bool {
    let attrs = &program.type_ctors[ctor].attrs;
    program.str_attribute(attrs, "builtin").is_some()
}

#[cfg(test)]
mod tests {
    use super::{is_closed, is_one_term};

    #[test]
    fn texts_that_stay_where_they_are_put() {
        for text in [
            "bvadd",
            "(_ sign_extend 8)",
            "fp.add RNE",
            "(_ to_fp 8 24) RNE",
        ] {
            assert!(is_closed(text), "{text}");
        }
        for text in [
            "",
            " ",
            "f)",
            "f) (g",
            "(f",
            "; f",
            "f |",
            "f \"",
            "= 1 1)) (assert (= 1",
        ] {
            assert!(!is_closed(text), "{text}");
        }
        for text in [
            "Int",
            "(_ BitVec 8)",
            "(Array Int (Array Int Bool))",
            "-1.5",
        ] {
            assert!(is_one_term(text), "{text}");
        }
        for text in ["", "()", "Int Int", "(f) (g)", "(f))((g)", "f(x)"] {
            assert!(!is_one_term(text), "{text}");
        }
    }
}

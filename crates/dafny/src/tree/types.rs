//! Types, hash-consed: equal types have equal [`Ty`] ids within one [`TypeTable`].
//!
//! The table only grows, behind a lock, so that queries which make new types (substitution, expansion) work on a
//! shared program.

use super::{DeclId, Ty, TypeParamId};
use std::sync::{Arc, PoisonError, RwLock};
use stet_base::{FastMap, IdVec};

/// The three kinds of arrows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrowKind {
    /// `~>`: may read the heap and have a precondition.
    General,
    /// `-->`: reads nothing, may have a precondition.
    Partial,
    /// `->`: reads nothing, total.
    Total,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TyKind {
    /// `bool`
    Bool,
    /// `char`
    Char,
    /// `int`
    Int,
    /// `nat`, the built-in subset type of `int`
    Nat,
    /// `real`
    Real,
    /// `ORDINAL`
    Ordinal,
    /// `bvN`
    Bv(u32),
    /// `set<T>` (finite) or `iset<T>`
    Set {
        /// Whether sets of this type are finite.
        finite: bool,
        /// The elements' type.
        elem: Ty,
    },
    /// `multiset<T>`
    Multiset(Ty),
    /// `seq<T>`; `string` is `seq<char>`
    Seq(Ty),
    /// `map<K, V>` (finite) or `imap<K, V>`
    Map {
        /// Whether maps of this type have finite domains.
        finite: bool,
        /// The keys' type.
        key: Ty,
        /// The values' type.
        value: Ty,
    },
    /// A tuple; the unit type has no elements. The flags say which components are ghost.
    Tuple(Vec<Ty>, Vec<bool>),
    /// `array<T>`, `array2<T>`, …; with a question mark when `nullable`.
    Array {
        /// The number of dimensions, at least one.
        dims: u32,
        /// The elements' type.
        elem: Ty,
        /// Whether `null` is a value.
        nullable: bool,
    },
    /// A function type.
    Arrow {
        /// Which of the three arrows.
        kind: ArrowKind,
        /// The arguments' types.
        params: Vec<Ty>,
        /// The result's type.
        result: Ty,
    },
    /// `object` or `object?`
    Object {
        /// Whether `null` is a value.
        nullable: bool,
    },
    /// A declared type with its arguments. `nullable` is set only for reference types (`C?`).
    Named {
        decl: DeclId,
        /// One argument for each type parameter of the declaration.
        args: Vec<Ty>,
        /// Whether `null` is a value.
        nullable: bool,
    },
    /// A type parameter in its scope.
    Param(TypeParamId),
    /// A variable of type inference; never in a program without errors.
    Infer(u32),
    /// What has no type because of an error.
    Error,
}

#[derive(Clone, Debug, Default)]
struct Inner {
    kinds: IdVec<Ty, Arc<TyKind>>,
    index: FastMap<Arc<TyKind>, Ty>,
}

impl Inner {
    fn intern(&mut self, kind: TyKind) -> Ty {
        if let Some(&ty) = self.index.get(&kind) {
            return ty;
        }
        let kind = Arc::new(kind);
        let ty = self.kinds.push(kind.clone());
        self.index.insert(kind, ty);
        ty
    }
}

/// Owns the types of a program.
#[derive(Debug)]
pub struct TypeTable {
    inner: RwLock<Inner>,
    /// `bool`
    pub bool_: Ty,
    /// `char`
    pub char_: Ty,
    /// `int`
    pub int: Ty,
    /// `nat`
    pub nat: Ty,
    /// `real`
    pub real: Ty,
    /// `ORDINAL`
    pub ordinal: Ty,
    /// `object`
    pub object: Ty,
    /// `object?`
    pub object_nullable: Ty,
    /// `string`, which is `seq<char>`
    pub string: Ty,
    /// The unit type `()`.
    pub unit: Ty,
    /// The type of what is in error.
    pub error: Ty,
}

impl TypeTable {
    /// A table with the built-in types.
    pub fn new() -> Self {
        let mut inner = Inner::default();
        let mut add = |kind: TyKind| inner.intern(kind);
        let bool_ = add(TyKind::Bool);
        let char_ = add(TyKind::Char);
        let int = add(TyKind::Int);
        let nat = add(TyKind::Nat);
        let real = add(TyKind::Real);
        let ordinal = add(TyKind::Ordinal);
        let object = add(TyKind::Object { nullable: false });
        let object_nullable = add(TyKind::Object { nullable: true });
        let string = add(TyKind::Seq(char_));
        let unit = add(TyKind::Tuple(Vec::new(), Vec::new()));
        let error = add(TyKind::Error);
        TypeTable {
            inner: RwLock::new(inner),
            bool_,
            char_,
            int,
            nat,
            real,
            ordinal,
            object,
            object_nullable,
            string,
            unit,
            error,
        }
    }

    /// The id of a type, made on first use.
    pub fn intern(&self, kind: TyKind) -> Ty {
        let found = {
            let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
            inner.index.get(&kind).copied()
        };
        found.unwrap_or_else(|| {
            let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
            inner.intern(kind)
        })
    }

    /// The type with this id.
    pub fn kind(&self, ty: Ty) -> Arc<TyKind> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        inner.kinds[ty].clone()
    }

    /// The type arguments of a type, in order (elements, keys and values, components, arrow parameters then result).
    pub fn children(&self, ty: Ty) -> Vec<Ty> {
        match &*self.kind(ty) {
            TyKind::Set { elem, .. } | TyKind::Multiset(elem) | TyKind::Seq(elem) => vec![*elem],
            TyKind::Array { elem, .. } => vec![*elem],
            TyKind::Map { key, value, .. } => vec![*key, *value],
            TyKind::Tuple(items, _) => items.clone(),
            TyKind::Arrow { params, result, .. } => {
                params.iter().copied().chain([*result]).collect()
            }
            TyKind::Named { args, .. } => args.clone(),
            _ => Vec::new(),
        }
    }

    /// The same type constructor over other arguments, in the order of [`children`](Self::children).
    pub fn with_children(&self, ty: Ty, children: &[Ty]) -> Ty {
        let mut kind = (*self.kind(ty)).clone();
        match &mut kind {
            TyKind::Set { elem, .. }
            | TyKind::Multiset(elem)
            | TyKind::Seq(elem)
            | TyKind::Array { elem, .. } => *elem = children[0],
            TyKind::Map { key, value, .. } => (*key, *value) = (children[0], children[1]),
            TyKind::Tuple(items, _) => items.copy_from_slice(children),
            TyKind::Arrow { params, result, .. } => {
                let count = params.len();
                params.copy_from_slice(&children[..count]);
                *result = children[count];
            }
            TyKind::Named { args, .. } => args.copy_from_slice(children),
            _ => return ty,
        }
        self.intern(kind)
    }

    /// Replaces type parameters: `map` gives the new type of a parameter, or nothing to keep it.
    pub fn substitute(&self, ty: Ty, map: &dyn Fn(TypeParamId) -> Option<Ty>) -> Ty {
        if let TyKind::Param(param) = *self.kind(ty) {
            return map(param).unwrap_or(ty);
        }
        let children = self.children(ty);
        if children.is_empty() {
            return ty;
        }
        let new: Vec<Ty> = children.iter().map(|&c| self.substitute(c, map)).collect();
        if new == children {
            ty
        } else {
            self.with_children(ty, &new)
        }
    }
}

impl Default for TypeTable {
    fn default() -> Self {
        Self::new()
    }
}

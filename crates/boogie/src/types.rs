//! Resolved types: canonical, hash-consed, compared by id.
//!
//! Synonyms are expanded and the type parameters of map types are de Bruijn indices, so two types are equal
//! exactly if their ids are. Names for messages come from the syntax ([`TypeExpr`](crate::ast::TypeExpr)).

use crate::ast::{TypeCtorId, TypeVarId};
use stet_base::{FastMap, IdVec, define_id};

define_id!(
    /// A resolved type.
    pub struct TypeId;
);

/// A resolved type; its parts are ids of the same [`TypeTable`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `int`.
    Int,
    /// `real`.
    Real,
    /// `bool`.
    Bool,
    /// `rmode`.
    RMode,
    /// `string`.
    Str,
    /// `regex`.
    RegEx,
    /// `bvN`.
    Bv(u32),
    /// `floatSeE`: bits of the significand and of the exponent.
    Float(u32, u32),
    /// A type parameter of an enclosing declaration or binder.
    Var(TypeVarId),
    /// A type parameter of an enclosing map type: `depth` map types further out, its `index`-th parameter.
    Bound {
        /// How many enclosing map types with parameters to skip.
        depth: u32,
        index: u32,
    },
    /// A declared type applied to arguments.
    Ctor(TypeCtorId, Box<[TypeId]>),
    /// A map type; `params` is the number of type parameters it binds.
    Map {
        /// How many type parameters it binds.
        params: u32,
        /// The index types.
        args: Box<[TypeId]>,
        /// The value type.
        result: TypeId,
    },
}

/// The table of resolved types.
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: IdVec<TypeId, Type>,
    ids: FastMap<Type, TypeId>,
    bool_type: TypeId,
    int_type: TypeId,
    real_type: TypeId,
}

impl Default for TypeTable {
    fn default() -> Self {
        let mut types = IdVec::new();
        let mut ids = FastMap::default();
        let mut add = |ty: Type| {
            let id = types.push(ty.clone());
            ids.insert(ty, id);
            id
        };
        let bool_type = add(Type::Bool);
        let int_type = add(Type::Int);
        let real_type = add(Type::Real);
        TypeTable {
            types,
            ids,
            bool_type,
            int_type,
            real_type,
        }
    }
}

impl TypeTable {
    /// The id of `ty`, made on first use.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// The type with this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// `bool`.
    pub fn bool(&self) -> TypeId {
        self.bool_type
    }

    /// `int`.
    pub fn int(&self) -> TypeId {
        self.int_type
    }

    /// `real`.
    pub fn real(&self) -> TypeId {
        self.real_type
    }

    pub fn all(&self) -> impl Iterator<Item = &Type> {
        self.types.iter().map(|(_, ty)| ty)
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Never: `bool` is always there.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// Replaces type parameters of declarations (not those bound by map types) by `map`.
    pub fn substitute(&mut self, ty: TypeId, map: &FastMap<TypeVarId, TypeId>) -> TypeId {
        self.rewrite(ty, 0, &mut |table, leaf, depth| match leaf {
            Type::Var(v) => map.get(v).map(|&to| table.shift(to, depth)),
            _ => None,
        })
    }

    /// Instantiates the outermost parameters of a map type: its index types and value type at `type_args`.
    pub fn instantiate_map(
        &mut self,
        map: TypeId,
        type_args: &[TypeId],
    ) -> Option<(Vec<TypeId>, TypeId)> {
        let Type::Map {
            params,
            args,
            result,
        } = self.get(map).clone()
        else {
            return None;
        };
        if params == 0 {
            return Some((args.to_vec(), result));
        }
        let open = |table: &mut TypeTable, ty| {
            table.rewrite(ty, 0, &mut |table, leaf, inner| match *leaf {
                Type::Bound { depth, index } if depth == inner => type_args
                    .get(index as usize)
                    .map(|&to| table.shift(to, inner)),
                Type::Bound { depth, index } if depth > inner => Some(table.intern(Type::Bound {
                    depth: depth - 1,
                    index,
                })),
                _ => None,
            })
        };
        let args = args.iter().map(|&arg| open(self, arg)).collect();
        let result = open(self, result);
        Some((args, result))
    }

    /// Moves a type under `by` further polymorphic map types.
    fn shift(&mut self, ty: TypeId, by: u32) -> TypeId {
        if by == 0 {
            return ty;
        }
        self.rewrite(ty, 0, &mut |table, leaf, inner| match *leaf {
            Type::Bound { depth, index } if depth >= inner => Some(table.intern(Type::Bound {
                depth: depth + by,
                index,
            })),
            _ => None,
        })
    }

    /// Rebuilds a type; `leaf` may replace variables, given how many polymorphic map types enclose them.
    fn rewrite(
        &mut self,
        ty: TypeId,
        depth: u32,
        leaf: &mut dyn FnMut(&mut TypeTable, &Type, u32) -> Option<TypeId>,
    ) -> TypeId {
        match self.get(ty).clone() {
            t @ (Type::Var(_) | Type::Bound { .. }) => leaf(self, &t, depth).unwrap_or(ty),
            Type::Ctor(ctor, args) if !args.is_empty() => {
                let args = args.iter().map(|&a| self.rewrite(a, depth, leaf)).collect();
                self.intern(Type::Ctor(ctor, args))
            }
            Type::Map {
                params,
                args,
                result,
            } => {
                let inner = depth + u32::from(params > 0);
                let args = args.iter().map(|&a| self.rewrite(a, inner, leaf)).collect();
                let result = self.rewrite(result, inner, leaf);
                self.intern(Type::Map {
                    params,
                    args,
                    result,
                })
            }
            _ => ty,
        }
    }
}

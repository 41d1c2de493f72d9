//! Types, interned: equal types have equal ids, except that identified structures are equal by name.
//!
//! All pointers are one type: LLVM's typed pointers carry nothing the instructions do not say themselves.

use stet_base::{FastMap, IdVec, Symbol};

stet_base::define_id!(
    /// A type of a [`Types`] table.
    pub struct TypeId;
);

/// The floating-point formats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    /// 16 bits, IEEE.
    Half,
    /// 16 bits, truncated single.
    BFloat,
    /// 32 bits.
    Float,
    /// 64 bits.
    Double,
    /// 80 bits, x87.
    X86Fp80,
    /// 128 bits, IEEE.
    Fp128,
    /// 128 bits, two doubles.
    PpcFp128,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    /// An integer of this many bits.
    Int(u32),
    /// A floating-point number.
    Float(FloatKind),
    Pointer,
    /// A basic block.
    Label,
    /// Metadata as a value.
    Metadata,
    Token,
    /// `[len x element]`.
    Array {
        /// How many elements.
        len: u64,
        element: TypeId,
    },
    /// `<len x element>`.
    Vector {
        /// How many elements.
        len: u64,
        element: TypeId,
    },
    /// A literal structure, or the body of an identified one.
    Struct {
        fields: Box<[TypeId]>,
        /// Whether there is no padding.
        packed: bool,
    },
    /// An identified structure; its body is in [`Types::body`].
    Named(Symbol),
    Function {
        /// What it returns.
        result: TypeId,
        /// Its fixed parameters.
        params: Box<[TypeId]>,
        /// Whether more arguments may follow.
        varargs: bool,
    },
    /// Something Stet does not compute with (target types, scalable vectors), by its name.
    Unsupported(Symbol),
}

/// The table of types of one module.
#[derive(Clone, Debug)]
pub struct Types {
    types: IdVec<TypeId, Type>,
    ids: FastMap<Type, TypeId>,
    bodies: FastMap<Symbol, TypeId>,
    small_ints: [Option<TypeId>; 129],
    /// The pointer type.
    pub pointer: TypeId,
    /// The type of no value.
    pub void: TypeId,
    /// The type of labels.
    pub label: TypeId,
    /// The type of metadata.
    pub metadata: TypeId,
}

impl Types {
    pub(crate) fn new() -> Self {
        let mut types = IdVec::new();
        let mut ids = FastMap::default();
        let mut add = |ty: Type| {
            let id = types.push(ty.clone());
            ids.insert(ty, id);
            id
        };
        let pointer = add(Type::Pointer);
        let void = add(Type::Void);
        let label = add(Type::Label);
        let metadata = add(Type::Metadata);
        Types {
            types,
            ids,
            bodies: FastMap::default(),
            small_ints: [None; 129],
            pointer,
            void,
            label,
            metadata,
        }
    }

    /// The type with this id; identified structures are not looked through.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// The type with this id; an identified structure gives its body, if it has one.
    pub fn resolved(&self, id: TypeId) -> &Type {
        match &self.types[id] {
            Type::Named(name) => match self.bodies.get(name) {
                Some(&body) => &self.types[body],
                None => &self.types[id],
            },
            other => other,
        }
    }

    /// The body of an identified structure.
    pub fn body(&self, name: Symbol) -> Option<TypeId> {
        self.bodies.get(&name).copied()
    }

    /// The id of a type, made on first use.
    pub(crate) fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    pub(crate) fn int(&mut self, width: u32) -> TypeId {
        match self.small_ints.get(width as usize) {
            Some(Some(id)) => *id,
            Some(None) => {
                let id = self.intern(Type::Int(width));
                self.small_ints[width as usize] = Some(id);
                id
            }
            None => self.intern(Type::Int(width)),
        }
    }

    pub(crate) fn set_body(&mut self, name: Symbol, body: TypeId) {
        self.bodies.insert(name, body);
    }

    /// The id of a type that is known to occur, such as the element of an interned array.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.ids.get(ty).copied()
    }
}

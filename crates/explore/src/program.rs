//! The program: modules, their linked symbols, functions and globals with addresses, initial memory.

use crate::address::{GLOBAL_START, ObjectId, take};
use crate::code::Code;
use crate::lower;
use crate::memory::Memory;
use crate::object::{Kind, Object};
use crate::shape::Shape;
use crate::value::{Ctx, Value};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use stet_base::{Budget, FastMap, FastSet};
use stet_llvm::{
    BinaryOp, CastOp, Const, ConstId, FunctionId, GlobalId, LinkError, Linkage, Linked, Module,
    ObjectRef, Target, Type, TypeId, library_function, link,
};

/// What cannot be run, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProgramError {
    /// The inputs cannot be linked.
    Link(LinkError),
    /// There is no function to start at.
    NoEntry(String),
    /// A function cannot take another's place.
    Alias(String),
    /// The target has another byte order or pointer size.
    Target(String),
    /// A global variable that is larger than the limit on allocations.
    TooLarge {
        global: String,
        /// Its size in bytes.
        size: u64,
        /// The file and the offset in it where the variable is.
        place: (stet_base::FileId, u32),
    },
    /// The time limit was reached, or the user interrupted, before the exploration began.
    Interrupted,
    /// A constant that Stet does not evaluate.
    Constant {
        /// The global it initialises.
        global: String,
        /// What it contains.
        what: String,
        /// Its definition: the file and the offset.
        place: (stet_base::FileId, u32),
    },
}

impl std::fmt::Display for ProgramError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProgramError::Link(error) => error.fmt(f),
            ProgramError::NoEntry(name) => write!(f, "there is no function `{name}` to start at"),
            ProgramError::Alias(why) => f.write_str(why),
            ProgramError::Target(what) => write!(f, "{what} targets are not supported"),
            ProgramError::TooLarge { global, size, .. } => {
                write!(
                    f,
                    "the global variable `{global}` has {size} bytes, which is too large"
                )
            }
            ProgramError::Interrupted => {
                write!(f, "the program was not set up within the limits")
            }
            ProgramError::Constant { global, what, .. } => {
                write!(
                    f,
                    "the initial value of `{global}` has {what}, which is not supported"
                )
            }
        }
    }
}

impl ProgramError {
    /// Where the error is, if it has a place.
    pub fn place(&self) -> Option<stet_base::Span> {
        match self {
            ProgramError::TooLarge {
                place: (file, start),
                ..
            }
            | ProgramError::Constant {
                place: (file, start),
                ..
            } => Some(stet_base::Span {
                file: *file,
                start: *start,
                end: *start,
            }),
            _ => None,
        }
    }
}

impl std::error::Error for ProgramError {}

/// A function of the program.
#[derive(Debug)]
pub(crate) struct FunctionEntry {
    pub(crate) name: String,
    /// Where its code is; absent for external functions.
    pub(crate) definition: Option<(u32, FunctionId)>,
    pub(crate) object: ObjectId,
}

pub(crate) struct Program {
    pub(crate) modules: Arc<Vec<Module>>,
    pub(crate) linked: Linked,
    library: Vec<bool>,
    pub(crate) functions: RefCell<Vec<FunctionEntry>>,
    by_definition: RefCell<FastMap<(u32, u32), u32>>,
    by_name: RefCell<FastMap<String, u32>>,
    by_object: RefCell<FastMap<ObjectId, u32>>,
    globals: RefCell<FastMap<(u32, u32), ObjectId>>,
    thread_locals: RefCell<FastSet<ObjectId>>,
    externals: RefCell<FastMap<String, ObjectId>>,
    codes: RefCell<Vec<Option<Rc<Code>>>>,
    shapes: RefCell<FastSet<Rc<Shape>>>,
    next_address: RefCell<u64>,
    /// Block addresses: object to function and block.
    pub(crate) blocks: RefCell<FastMap<ObjectId, (u32, u32)>>,
    block_objects: RefCell<FastMap<(u32, u32), ObjectId>>,
    /// Names that mean other functions.
    pub(crate) aliases: FastMap<String, String>,
}

impl Program {
    /// Links modules and gives every definition an address. `library[i]` says that module `i` only fills gaps.
    pub(crate) fn new(modules: Arc<Vec<Module>>, library: &[bool]) -> Result<Self, ProgramError> {
        for module in &*modules {
            if !module.layout.little_endian {
                return Err(ProgramError::Target("big-endian".into()));
            }
            if module.layout.pointer_size != 8 {
                let bits = module.layout.pointer_size * 8;
                return Err(ProgramError::Target(format!("{bits}-bit")));
            }
        }
        let linked = link(&modules, library).map_err(ProgramError::Link)?;
        let aliases = library_functions(&modules, &linked);
        Ok(Program {
            modules,
            linked,
            library: library.to_vec(),
            functions: RefCell::default(),
            by_definition: RefCell::default(),
            by_name: RefCell::default(),
            by_object: RefCell::default(),
            globals: RefCell::default(),
            thread_locals: RefCell::default(),
            externals: RefCell::default(),
            codes: RefCell::default(),
            shapes: Default::default(),
            next_address: RefCell::new(GLOBAL_START),
            blocks: RefCell::default(),
            block_objects: RefCell::default(),
            aliases,
        })
    }

    /// Whether a module only fills gaps.
    pub(crate) fn is_library(&self, module: u32) -> bool {
        self.library.get(module as usize).copied().unwrap_or(false)
    }

    fn address(&self, ctx: &Ctx, size: u64, align: u64) -> ObjectId {
        let base = take(&mut self.next_address.borrow_mut(), size, align);
        ctx.addresses.at(base, size)
    }

    /// The function a name of a module means, external ones included.
    fn function_index(&self, ctx: &Ctx, name: &str, definition: Option<(u32, FunctionId)>) -> u32 {
        use stet_base::Index;
        let known = match definition {
            Some((module, id)) => self
                .by_definition
                .borrow()
                .get(&(module, id.index() as u32))
                .copied(),
            None => self.by_name.borrow().get(name).copied(),
        };
        if let Some(index) = known {
            return index;
        }
        let object = self.address(ctx, 1, 16);
        let mut functions = self.functions.borrow_mut();
        let index = functions.len() as u32;
        functions.push(FunctionEntry {
            name: name.to_owned(),
            definition,
            object,
        });
        self.codes.borrow_mut().push(None);
        match definition {
            Some((module, id)) => {
                self.by_definition
                    .borrow_mut()
                    .insert((module, id.index() as u32), index);
            }
            None => {
                self.by_name.borrow_mut().insert(name.to_owned(), index);
            }
        }
        self.by_object.borrow_mut().insert(object, index);
        index
    }

    /// A function that no module defines, such as an intrinsic.
    pub(crate) fn external_function(&self, ctx: &Ctx, name: &str) -> u32 {
        self.function_index(ctx, name, None)
    }

    /// The function with an exported name.
    pub(crate) fn exported_function(&self, ctx: &Ctx, name: &str) -> Option<u32> {
        let ObjectRef { module, target } = self.linked.exported(name)?;
        match target {
            Target::Function(id) => Some(self.function_index(ctx, name, Some((module, id)))),
            Target::Alias(position) => {
                let alias = &self.modules[module as usize].aliases[position as usize];
                match self.constant(ctx, module, alias.aliasee).ok()? {
                    Value::Ptr(object, 0) => self.function_at(object),
                    _ => None,
                }
            }
            Target::Global(_) => None,
        }
    }

    /// The name of the global variable that an object is.
    pub(crate) fn global_name(&self, object: ObjectId) -> Option<String> {
        use stet_base::Index;
        let globals = self.globals.borrow();
        let (&(module, id), _) = globals.iter().find(|(_, known)| **known == object)?;
        let owner = self.modules.get(module as usize)?;
        let (_, global) = owner
            .globals
            .iter()
            .find(|(known, _)| known.index() as u32 == id)?;
        Some(owner.name(global.name).to_owned())
    }

    /// How many functions have an address so far.
    pub(crate) fn function_count(&self) -> u32 {
        self.functions.borrow().len() as u32
    }

    /// The function whose address an object is.
    pub(crate) fn function_at(&self, object: ObjectId) -> Option<u32> {
        self.by_object.borrow().get(&object).copied()
    }

    /// The address of a name in a module.
    pub(crate) fn symbol(
        &self,
        ctx: &Ctx,
        module: u32,
        name: &str,
        depth: u32,
    ) -> Result<Value, String> {
        if depth > 100 {
            return Err(format!("an alias `{name}` of itself"));
        }
        let name = self.aliases.get(name).map_or(name, String::as_str);
        let Some(reference) = self.linked.resolve(module as usize, name) else {
            return Ok(self.undefined(ctx, module, name));
        };
        let owner = &self.modules[reference.module as usize];
        match reference.target {
            Target::Function(id) => {
                let index = self.function_index(ctx, name, Some((reference.module, id)));
                Ok(Value::Ptr(
                    self.functions.borrow()[index as usize].object,
                    0,
                ))
            }
            Target::Global(id) => Ok(Value::Ptr(self.global_object(ctx, reference.module, id), 0)),
            Target::Alias(position) => {
                let alias = &owner.aliases[position as usize];
                if alias.ifunc {
                    return Err(format!("the indirect function `{name}`"));
                }
                self.constant_at(ctx, reference.module, alias.aliasee, depth + 1)
            }
        }
    }

    /// A name no module defines: a function of the outside, or a variable of the outside.
    fn undefined(&self, ctx: &Ctx, module: u32, name: &str) -> Value {
        let owner = &self.modules[module as usize];
        let weak = |linkage| linkage == Linkage::ExternWeak;
        let function = owner
            .functions
            .iter()
            .find(|(_, f)| owner.name(f.name) == name);
        if let Some((_, function)) = function {
            if weak(function.linkage) {
                return Value::Int(0);
            }
            let index = self.function_index(ctx, name, None);
            return Value::Ptr(self.functions.borrow()[index as usize].object, 0);
        }
        let global = owner
            .globals
            .iter()
            .find(|(_, g)| owner.name(g.name) == name);
        if global.is_some_and(|(_, global)| weak(global.linkage)) {
            return Value::Int(0);
        }
        let size = global.map_or(0, |(_, g)| owner.layout.size(&owner.types, g.ty));
        let mut externals = self.externals.borrow_mut();
        let object = *externals
            .entry(name.to_owned())
            .or_insert_with(|| self.address(ctx, size.max(1), 16));
        Value::Ptr(object, 0)
    }

    /// The name of an undefined variable, if an object is one.
    pub(crate) fn external_variable(&self, object: ObjectId) -> Option<String> {
        let externals = self.externals.borrow();
        let mut names: Vec<&String> = externals.keys().collect();
        names.sort();
        names
            .into_iter()
            .find(|name| externals[*name] == object)
            .cloned()
    }

    fn global_object(&self, ctx: &Ctx, module: u32, id: GlobalId) -> ObjectId {
        use stet_base::Index;
        let key = (module, id.index() as u32);
        if let Some(&object) = self.globals.borrow().get(&key) {
            return object;
        }
        let owner = &self.modules[module as usize];
        let global = &owner.globals[id];
        let size = owner.layout.size(&owner.types, global.ty);
        let object = self.address(ctx, size, global.align.max(16));
        self.globals.borrow_mut().insert(key, object);
        if global.thread_local {
            self.thread_locals.borrow_mut().insert(object);
        }
        object
    }

    /// The address of a block.
    fn block_object(&self, ctx: &Ctx, function: u32, block: u32) -> ObjectId {
        let mut objects = self.block_objects.borrow_mut();
        *objects.entry((function, block)).or_insert_with(|| {
            let object = self.address(ctx, 1, 16);
            self.blocks.borrow_mut().insert(object, (function, block));
            object
        })
    }

    /// Whether an object is a variable of which every thread has its own.
    pub(crate) fn is_thread_local(&self, object: ObjectId) -> bool {
        self.thread_locals.borrow().contains(&object)
    }

    /// The memory a run starts with: all globals with their initial values.
    pub(crate) fn initial_memory(
        &self,
        ctx: &Ctx,
        max_size: u64,
        budget: &Budget,
    ) -> Result<Memory, ProgramError> {
        let mut memory = Memory::new();
        let mut total = 0u64;
        for (index, module) in self.modules.iter().enumerate() {
            for (id, global) in module.globals.iter() {
                let name = module.name(global.name);
                let Some(init) = global.init else { continue };
                let chosen = self.linked.resolve(index, name).is_some_and(|found| {
                    found.module as usize == index && found.target == Target::Global(id)
                });
                if !chosen || name.starts_with("llvm.") {
                    continue;
                }
                budget.check().map_err(|_| ProgramError::Interrupted)?;
                let size = module.layout.size(&module.types, global.ty);
                total = total.saturating_add(size);
                if total > max_size || !Object::has_room(size) {
                    return Err(ProgramError::TooLarge {
                        global: name.to_owned(),
                        size,
                        place: (module.file, global.position),
                    });
                }
                let mut object = Object::zeroed(Kind::Global, size);
                let written = self.write_constant(ctx, index as u32, &mut object, 0, init, 0);
                written.map_err(|what| ProgramError::Constant {
                    global: name.to_owned(),
                    what,
                    place: (module.file, global.position),
                })?;
                object.writable = !global.constant;
                memory.insert(self.global_object(ctx, index as u32, id), object);
            }
        }
        Ok(memory)
    }

    /// The constructors, in the order they run.
    pub(crate) fn constructors(&self, ctx: &Ctx) -> Vec<u32> {
        let mut found = Vec::new();
        for (index, module) in self.modules.iter().enumerate() {
            let ctors = module
                .globals
                .iter()
                .find(|(_, g)| module.name(g.name) == "llvm.global_ctors");
            let Some(init) = ctors.and_then(|(_, global)| global.init) else {
                continue;
            };
            let Const::Aggregate(entries) = &module.constants[init].value else {
                continue;
            };
            for &entry in entries.iter() {
                let Const::Aggregate(fields) = &module.constants[entry].value else {
                    continue;
                };
                let priority = match fields.first().map(|&id| &module.constants[id].value) {
                    Some(Const::Int(priority)) => *priority,
                    _ => 65535,
                };
                let function = fields
                    .get(1)
                    .and_then(|&id| self.constant(ctx, index as u32, id).ok());
                if let Some(Value::Ptr(object, 0)) = function
                    && let Some(function) = self.function_at(object)
                {
                    found.push((priority, function));
                }
            }
        }
        found.sort_by_key(|&(priority, _)| priority);
        found.into_iter().map(|(_, function)| function).collect()
    }

    fn write_constant(
        &self,
        ctx: &Ctx,
        module: u32,
        object: &mut Object,
        at: u64,
        id: ConstId,
        depth: u32,
    ) -> Result<(), String> {
        let owner = &self.modules[module as usize];
        let constant = &owner.constants[id];
        let (types, layout) = (&owner.types, &owner.layout);
        match &constant.value {
            Const::Zero | Const::Undef | Const::Poison | Const::Null => Ok(()),
            Const::Bytes(bytes) => {
                if at.saturating_add(bytes.len() as u64) > object.size() {
                    return Err("a constant larger than its type".into());
                }
                for (k, byte) in bytes.iter().enumerate() {
                    object.write(ctx, at as usize + k, 8, &Value::Int((*byte).into()));
                }
                Ok(())
            }
            Const::Aggregate(parts) if !is_packed(owner, constant.ty) => {
                for (k, &part) in parts.iter().enumerate() {
                    let offset = match types.resolved(constant.ty) {
                        Type::Struct { .. } => layout.field_offset(types, constant.ty, k),
                        Type::Array { element, .. } => layout.size(types, *element) * k as u64,
                        Type::Vector { element, .. } => {
                            layout.store_size(types, *element) * k as u64
                        }
                        _ => return Err("an aggregate of a scalar type".into()),
                    };
                    let place = at.saturating_add(offset);
                    self.write_constant(ctx, module, object, place, part, depth + 1)?;
                }
                Ok(())
            }
            _ => {
                let value = self.constant_at(ctx, module, id, depth)?;
                let ty = lower::memory_type(owner, constant.ty)?;
                if at.saturating_add(ty.size()) > object.size() {
                    return Err("a constant larger than its type".into());
                }
                crate::memory::write_parts(ctx, object, at as usize, &ty, &value);
                Ok(())
            }
        }
    }

    /// The value of a constant.
    pub(crate) fn constant(&self, ctx: &Ctx, module: u32, id: ConstId) -> Result<Value, String> {
        self.constant_at(ctx, module, id, 0)
    }

    fn constant_at(
        &self,
        ctx: &Ctx,
        module: u32,
        id: ConstId,
        depth: u32,
    ) -> Result<Value, String> {
        let owner = &self.modules[module as usize];
        let constant = &owner.constants[id];
        let width = || owner.layout.bits(&owner.types, constant.ty);
        let inner = |id| self.constant_at(ctx, module, id, depth + 1);
        match &constant.value {
            Const::Int(value) => Ok(Value::wide(*value, width().unwrap_or(64))),
            Const::WideInt(words) => {
                let width = width().ok_or("an integer without a width")?;
                Ok(Value::Sym(ctx.words_term(words, width)))
            }
            Const::Float(bits) => Ok(Value::wide(*bits, width().unwrap_or(64))),
            Const::Null => Ok(Value::Int(0)),
            Const::Zero => self.zero(owner, constant.ty, 0),
            Const::Undef | Const::Poison => match width() {
                Some(width) if width <= lower::MAX_WIDTH => Ok(ctx.undefined(width)),
                _ => self.zero(owner, constant.ty, 0),
            },
            Const::Bytes(bytes) => Ok(Value::Agg(
                bytes.iter().map(|&byte| Value::Int(byte.into())).collect(),
            )),
            Const::Aggregate(parts) => {
                let parts: Result<Vec<Value>, String> =
                    parts.iter().map(|&part| inner(part)).collect();
                Ok(Value::Agg(parts?.into()))
            }
            Const::Splat(element) => {
                let Type::Vector { len, .. } = *owner.types.get(constant.ty) else {
                    return Err("a splat that is not a vector".into());
                };
                Ok(Value::Agg(vec![inner(*element)?; len as usize].into()))
            }
            Const::Global(name) => self.symbol(ctx, module, owner.name(*name), depth),
            Const::Gep {
                source,
                base,
                indices,
            } => {
                let base = inner(*base)?;
                let mut values = Vec::new();
                for &index in indices.iter() {
                    let width = owner
                        .layout
                        .bits(&owner.types, owner.constants[index].ty)
                        .unwrap_or(64);
                    let index = ctx.number128(&inner(index)?).ok_or("a symbolic index")?;
                    values.push(crate::value::signed128(index, width) as u64);
                }
                let offset = constant_offset(owner, *source, &values)?;
                Ok(add_offset(&base, offset))
            }
            Const::Cast { op, value } => {
                let from = owner.layout.bits(&owner.types, owner.constants[*value].ty);
                let to = width();
                let value = inner(*value)?;
                match (op, from, to) {
                    (CastOp::BitCast | CastOp::AddrSpaceCast, ..) => Ok(value),
                    (
                        CastOp::PtrToInt | CastOp::IntToPtr | CastOp::ZExt | CastOp::Trunc,
                        Some(from),
                        Some(to),
                    ) => Ok(crate::arith::cast(ctx, CastOp::ZExt, from, to, &value)),
                    (CastOp::SExt, Some(from), Some(to)) => {
                        Ok(crate::arith::cast(ctx, *op, from, to, &value))
                    }
                    _ => Err("a conversion of constants".into()),
                }
            }
            Const::Binary { op, a, b } => {
                let width = width().ok_or("arithmetic on aggregates")?;
                let (a, b) = (inner(*a)?, inner(*b)?);
                let zero = ctx.number128(&b) == Some(0);
                if zero
                    && matches!(
                        op,
                        BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem
                    )
                {
                    return Err("a division by zero".into());
                }
                Ok(crate::arith::binary(ctx, *op, width, &a, &b))
            }
            Const::Compare { predicate, a, b } => {
                let width = owner
                    .layout
                    .bits(&owner.types, owner.constants[*a].ty)
                    .unwrap_or(64);
                Ok(crate::arith::compare(
                    ctx,
                    *predicate,
                    width,
                    &inner(*a)?,
                    &inner(*b)?,
                ))
            }
            Const::Select { condition, a, b } => match ctx.number(&inner(*condition)?) {
                Some(0) => inner(*b),
                _ => inner(*a),
            },
            Const::BlockAddress { function, block } => {
                let name = owner.name(*function);
                let Value::Ptr(object, _) = self.symbol(ctx, module, name, depth)? else {
                    return Err("a block of an unknown function".into());
                };
                let index = self
                    .function_at(object)
                    .ok_or("a block of an unknown function")?;
                let definition = self.functions.borrow()[index as usize].definition;
                let (home, id) = definition.ok_or("a block of an external function")?;
                let home = &self.modules[home as usize];
                let label = owner.name(*block);
                let body = home.functions[id]
                    .body
                    .as_ref()
                    .ok_or("a block of an external function")?;
                let found = body
                    .block_names
                    .iter()
                    .find(|(name, _)| home.name(*name) == label);
                let (_, block) = found.ok_or("an unknown block")?;
                let block = stet_base::Index::index(*block) as u32;
                Ok(Value::Ptr(self.block_object(ctx, index, block), 0))
            }
            Const::Unsupported(what) => Err(format!("`{}`", owner.name(*what))),
        }
    }

    /// The zero of a type.
    pub(crate) fn zero(&self, owner: &Module, ty: TypeId, depth: u32) -> Result<Value, String> {
        let mut room = lower::MAX_PARTS;
        zero_in(owner, ty, depth, &mut room)
    }

    /// The code of a function, lowered on first use; `None` for an external function.
    pub(crate) fn code(&self, ctx: &Ctx, function: u32) -> Option<Rc<Code>> {
        if let Some(code) = &self.codes.borrow()[function as usize] {
            return Some(code.clone());
        }
        let definition = self.functions.borrow()[function as usize].definition;
        let (module, id) = definition?;
        let code = Rc::new(lower::function(ctx, self, function, module, id));
        self.codes.borrow_mut()[function as usize] = Some(code.clone());
        Some(code)
    }

    /// The one value of a shape, so that two are mostly compared by their address.
    pub(crate) fn shape(&self, shape: Shape) -> Rc<Shape> {
        let mut shapes = self.shapes.borrow_mut();
        if let Some(known) = shapes.get(&shape) {
            return known.clone();
        }
        let known = Rc::new(shape);
        shapes.insert(known.clone());
        known
    }

    /// The code of a function if it was lowered already.
    pub(crate) fn known_codes(&self) -> Vec<Rc<Code>> {
        self.codes.borrow().iter().flatten().cloned().collect()
    }

    /// The index of a directly called name.
    pub(crate) fn direct_callee(&self, ctx: &Ctx, value: &Value) -> Option<u32> {
        debug_assert!(!ctx.addresses.is_empty());
        match value {
            Value::Ptr(object, 0) => self.function_at(*object),
            _ => None,
        }
    }
}

/// Intrinsics that are calls of a function some module defines.
fn library_functions(modules: &[Module], linked: &Linked) -> FastMap<String, String> {
    let declared = modules.iter().flat_map(|module| {
        let functions = module.functions.iter();
        functions.map(|(_, function)| module.name(function.name))
    });
    declared
        .filter_map(|name| Some((name.to_owned(), library_function(name)?)))
        .filter(|(_, function)| linked.exported(function).is_some())
        .collect()
}

/// As [`Program::zero`], with room for so many parts.
fn zero_in(owner: &Module, ty: TypeId, depth: u32, room: &mut u32) -> Result<Value, String> {
    const TOO_MANY: &str = "an aggregate of more than a million parts as a value";
    if depth > 100 {
        return Err("a type nested too deeply".into());
    }
    *room = room.checked_sub(1).ok_or(TOO_MANY)?;
    match owner.types.resolved(ty) {
        Type::Array { len, element } | Type::Vector { len, element } => {
            if *len > u64::from(*room) {
                return Err(TOO_MANY.into());
            }
            *room -= *len as u32;
            let element = zero_in(owner, *element, depth + 1, room)?;
            Ok(Value::Agg(vec![element; *len as usize].into()))
        }
        Type::Struct { fields, .. } => {
            let parts: Result<Vec<Value>, String> = fields
                .iter()
                .map(|&field| zero_in(owner, field, depth + 1, room))
                .collect();
            Ok(Value::Agg(parts?.into()))
        }
        _ => match owner.layout.bits(&owner.types, ty) {
            Some(bits) => Ok(Value::wide(0, bits)),
            None => Ok(Value::Int(0)),
        },
    }
}

/// Whether a type is a vector whose elements are not whole bytes.
fn is_packed(owner: &Module, ty: TypeId) -> bool {
    match owner.types.resolved(ty) {
        Type::Vector { element, .. } => {
            let bits = owner.layout.bits(&owner.types, *element);
            bits.is_some_and(|bits| bits % 8 != 0)
        }
        _ => false,
    }
}

/// Adds a constant to a pointer or number.
fn add_offset(base: &Value, offset: u64) -> Value {
    match base {
        Value::Ptr(object, at) => Value::Ptr(*object, at.wrapping_add(offset)),
        Value::Int(number) => Value::Int(number.wrapping_add(offset)),
        other => other.clone(),
    }
}

/// The offset of constant indices.
pub(crate) fn constant_offset(
    owner: &Module,
    source: TypeId,
    indices: &[u64],
) -> Result<u64, String> {
    let (types, layout) = (&owner.types, &owner.layout);
    let mut ty = source;
    let mut offset = 0u64;
    for (k, &index) in indices.iter().enumerate() {
        if k == 0 {
            offset = offset.wrapping_add(layout.size(types, ty).wrapping_mul(index));
            continue;
        }
        match types.resolved(ty) {
            Type::Struct { fields, .. } => {
                let field = *fields
                    .get(index as usize)
                    .ok_or("a field that does not exist")?;
                offset = offset.wrapping_add(layout.field_offset(types, ty, index as usize));
                ty = field;
            }
            Type::Array { element, .. } | Type::Vector { element, .. } => {
                offset = offset.wrapping_add(layout.size(types, *element).wrapping_mul(index));
                ty = *element;
            }
            _ => return Err("an index into a scalar".into()),
        }
    }
    Ok(offset)
}

//! A module: globals, aliases, functions, and the tables their ids point into.

use crate::constant::{ConstId, Constant};
use crate::debug::DebugInfo;
use crate::instruction::Inst;
use crate::layout::DataLayout;
use crate::types::{TypeId, Types};
use stet_base::{FileId, IdVec, Interner, Symbol};

stet_base::define_id!(
    /// A global variable of a module.
    pub struct GlobalId;
);
stet_base::define_id!(
    /// A function of a module.
    pub struct FunctionId;
);
stet_base::define_id!(
    /// An argument, result or label of a function.
    pub struct LocalId;
);
stet_base::define_id!(
    /// A block of a function, in textual order; the first is the entry.
    pub struct BlockId;
);

/// How a symbol is seen by other modules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Linkage {
    /// Defined once, or declared.
    External,
    /// Private to its module.
    Internal,
    /// May be replaced by a definition elsewhere.
    Weak,
    /// A copy of a definition elsewhere, for the optimiser only.
    AvailableExternally,
    /// A tentative definition of C.
    Common,
    /// Concatenated when linked.
    Appending,
    /// Null if not defined elsewhere.
    ExternWeak,
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: Symbol,
    /// The type of its value.
    pub ty: TypeId,
    /// Its first value; absent if only declared.
    pub init: Option<ConstId>,
    /// Whether it may not be written.
    pub constant: bool,
    /// Whether every thread has its own.
    pub thread_local: bool,
    /// How others see it.
    pub linkage: Linkage,
    /// The alignment, 0 if not given.
    pub align: u64,
    /// Where it is in the text.
    pub position: u32,
}

/// Another name for something.
#[derive(Clone, Debug)]
pub struct Alias {
    pub name: Symbol,
    /// The type of what it is declared as, which may differ from that of the aliasee.
    pub value_type: TypeId,
    /// What it stands for; for an `ifunc`, the function that finds it out.
    pub aliasee: ConstId,
    /// How others see it.
    pub linkage: Linkage,
    /// Whether the aliasee is a resolver.
    pub ifunc: bool,
}

/// What the bits above a small number are where it is passed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Extension {
    /// Whatever was in the register.
    #[default]
    None,
    /// As `zeroext` says.
    Zero,
    /// As `signext` says.
    Sign,
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub ty: TypeId,
    /// Its local; absent in declarations.
    pub local: Option<LocalId>,
    /// The type of the copy the caller passes (`byval`).
    pub byval: Option<TypeId>,
    /// The alignment that is asked for, 0 if none.
    pub align: u64,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub label: LocalId,
    /// Its instructions; the last one ends it.
    pub insts: Vec<Inst>,
}

/// The code of a function.
#[derive(Clone, Debug)]
pub struct Body {
    /// The blocks in textual order.
    pub blocks: IdVec<BlockId, Block>,
    /// How many locals there are.
    pub locals: u32,
    /// For each label its block.
    pub block_of: Vec<Option<BlockId>>,
    /// The names of the blocks that have one, for block addresses.
    pub block_names: Vec<(Symbol, BlockId)>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Symbol,
    /// What it returns.
    pub result: TypeId,
    pub params: Vec<Param>,
    /// Whether more arguments may follow.
    pub varargs: bool,
    /// How others see it.
    pub linkage: Linkage,
    /// Its code; absent if only declared.
    pub body: Option<Body>,
    /// The number of its `!dbg` subprogram, or `u32::MAX`.
    pub debug: u32,
    /// Where it is in the text.
    pub position: u32,
}

/// What one text says.
#[derive(Debug)]
pub struct Module {
    /// The file it was read from.
    pub file: FileId,
    /// Names of globals, functions, types, blocks.
    pub names: Interner,
    pub types: Types,
    pub constants: IdVec<ConstId, Constant>,
    pub globals: IdVec<GlobalId, Global>,
    /// Functions, declared and defined.
    pub functions: IdVec<FunctionId, Function>,
    pub aliases: Vec<Alias>,
    /// Sizes and alignments.
    pub layout: DataLayout,
    /// The target triple, if given.
    pub triple: String,
    /// Module-level assembly, if any.
    pub has_module_asm: bool,
    pub debug: DebugInfo,
}

impl Module {
    /// The text of a name.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }
}

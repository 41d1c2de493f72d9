//! The instruction set: one 64-bit word per instruction, sometimes followed by constants.
//!
//! Word layout: opcode in bits 0..8, `c` in 8..16, `a` in 16..32, `b` in 32..48, `d` in 48..64; the upper half
//! `b`/`d` together is also used as a 32-bit immediate (a label, a predicate, a count).
//!
//! Registers `a`, `b`, `d` are X registers unless a name says `Y`. Labels are absolute indices into the code
//! area; label 0 in a test means "fail".

macro_rules! opcodes {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum Op { $($(#[$meta])* $name),* }
        pub(crate) const OPS: &[Op] = &[$(Op::$name),*];
    };
}

opcodes! {
    /// Fails; code 0 is this, so a zeroed word is harmless.
    Fail,
    // -- head unification; `S`/mode as in the classic machine
    /// X[b] := X[a].
    Move,
    /// Y[b] := X[a].
    StoreY,
    /// X[b] := Y[a].
    LoadY,
    /// Two moves: fields of eight bits from bit 8 on, `from, to, from, to`.
    Move2,
    Move3,
    /// Two stores `X[from] -> Y[to]`.
    StoreY2,
    StoreY3,
    /// Two loads `Y[from] -> X[to]`.
    LoadY2,
    LoadY3,
    /// Unify X[a] with X[b].
    GetValX,
    /// Unify X[a] with Y[b].
    GetValY,
    /// Unify X[a] with the constant in the next word.
    GetConst,
    /// Unify X[a] with a list; sets `S` and the mode.
    GetList,
    /// Unify X[a] with a structure whose functor is the next word; sets `S` and the mode.
    GetStruct,
    /// Unify X[a] with [X[b]|X[d]], both first occurrences.
    GetListXX,
    /// Unify X[a] with [X[b]|X[d]], the head known, the tail a first occurrence.
    GetListVX,
    /// Unify X[a] with the box whose `imm` words follow.
    GetBox,
    UnifyVarX,
    UnifyVarXX,
    UnifyVarY,
    UnifyValX,
    UnifyValY,
    /// Constant in the next word.
    UnifyConst,
    /// `imm` anonymous arguments.
    UnifyVoid,
    /// The last argument of a list pair is another list pair: go on in it.
    UnifyTail,
    // -- building
    /// X[a] := X[b] := fresh variable.
    PutVarX,
    /// Y[a] := X[b] := fresh variable.
    PutVarY,
    /// Y[a] := fresh variable.
    InitY,
    /// X[a] := constant in the next word.
    PutConst,
    /// X[a] := list cell at H; two `Set…` follow.
    PutList,
    /// X[a] := structure at H with the functor in the next word; `Set…` follow.
    PutStruct,
    /// X[a] := [X[b]|X[d]].
    PutListXX,
    /// X[a] := the box whose `imm` words follow.
    PutBox,
    /// X[a] := the flat term whose `imm` words follow.
    PutFlat,
    SetVarX,
    SetVarY,
    SetValX,
    SetValXX,
    SetValY,
    SetConst,
    SetVoid,
    /// The tail cell points to the pair that follows.
    SetTail,
    // -- control
    /// New environment with `imm` slots.
    Allocate,
    /// New environment with `imm` slots, all set to a constant.
    AllocateInit,
    Deallocate,
    /// Call predicate `imm`; the next word is slots and live mask of the environment.
    Call,
    Execute,
    /// Deallocate and execute.
    DeallocExecute,
    Proceed,
    DeallocProceed,
    Jump,
    /// Inline call of the deterministic builtin `imm` with `c` arguments in X[0..].
    Builtin,
    /// Y[a] := cut barrier of this call.
    GetLevel,
    /// Cut to the barrier of this call, before any call was made.
    NeckCut,
    /// Cut to the choice point in Y[a].
    CutY,
    /// Cut the choice point in Y[a] and everything above it.
    CutPrevY,
    /// Y[a] := the current choice point.
    SaveBY,
    /// If the choice point in Y[a] is on top remove it, else make it fail when it is reached.
    SoftCutY,
    /// Push a choice point without arguments for label `imm`; the next word is slots and mask.
    TryElse,
    /// First instruction of a middle alternative: `imm` is the next; the next word is slots and mask.
    RetryElse,
    /// First instruction of the last alternative; the next word is slots and mask.
    TrustElse,
    // -- tests; `imm` is the label to go to if the test fails, 0 to fail
    IsVar,
    IsNonvar,
    IsAtom,
    IsInteger,
    IsFloat,
    IsNumber,
    IsAtomic,
    IsCompound,
    IsCallable,
    IsString,
    IsList,
    /// X[a] == X[next word].
    TermEq,
    TermNe,
    TermLt,
    TermLe,
    TermGt,
    TermGe,
    /// X[a] is the constant in the next word, or is bound to it.
    TestConst,
    /// Compare two registers: X[a] and X[next word].
    CmpEq,
    CmpNe,
    CmpLt,
    CmpLe,
    CmpGt,
    CmpGe,
    /// Compare X[a] with the small integer cell in the next word.
    CmpEqI,
    CmpNeI,
    CmpLtI,
    CmpLeI,
    CmpGtI,
    CmpGeI,
    // -- arithmetic: X[d] := X[a] op X[b]
    Add,
    Sub,
    Mul,
    IntDiv,
    Mod,
    Rem,
    And,
    Or,
    Shl,
    Shr,
    /// X[b] := X[a] + the small integer cell in the next word.
    AddI,
    /// Generic: function in the next word (its atom), X[d] := f(X[a], X[b]).
    Arith2,
    /// Generic: function in the next word (its atom), X[d] := f(X[a]).
    Arith1,
    /// X[b] := value of the expression X[a].
    Eval,
    // -- choosing clauses
    /// Dispatch on X[a]: the next four words are the labels for the eight tags, two in a word.
    SwitchTerm,
    /// X[a] := argument `imm` of the structure or pair X[0].
    LoadArgument,
    /// Hash table on X[a]: `imm` is the number of slots (a power of two); next word is the default label,
    /// then pairs of key and label.
    SwitchHash,
    /// Push a choice point with `c` arguments (alternative: next instruction) and go to `imm`.
    Try,
    Retry,
    Trust,
    /// Go to `imm`; until the neck cut, failure goes to the next instruction.
    TryShallow,
    /// A long list of clauses, number `imm`: the part of it a call may match, or the next instruction.
    Chain,
    /// Counts an entry of the clause that follows, number `imm` of those counted.
    Count,
    // -- entries of predicates; `imm` is the predicate
    /// Not defined (yet).
    Undefined,
    /// Defined, but the clauses are not linked yet.
    Link,
    /// Dynamic: look for clauses now.
    Dynamic,
    DynamicRetry,
    /// Deterministic builtin as a predicate.
    BuiltinPred,
    /// Nondeterministic builtin as a predicate.
    NondetPred,
    NondetRetry,
    /// call/N.
    CallN,
    /// Call the goal in X[0] in a catch frame.
    Catch,
    CatchExit,
    /// Reached by failure: the catch frame has no more answers.
    CatchFail,
    /// Call the goal in X[0] with the goal X[1] to run when it is done for.
    CallCleanup,
    CleanupExit,
    /// Reached by failure: the goal has no more answers.
    CleanupFail,
    /// Answer found: back to the host.
    Stop,
    /// No more answers: back to the host.
    StopFail,
    /// Run the plain code of predicate `imm`.
    ExecutePlain,
    /// Qualifies the goals among the arguments of a meta-predicate with the module of predicate `imm`.
    QualifyMeta,
    // -- run-time checks; `imm` is the plan, `a` the arity, see `checks/runtime.rs`
    /// Checks the calls condition and goes on to the plain code; `c` is 1 if there is something to check on exit.
    CheckEntry,
    /// Checks the success conditions of the environment's arguments.
    CheckExit,
    // -- woken goals, see `emulate/wake.rs`
    /// Stands in for another instruction: runs the woken goals, then that one.
    Wake,
    /// The goals are done: back to the clause.
    WakeExit,
    /// The goals a condition woke succeeded.
    WakeTest,
    WakeElse,
    /// Tries the clause behind one that was entered without a choice point.
    WakeAlternative,
}

/// Builds an instruction word.
pub(crate) const fn word(op: Op, c: u8, a: u16, b: u16, d: u16) -> u64 {
    op as u64 | (c as u64) << 8 | (a as u64) << 16 | (b as u64) << 32 | (d as u64) << 48
}

/// Builds an instruction word with a 32-bit immediate.
pub(crate) const fn word_imm(op: Op, c: u8, a: u16, imm: u32) -> u64 {
    op as u64 | (c as u64) << 8 | (a as u64) << 16 | (imm as u64) << 32
}

/// The word after a call: number of environment slots and which of them hold live terms.
pub(crate) const fn frame_word(slots: usize, mask: u32) -> u64 {
    slots as u64 | (mask as u64) << 32
}

/// The opcode of a word.
#[inline(always)]
pub(crate) fn op_of(word: u64) -> Op {
    OPS[(word & 0xff) as usize % OPS.len()]
}

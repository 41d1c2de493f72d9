//! Liveness at a place in a clause, found by reading the code ahead.
//!
//! Goals may be woken in the middle of a clause, where nothing says which registers and slots hold terms. Code of a
//! clause has forward jumps only, so one pass from its end back to the place tells what is read before it is
//! written. It ends at calls: no X register survives them, and the word behind them says which slots do.

use crate::code::{Op, op_of};
use crate::program::Program;
use std::collections::BTreeSet;
use stet_base::FastMap;

/// The environment of the clause at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Frame {
    /// All ways from here fail without looking at it.
    Unused,
    /// Not there: registers `e` and `cp` are the caller's.
    Callers,
    /// There, with so many slots; the live ones as a mask (all if there are more than 32).
    Own { slots: usize, mask: u32 },
}

/// What is needed from a place on.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) registers: BTreeSet<u16>,
    pub(crate) frame: Frame,
}

impl Live {
    const NOTHING: Live = Live {
        registers: BTreeSet::new(),
        frame: Frame::Unused,
    };

    fn join(&mut self, other: &Live) {
        self.registers.extend(&other.registers);
        self.frame = match (self.frame, other.frame) {
            (Frame::Own { slots, mask }, Frame::Own { slots: n, mask: m }) => Frame::Own {
                slots: slots.max(n),
                mask: mask | m,
            },
            (Frame::Unused, known) | (known, _) => known,
        };
    }

    fn own(&mut self) -> (usize, u32) {
        match self.frame {
            Frame::Own { slots, mask } => (slots, mask),
            _ => (0, 0),
        }
    }

    fn read_slot(&mut self, slot: usize) {
        let (slots, mask) = self.own();
        let bit = if slot < 32 { 1 << slot } else { 0 };
        self.frame = Frame::Own {
            slots: slots.max(slot + 1),
            mask: mask | bit,
        };
    }

    fn write_slot(&mut self, slot: usize) {
        let (slots, mask) = self.own();
        let bit = if slot < 32 { 1 << slot } else { 0 };
        self.frame = Frame::Own {
            slots: slots.max(slot + 1),
            mask: mask & !bit,
        };
    }

    /// A word behind a call: the number of slots, and which are live.
    fn frame_word(&mut self, word: u64) {
        let (slots, mask) = self.own();
        self.frame = Frame::Own {
            slots: slots.max((word & 0xffff) as usize),
            mask: mask | (word >> 32) as u32,
        };
    }

    fn read(&mut self, register: u64) {
        self.registers.insert(register as u16);
    }

    fn write(&mut self, register: u64) {
        self.registers.remove(&(register as u16));
    }
}

/// How many words an instruction takes.
pub(crate) fn length(word: u64) -> usize {
    match op_of(word) {
        Op::GetConst
        | Op::GetStruct
        | Op::UnifyConst
        | Op::PutConst
        | Op::PutStruct
        | Op::SetConst
        | Op::Call
        | Op::TryElse
        | Op::RetryElse
        | Op::TrustElse
        | Op::TermEq
        | Op::TermNe
        | Op::TermLt
        | Op::TermLe
        | Op::TermGt
        | Op::TermGe
        | Op::TestConst
        | Op::CmpEq
        | Op::CmpNe
        | Op::CmpLt
        | Op::CmpLe
        | Op::CmpGt
        | Op::CmpGe
        | Op::CmpEqI
        | Op::CmpNeI
        | Op::CmpLtI
        | Op::CmpLeI
        | Op::CmpGtI
        | Op::CmpGeI
        | Op::AddI
        | Op::Arith2
        | Op::Arith1 => 2,
        Op::GetBox | Op::PutBox | Op::PutFlat => 1 + (word >> 32) as usize,
        _ => 1,
    }
}

/// Whether an instruction is part of a unification.
pub(crate) fn is_unification(word: u64) -> bool {
    matches!(
        op_of(word),
        Op::GetValX
            | Op::GetValY
            | Op::GetConst
            | Op::GetList
            | Op::GetStruct
            | Op::GetListXX
            | Op::GetListVX
            | Op::GetBox
            | Op::UnifyVarX
            | Op::UnifyVarXX
            | Op::UnifyVarY
            | Op::UnifyValX
            | Op::UnifyValY
            | Op::UnifyConst
            | Op::UnifyVoid
            | Op::UnifyTail
    )
}

/// Whether an instruction only moves and builds, so that goals woken before it may as well run after it.
pub(crate) fn is_preparation(word: u64) -> bool {
    matches!(
        op_of(word),
        Op::Move
            | Op::StoreY
            | Op::LoadY
            | Op::Move2
            | Op::Move3
            | Op::StoreY2
            | Op::StoreY3
            | Op::LoadY2
            | Op::LoadY3
            | Op::PutVarX
            | Op::PutVarY
            | Op::InitY
            | Op::PutConst
            | Op::PutList
            | Op::PutStruct
            | Op::PutListXX
            | Op::PutBox
            | Op::PutFlat
            | Op::SetVarX
            | Op::SetVarY
            | Op::SetValX
            | Op::SetValXX
            | Op::SetValY
            | Op::SetConst
            | Op::SetVoid
            | Op::SetTail
            | Op::Allocate
            | Op::AllocateInit
            | Op::GetLevel
    )
}

impl Program {
    /// What is needed at `start`, the address of an instruction of a clause.
    pub(crate) fn live_at(&self, start: usize) -> Live {
        let mut reachable = BTreeSet::new();
        let mut pending = vec![start];
        while let Some(at) = pending.pop() {
            if reachable.insert(at) {
                let (next, label) = self.successors(at);
                pending.extend(next);
                pending.extend(label);
            }
        }
        let mut live: FastMap<usize, Live> = FastMap::default();
        for &at in reachable.iter().rev() {
            let (next, label) = self.successors(at);
            let mut here = Live::NOTHING;
            for successor in next.into_iter().chain(label) {
                if let Some(there) = live.get(&successor) {
                    here.join(there);
                }
            }
            self.before(at, &mut here);
            live.insert(at, here);
        }
        live.remove(&start).unwrap_or(Live::NOTHING)
    }

    /// Where an instruction goes on: behind it, and at its label.
    fn successors(&self, at: usize) -> (Option<usize>, Option<usize>) {
        let word = self.code.get(at);
        let behind = Some(at + length(word));
        let label = Some((word >> 32) as usize).filter(|&label| label != 0);
        match op_of(word) {
            Op::Jump => (None, label),
            op if is_test(op) => (behind, label),
            Op::Fail
            | Op::Call
            | Op::Execute
            | Op::DeallocExecute
            | Op::Proceed
            | Op::DeallocProceed => (None, None),
            _ => (behind, None),
        }
    }

    /// From what is needed behind an instruction to what is needed before it.
    fn before(&self, at: usize, live: &mut Live) {
        let w = self.code.get(at);
        let second = self.code.get(at + 1);
        let (a, b, d) = (w >> 16 & 0xffff, w >> 32 & 0xffff, w >> 48);
        let byte = |n: u32| w >> (8 * n) & 0xff;
        let moved: u32 = match op_of(w) {
            Op::Move2 | Op::StoreY2 | Op::LoadY2 => 2,
            _ => 3,
        };
        match op_of(w) {
            Op::Move => {
                live.write(b);
                live.read(a);
            }
            Op::Move2 | Op::Move3 => {
                for i in (0..moved).rev() {
                    live.write(byte(2 * i + 2));
                    live.read(byte(2 * i + 1));
                }
            }
            Op::StoreY => {
                live.write_slot(b as usize);
                live.read(a);
            }
            Op::StoreY2 | Op::StoreY3 => {
                for i in (0..moved).rev() {
                    live.write_slot(byte(2 * i + 2) as usize);
                    live.read(byte(2 * i + 1));
                }
            }
            Op::LoadY => {
                live.write(b);
                live.read_slot(a as usize);
            }
            Op::LoadY2 | Op::LoadY3 => {
                for i in (0..moved).rev() {
                    live.write(byte(2 * i + 2));
                    live.read_slot(byte(2 * i + 1) as usize);
                }
            }
            Op::GetValX => {
                live.read(a);
                live.read(b);
            }
            Op::GetValY => {
                live.read(a);
                live.read_slot(b as usize);
            }
            Op::GetConst
            | Op::GetList
            | Op::GetStruct
            | Op::GetBox
            | Op::UnifyValX
            | Op::SetValX
            | Op::TestConst => live.read(a),
            Op::GetListXX => {
                live.write(b);
                live.write(d);
                live.read(a);
            }
            Op::GetListVX => {
                live.write(d);
                live.read(a);
                live.read(b);
            }
            Op::UnifyVarX
            | Op::PutConst
            | Op::PutList
            | Op::PutStruct
            | Op::PutBox
            | Op::PutFlat
            | Op::SetVarX => live.write(a),
            Op::UnifyVarXX | Op::PutVarX => {
                live.write(a);
                live.write(b);
            }
            Op::UnifyVarY | Op::InitY | Op::SetVarY | Op::GetLevel | Op::SaveBY => {
                live.write_slot(a as usize);
            }
            Op::UnifyValY | Op::SetValY => live.read_slot(a as usize),
            Op::PutVarY => {
                live.write_slot(a as usize);
                live.write(b);
            }
            Op::PutListXX => {
                live.write(a);
                live.read(b);
                live.read(d);
            }
            Op::SetValXX => {
                live.read(a);
                live.read(b);
            }
            // Their slots hold numbers, which need no marking, but are there.
            Op::CutY | Op::CutPrevY | Op::SoftCutY => live.read_slot(a as usize),
            Op::Allocate | Op::AllocateInit => live.frame = Frame::Callers,
            Op::Deallocate => {
                live.frame = Frame::Own { slots: 0, mask: 0 };
            }
            Op::Call => {
                *live = Live::NOTHING;
                live.frame_word(second);
                self.read_arguments(w, live);
            }
            Op::Execute => {
                live.frame = Frame::Callers;
                self.read_arguments(w, live);
            }
            Op::DeallocExecute => {
                live.frame = Frame::Own { slots: 0, mask: 0 };
                self.read_arguments(w, live);
            }
            Op::Proceed => live.frame = Frame::Callers,
            Op::DeallocProceed => live.frame = Frame::Own { slots: 0, mask: 0 },
            Op::Builtin => {
                for register in 0..byte(1) {
                    live.read(register);
                }
            }
            Op::TryElse => {
                live.frame_word(second);
                // The alternative starts with a word that says what it needs.
                live.frame_word(self.code.get((w >> 32) as usize + 1));
            }
            Op::RetryElse | Op::TrustElse => live.frame_word(second),
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::IntDiv
            | Op::Mod
            | Op::Rem
            | Op::And
            | Op::Or
            | Op::Shl
            | Op::Shr
            | Op::Arith2 => {
                live.write(d);
                live.read(a);
                live.read(b);
            }
            Op::AddI | Op::Eval => {
                live.write(b);
                live.read(a);
            }
            Op::Arith1 => {
                live.write(d);
                live.read(a);
            }
            op if is_comparison(op) => {
                live.read(a);
                live.read(second);
            }
            op if is_test(op) => live.read(a),
            _ => {}
        }
    }

    fn read_arguments(&self, word: u64, live: &mut Live) {
        let arity = self.db.pred((word >> 32) as u32).arity;
        for register in 0..arity {
            live.read(register as u64);
        }
    }
}

/// Tests of two registers, the second in the next word.
fn is_comparison(op: Op) -> bool {
    matches!(
        op,
        Op::TermEq
            | Op::TermNe
            | Op::TermLt
            | Op::TermLe
            | Op::TermGt
            | Op::TermGe
            | Op::CmpEq
            | Op::CmpNe
            | Op::CmpLt
            | Op::CmpLe
            | Op::CmpGt
            | Op::CmpGe
    )
}

/// Instructions with a label to go to if they fail.
fn is_test(op: Op) -> bool {
    is_comparison(op)
        || matches!(
            op,
            Op::IsVar
                | Op::IsNonvar
                | Op::IsAtom
                | Op::IsInteger
                | Op::IsFloat
                | Op::IsNumber
                | Op::IsAtomic
                | Op::IsCompound
                | Op::IsCallable
                | Op::IsString
                | Op::IsList
                | Op::TestConst
                | Op::CmpEqI
                | Op::CmpNeI
                | Op::CmpLtI
                | Op::CmpLeI
                | Op::CmpGtI
                | Op::CmpGeI
        )
}

//! Running instructions: one function per opcode, grouped by what they do.
//!
//! [`registers`] says how instructions follow each other and what the unsafe code relies on.
#![allow(
    unsafe_code,
    reason = "the loop that starts instructions; the invariant is in `registers`"
)]

mod build;
mod cleanup;
mod control;
mod entries;
mod guards;
mod head;
pub(crate) mod liveness;
mod registers;
pub(crate) mod wake;

use crate::code::{OPS, Op};
use crate::flat::Flat;
use crate::machine::Machine;
use registers::Handler;

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The query has an answer; running again looks for the next.
    True,
    /// There is no (further) answer.
    False,
    /// An exception nobody caught.
    Exception(Flat),
    /// `halt/1` was called.
    Halt(i32),
    /// An engine suspended itself; running again repeats the call that did.
    Suspended,
}

/// What the slow part of a call decided.
pub(crate) enum Next {
    /// Go on at this code address.
    Code(usize),
    Fail,
}

impl Machine {
    /// Runs from the current registers until the query is answered.
    pub(crate) fn run(&mut self, resume: bool) -> Outcome {
        let outer = std::mem::take(&mut self.control.shallow);
        // To look for the next answer, fail into the newest choice point: code 0 is `Fail`.
        let start = if resume { 0 } else { self.control.p };
        let m: *mut Machine = self;
        // SAFETY: the invariant of `registers`; `m` is this machine, and `self` is not used while it runs.
        let outcome = unsafe {
            let mut p = (*m).program.code.base().cast_const().add(start);
            while !p.is_null() {
                debug_assert!(
                    (p.offset_from((*m).program.code.base()) as usize)
                        < (*m).program.code.capacity()
                );
                let w = *p;
                let e = (*m).mem.env.base().add((*m).control.e);
                p = TABLE[w as u8 as usize](m, p, w, ((*m).mem.h as u64) << 3, e, (*m).control.s);
            }
            (*m).control.outcome.take()
        };
        self.control.shallow = outer;
        outcome.unwrap_or(Outcome::False)
    }
}

/// The instructions by opcode; the rest fails, as code 0 does.
static TABLE: [Handler; 256] = {
    let mut table: [Handler; 256] = [head::fail; 256];
    let mut i = 0;
    while i < OPS.len() {
        table[OPS[i] as usize] = handler(OPS[i]);
        i += 1;
    }
    table
};

/// The function of an opcode.
const fn handler(op: Op) -> Handler {
    match op {
        Op::Fail => head::fail,
        Op::Move => head::move_x,
        Op::StoreY => head::store_y,
        Op::LoadY => head::load_y,
        Op::Move2 => head::move2,
        Op::Move3 => head::move3,
        Op::StoreY2 => head::store_y2,
        Op::StoreY3 => head::store_y3,
        Op::LoadY2 => head::load_y2,
        Op::LoadY3 => head::load_y3,
        Op::GetValX => head::get_val_x,
        Op::GetValY => head::get_val_y,
        Op::GetConst => head::get_const,
        Op::GetList => head::get_list,
        Op::GetStruct => head::get_struct,
        Op::GetListXX => head::get_list_xx,
        Op::GetListVX => head::get_list_vx,
        Op::GetBox => head::get_box,
        Op::UnifyVarX => head::unify_var_x,
        Op::UnifyVarXX => head::unify_var_xx,
        Op::UnifyVarY => head::unify_var_y,
        Op::UnifyValX => head::unify_val_x,
        Op::UnifyValY => head::unify_val_y,
        Op::UnifyConst => head::unify_const,
        Op::UnifyVoid => head::unify_void,
        Op::UnifyTail => head::unify_tail,
        Op::PutVarX => build::put_var_x,
        Op::PutVarY => build::put_var_y,
        Op::InitY => build::init_y,
        Op::PutConst => build::put_const,
        Op::PutList => build::put_list,
        Op::PutStruct => build::put_struct,
        Op::PutListXX => build::put_list_xx,
        Op::PutBox => build::put_box,
        Op::PutFlat => build::put_flat,
        Op::SetVarX => build::set_var_x,
        Op::SetVarY => build::set_var_y,
        Op::SetValX => build::set_val_x,
        Op::SetValXX => build::set_val_xx,
        Op::SetValY => build::set_val_y,
        Op::SetConst => build::set_const,
        Op::SetVoid => build::set_void,
        Op::SetTail => build::set_tail,
        Op::Allocate => control::allocate,
        Op::AllocateInit => control::allocate_init,
        Op::Deallocate => control::deallocate,
        Op::Call => control::call,
        Op::Execute => control::execute,
        Op::DeallocExecute => control::dealloc_execute,
        Op::Proceed => control::proceed,
        Op::DeallocProceed => control::dealloc_proceed,
        Op::Jump => control::jump,
        Op::Builtin => control::builtin,
        Op::GetLevel => control::get_level,
        Op::NeckCut => control::neck_cut,
        Op::CutY => control::cut_y,
        Op::CutPrevY => control::cut_prev_y,
        Op::SaveBY => control::save_b_y,
        Op::SoftCutY => control::soft_cut_y,
        Op::TryElse => control::try_else,
        Op::RetryElse => control::retry_else,
        Op::TrustElse => control::trust_else,
        Op::IsVar => guards::is_var,
        Op::IsNonvar => guards::is_nonvar,
        Op::IsAtom => guards::is_atom,
        Op::IsInteger => guards::is_integer,
        Op::IsFloat => guards::is_float,
        Op::IsNumber => guards::is_number,
        Op::IsAtomic => guards::is_atomic,
        Op::IsCompound => guards::is_compound,
        Op::IsCallable => guards::is_callable,
        Op::IsString => guards::is_string,
        Op::IsList => guards::is_list,
        Op::TermEq => guards::term_eq,
        Op::TermNe => guards::term_ne,
        Op::TermLt => guards::term_lt,
        Op::TermLe => guards::term_le,
        Op::TermGt => guards::term_gt,
        Op::TermGe => guards::term_ge,
        Op::TestConst => guards::test_const,
        Op::CmpEq => guards::cmp_eq,
        Op::CmpNe => guards::cmp_ne,
        Op::CmpLt => guards::cmp_lt,
        Op::CmpLe => guards::cmp_le,
        Op::CmpGt => guards::cmp_gt,
        Op::CmpGe => guards::cmp_ge,
        Op::CmpEqI => guards::cmp_eq_i,
        Op::CmpNeI => guards::cmp_ne_i,
        Op::CmpLtI => guards::cmp_lt_i,
        Op::CmpLeI => guards::cmp_le_i,
        Op::CmpGtI => guards::cmp_gt_i,
        Op::CmpGeI => guards::cmp_ge_i,
        Op::Add => guards::add,
        Op::Sub => guards::sub,
        Op::Mul => guards::mul,
        Op::IntDiv => guards::int_div,
        Op::Mod => guards::modulo,
        Op::Rem => guards::rem,
        Op::And => guards::and,
        Op::Or => guards::or,
        Op::Shl => guards::shl,
        Op::Shr => guards::shr,
        Op::AddI => guards::add_i,
        Op::Arith2 => guards::arith2,
        Op::Arith1 => guards::arith1,
        Op::Eval => guards::eval,
        Op::SwitchTerm => entries::switch_term,
        Op::LoadArgument => entries::load_argument,
        Op::SwitchHash => entries::switch_hash,
        Op::Try => entries::try_clause,
        Op::Retry => entries::retry,
        Op::Trust => entries::trust,
        Op::TryShallow => entries::try_shallow,
        Op::Chain => entries::chain,
        Op::Count => entries::count,
        Op::Undefined => entries::undefined,
        Op::Link => entries::link,
        Op::Dynamic => entries::dynamic,
        Op::DynamicRetry => entries::dynamic_retry,
        Op::BuiltinPred => control::builtin_pred,
        Op::NondetPred => entries::nondet_pred,
        Op::NondetRetry => entries::nondet_retry,
        Op::CallN => entries::call_n,
        Op::Catch => control::catch,
        Op::CatchExit => control::catch_exit,
        Op::CatchFail => control::catch_fail,
        Op::CallCleanup => cleanup::call_cleanup,
        Op::CleanupExit => cleanup::cleanup_exit,
        Op::CleanupFail => cleanup::cleanup_fail,
        Op::Stop => control::stop_true,
        Op::StopFail => control::stop_false,
        Op::ExecutePlain => control::execute_plain,
        Op::QualifyMeta => entries::qualify_meta,
        Op::CheckEntry => control::check_entry,
        Op::CheckExit => control::check_exit,
        Op::Wake => wake::wake_here,
        Op::WakeExit => wake::wake_exit,
        Op::WakeTest => wake::wake_test,
        Op::WakeElse => wake::wake_else,
        Op::WakeAlternative => wake::wake_alternative,
    }
}

//! Environments, calls, cuts and alternatives within a clause; calling builtins and checks.
#![allow(unsafe_code, reason = "instructions; the invariant is in `registers`")]

use super::Outcome;
use super::cleanup::before_cut;
use super::registers::{
    Code, attempt, backtrack, op, out_of_memory, raise, stop, wake_then_return,
};
use super::wake::wake_after_builtin;
use crate::cell::*;
use crate::machine::{ENV_HEAD, Machine, choice, code_at, level, level_of};
use stet_prolog::atom;

op!(allocate, r => {
    let top = r.env_top();
    if top > (*r.m).mem.env_limit {
        return r.slowly(out_of_memory);
    }
    r.push_env(top);
    r.next(1)
});

op!(allocate_init, r => {
    let top = r.env_top();
    if top > (*r.m).mem.env_limit {
        return r.slowly(out_of_memory);
    }
    r.push_env(top);
    for i in 0..r.imm() {
        r.set_y(i, Cell::small(0).0);
    }
    r.next(1)
});

op!(deallocate, r => {
    r.pop_env();
    r.next(1)
});

op!(call, r => {
    (*r.m).control.cp = r.p.add(2).offset_from(r.code()) as usize;
    r.enter(r.imm())
});

op!(execute, r => { r.enter(r.imm()) });

op!(dealloc_execute, r => {
    r.pop_env();
    r.enter(r.imm())
});

op!(execute_plain, r => { r.goto((*r.m).program.db.pred(r.imm() as u32).plain as usize) });

op!(proceed, r => { r.return_awake() });

op!(dealloc_proceed, r => {
    (*r.m).control.returns += 1;
    r.pop_env();
    r.return_awake()
});

op!(jump, r => { r.goto(r.imm()) });

/// What a builtin said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Yes,
    No,
    Error,
}

/// Calls a deterministic builtin; an exception waits in the machine.
#[inline(never)]
unsafe fn builtin_result(m: *mut Machine, number: usize) -> Said {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let (function, raiser) = (&(*m).program.db.builtins)[number];
        match function(&mut *m) {
            Ok(true) => Said::Yes,
            Ok(false) => Said::No,
            Err(error) => {
                (*m).note_error(&error, Some(raiser));
                (*m).control.error = Some(error);
                Said::Error
            }
        }
    }
}

/// Raises the exception that waits in the machine.
#[cold]
#[inline(never)]
unsafe fn raise_waiting(m: *mut Machine) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        match (*m).control.error.take() {
            Some(error) => raise(m, error),
            None => backtrack(m),
        }
    }
}

op!(builtin, r => {
    r.save();
    r.save_p();
    match builtin_result(r.m, r.imm()) {
        Said::Yes => {
            r.reload();
            if r.must_wake() {
                return r.slowly(wake_after_builtin);
            }
            r.next(1)
        }
        Said::No => backtrack(r.m),
        Said::Error => raise_waiting(r.m),
    }
});

op!(builtin_pred, r => {
    r.save();
    r.save_p();
    match builtin_result(r.m, r.imm()) {
        Said::Yes => {
            r.reload();
            r.return_awake()
        }
        Said::No => backtrack(r.m),
        Said::Error => raise_waiting(r.m),
    }
});

op!(get_level, r => {
    r.set_y(r.a(), level((*r.m).control.b0));
    r.next(1)
});

op!(neck_cut, r => {
    (*r.m).control.shallow = 0;
    let to = (*r.m).control.b0;
    if to < (*r.m).control.cleanup_b {
        r.save();
        return before_cut(r.m, r.p, to);
    }
    r.cut_to(to);
    r.next(1)
});

op!(cut_y, r => {
    let to = level_of(r.y(r.a()));
    if to < (*r.m).control.cleanup_b {
        r.save();
        return before_cut(r.m, r.p, to);
    }
    r.cut_to(to);
    r.next(1)
});

op!(cut_prev_y, r => {
    let at = level_of(r.y(r.a()));
    let to = r.choice(at + choice::PREV) as usize;
    if to < (*r.m).control.cleanup_b {
        r.save();
        return before_cut(r.m, r.p, to);
    }
    r.cut_to(to);
    r.next(1)
});

op!(save_b_y, r => {
    r.set_y(r.a(), level((*r.m).control.b));
    r.next(1)
});

op!(soft_cut_y, r => {
    let at = level_of(r.y(r.a()));
    if (*r.m).control.b == at {
        r.cut_to(r.choice(at + choice::PREV) as usize);
    } else {
        r.set_choice(at + choice::ALT, code_at::SOFT_FAIL as u64);
    }
    r.next(1)
});

op!(try_else, r => {
    let slots = (r.word(1) & 0xffff) as usize;
    let own = r.e_index() + ENV_HEAD + slots;
    let top = own.max(r.choice((*r.m).control.b + choice::ENV_TOP) as usize);
    if !r.choice_fits() {
        return r.slowly(out_of_memory);
    }
    r.push_choice(r.imm(), 0, top);
    r.next(2)
});

op!(retry_else, r => {
    r.set_choice((*r.m).control.b + choice::ALT, r.imm() as u64);
    r.next(2)
});

op!(trust_else, r => {
    r.cut_to(r.choice((*r.m).control.b + choice::PREV) as usize);
    r.next(2)
});

op!(check_entry, r => {
    let plan = r.imm();
    (*r.m).mem.h = (r.h >> 3) as usize;
    let status = match (*r.m).check_entry(plan) {
        Some(status) => status,
        None => attempt!(r, check_entry_slowly(plan)),
    };
    let pred = (&(*r.m).checks.plans)[plan].pred;
    if r.byte(1) != 0 {
        let top = r.env_top();
        if top > (*r.m).mem.env_limit {
            return r.slowly(out_of_memory);
        }
        r.push_env(top);
        let arity = r.a();
        for i in 0..arity {
            r.set_y(i, r.x(i));
        }
        r.set_y(arity, Cell::small(status as i64).0);
        (*r.m).control.cp = r.p.add(2).offset_from(r.code()) as usize;
    }
    r.leave(r.code().add((*r.m).program.db.pred(pred).plain as usize))
});

op!(check_exit, r => {
    let plan = r.imm();
    (*r.m).mem.h = (r.h >> 3) as usize;
    let base = r.e_index() + ENV_HEAD;
    let status = r.y(r.a()) >> 3;
    if !(*r.m).check_exit(plan, base, status) {
        attempt!(r, check_exit_slowly(plan, base, status));
    }
    r.leave(r.p.add(1))
});

op!(catch, r => {
    if !r.choice_fits() || r.env_top() > (*r.m).mem.env_limit {
        return r.slowly(out_of_memory);
    }
    let flag = r.push_var();
    r.set_x(3, flag);
    r.push_choice(code_at::CATCH_FAIL, 4, r.env_top());
    r.push_env(r.env_top());
    r.set_y(0, Cell::small((*r.m).control.b as i64).0);
    r.set_y(1, flag);
    r.set_y(2, Cell::small(0).0);
    (*r.m).control.cp = code_at::CATCH_EXIT;
    r.slowly(super::entries::call_first)
});

op!(catch_exit, r => {
    if r.must_wake() {
        // Their exceptions are caught here too: they return to this instruction.
        (*r.m).control.cp = code_at::CATCH_EXIT;
        r.save();
        return wake_then_return(r.m);
    }
    let at = (r.y(0) >> 3) as usize;
    if (*r.m).control.b == at {
        r.cut_to(r.choice(at + choice::PREV) as usize);
    } else {
        r.bind(r.y(1), Cell::atom(atom::TRUE).0);
    }
    r.pop_env();
    r.proceed()
});

op!(catch_fail, r => {
    r.cut_to(r.choice((*r.m).control.b + choice::PREV) as usize);
    r.fail()
});

op!(stop_true, r => {
    r.save();
    if (*r.m).control.pending != Cell::atom(atom::NIL) {
        return match (*r.m).wake_at_stop() {
            Ok(address) => r.code().add(address),
            Err(error) => raise(r.m, error),
        };
    }
    stop(r.m, Outcome::True)
});

op!(stop_false, r => {
    r.save();
    stop(r.m, Outcome::False)
});

//! Moving arguments and unifying heads.
#![allow(unsafe_code, reason = "instructions; the invariant is in `registers`")]

use super::registers::{Code, Regs, need, op};
use crate::cell::*;

op!(fail, r => { r.fail() });

op!(move_x, r => {
    r.set_x(r.b(), r.x(r.a()));
    r.next(1)
});

op!(store_y, r => {
    r.set_y(r.b(), r.x(r.a()));
    r.next(1)
});

op!(load_y, r => {
    r.set_x(r.b(), r.y(r.a()));
    r.next(1)
});

op!(move2, r => {
    r.set_x(r.byte(2), r.x(r.byte(1)));
    r.set_x(r.byte(4), r.x(r.byte(3)));
    r.next(1)
});

op!(move3, r => {
    r.set_x(r.byte(2), r.x(r.byte(1)));
    r.set_x(r.byte(4), r.x(r.byte(3)));
    r.set_x(r.byte(6), r.x(r.byte(5)));
    r.next(1)
});

op!(store_y2, r => {
    r.set_y(r.byte(2), r.x(r.byte(1)));
    r.set_y(r.byte(4), r.x(r.byte(3)));
    r.next(1)
});

op!(store_y3, r => {
    r.set_y(r.byte(2), r.x(r.byte(1)));
    r.set_y(r.byte(4), r.x(r.byte(3)));
    r.set_y(r.byte(6), r.x(r.byte(5)));
    r.next(1)
});

op!(load_y2, r => {
    r.set_x(r.byte(2), r.y(r.byte(1)));
    r.set_x(r.byte(4), r.y(r.byte(3)));
    r.next(1)
});

op!(load_y3, r => {
    r.set_x(r.byte(2), r.y(r.byte(1)));
    r.set_x(r.byte(4), r.y(r.byte(3)));
    r.set_x(r.byte(6), r.y(r.byte(5)));
    r.next(1)
});

op!(get_val_x, r => { r.unify_next(r.x(r.a()), r.x(r.b()), 1) });

op!(get_val_y, r => { r.unify_next(r.x(r.a()), r.y(r.b()), 1) });

op!(get_const, r => { r.const_next(r.x(r.a()), r.word(1), 2) });

op!(get_list_xx, r => {
    let value = r.deref(r.x(r.a()));
    if value & 7 == LST {
        let (head, tail) = (r.load(value), r.load_at(value, 1));
        r.set_x(r.b(), head);
        r.set_x(r.d(), tail);
        return r.next(1);
    }
    need!(r, Cell(value).is_var());
    let at = r.push_var();
    r.push_var();
    r.set_x(r.b(), at);
    r.set_x(r.d(), at + 8);
    r.bind_next(value, at | LST, 1)
});

op!(get_list_vx, r => {
    let value = r.deref(r.x(r.a()));
    let head = r.x(r.b());
    if value & 7 == LST {
        r.set_x(r.d(), r.load_at(value, 1));
        return r.unify_next(r.load(value), head, 1);
    }
    need!(r, Cell(value).is_var());
    need!(r, !(*r.m).loader.occurs_check || !(*r.m).mem.occurs_in(Cell(value), Cell(head)));
    let at = r.h;
    r.push(head);
    let tail = r.push_var();
    r.set_x(r.d(), tail);
    r.bind_next(value, at | LST, 1)
});

/// Goes on in the pair `value` is or becomes.
#[inline(always)]
unsafe fn enter_pair(r: Regs, value: u64) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let mut r = r;
        match value & 7 {
            LST => r.s = value - LST,
            REF => {
                r.s = r.h | 1;
                r.bind(value, r.h | LST);
                r.h += 16;
            }
            ATT => {
                r.s = r.push_var();
                r.push_var();
                return r.bind_next(value, r.s | LST, 1);
            }
            _ => return r.fail(),
        }
        r.next(1)
    }
}

op!(get_list, r => { enter_pair(r, r.deref(r.x(r.a()))) });

op!(get_struct, r => {
    let value = r.deref(r.x(r.a()));
    let functor = r.word(1);
    match value & 7 {
        STR => {
            need!(r, r.load(value) == functor);
            r.s = value - STR + 8;
        }
        REF => {
            r.bind(value, r.h | STR);
            r.push(functor);
            r.s = r.h | 1;
            r.h += 8 * Cell(functor).arity() as u64;
        }
        ATT => {
            let structure = r.h | STR;
            r.push(functor);
            r.s = r.h;
            for _ in 0..Cell(functor).arity() {
                r.push_var();
            }
            return r.bind_next(value, structure, 2);
        }
        _ => return r.fail(),
    }
    r.next(2)
});

op!(get_box, r => {
    let size = r.imm();
    let value = r.deref(r.x(r.a()));
    match value & 7 {
        BOX => {
            for i in 0..size {
                need!(r, r.load_at(value, i as u64) == r.word(1 + i));
            }
            r.next(1 + size)
        }
        REF | ATT => {
            let boxed = r.h | BOX;
            for i in 0..size {
                r.push(r.word(1 + i));
            }
            r.bind_next(value, boxed, 1 + size)
        }
        _ => r.fail(),
    }
});

op!(unify_var_x, r => {
    if r.s & 1 != 0 {
        r.store(r.s, r.s - 1);
        r.set_x(r.a(), r.s - 1);
    } else {
        r.set_x(r.a(), r.load(r.s));
    }
    r.s += 8;
    r.next(1)
});

op!(unify_var_xx, r => {
    if r.s & 1 != 0 {
        let at = r.s - 1;
        r.store(at, at);
        r.store(at + 8, at + 8);
        r.set_x(r.a(), at);
        r.set_x(r.b(), at + 8);
    } else {
        let (first, second) = (r.load(r.s), r.load_at(r.s, 1));
        r.set_x(r.a(), first);
        r.set_x(r.b(), second);
    }
    r.s += 16;
    r.next(1)
});

op!(unify_var_y, r => {
    if r.s & 1 != 0 {
        r.store(r.s, r.s - 1);
        r.set_y(r.a(), r.s - 1);
    } else {
        r.set_y(r.a(), r.load(r.s));
    }
    r.s += 8;
    r.next(1)
});

/// The next argument of the structure is `value`.
#[inline(always)]
unsafe fn unify_argument(r: Regs, value: u64) -> Code {
    // SAFETY: the invariant of `registers`.
    unsafe {
        let mut r = r;
        let at = r.s;
        r.s += 8;
        if at & 1 != 0 {
            if (*r.m).loader.occurs_check
                && (*r.m).mem.has_argument_at(Cell(value), at as usize >> 3)
            {
                return r.fail();
            }
            r.store(at, value);
            return r.next(1);
        }
        r.unify_next(r.load(at), value, 1)
    }
}

op!(unify_val_x, r => { unify_argument(r, r.x(r.a())) });

op!(unify_val_y, r => { unify_argument(r, r.y(r.a())) });

op!(unify_const, r => {
    let at = r.s;
    r.s += 8;
    if at & 1 != 0 {
        r.store(at, r.word(1));
        return r.next(2);
    }
    r.const_next(r.load(at), r.word(1), 2)
});

op!(unify_void, r => {
    let count = r.imm() as u64;
    if r.s & 1 != 0 {
        for i in 0..count {
            r.store(r.s + 8 * i, r.s - 1 + 8 * i);
        }
    }
    r.s += 8 * count;
    r.next(1)
});

op!(unify_tail, r => {
    if r.s & 1 != 0 {
        r.store(r.s, r.h | LST);
        r.s = r.h | 1;
        r.h += 16;
        return r.next(1);
    }
    enter_pair(r, r.deref(r.load(r.s)))
});

//! Moving arguments and unifying heads.
#![allow(unsafe_code, reason = "instructions; the invariant is in `registers`")]

use super::registers::{Regs, need, op};
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

op!(get_val_x, r => {
    need!(r, r.unify(r.x(r.a()), r.x(r.b())));
    r.next(1)
});

op!(get_val_y, r => {
    need!(r, r.unify(r.x(r.a()), r.y(r.b())));
    r.next(1)
});

op!(get_const, r => {
    need!(r, r.unify_const(r.x(r.a()), r.word(1)));
    r.next(2)
});

/// Binds a variable of either kind to a pair of fresh variables; the byte offset of the pair.
#[inline(always)]
unsafe fn bind_to_pair(r: &mut Regs, var: u64) -> u64 {
    unsafe {
        let at = r.push_var();
        r.push_var();
        if var & 7 == REF {
            r.bind(var, at | LST);
        } else {
            r.bind_any(var, at | LST);
        }
        at
    }
}

op!(get_list_xx, r => {
    let value = r.deref(r.x(r.a()));
    match value & 7 {
        LST => {
            let (head, tail) = (r.load(value), r.load_at(value, 1));
            r.set_x(r.b(), head);
            r.set_x(r.d(), tail);
        }
        REF | ATT => {
            let at = bind_to_pair(&mut r, value);
            r.set_x(r.b(), at);
            r.set_x(r.d(), at + 8);
        }
        _ => return r.fail(),
    }
    r.next(1)
});

op!(get_list_vx, r => {
    let value = r.deref(r.x(r.a()));
    match value & 7 {
        REF => {
            let at = r.h;
            r.push(r.x(r.b()));
            let tail = r.push_var();
            r.bind(value, at | LST);
            r.set_x(r.d(), tail);
        }
        LST => {
            let tail = r.load_at(value, 1);
            need!(r, r.unify(r.load(value), r.x(r.b())));
            r.set_x(r.d(), tail);
        }
        ATT => {
            let at = r.h;
            r.push(r.x(r.b()));
            let tail = r.push_var();
            r.bind_any(value, at | LST);
            r.set_x(r.d(), tail);
        }
        _ => return r.fail(),
    }
    r.next(1)
});

op!(get_list, r => {
    let value = r.deref(r.x(r.a()));
    match value & 7 {
        LST => r.s = value - LST,
        REF => {
            r.s = r.h | 1;
            r.bind(value, r.h | LST);
            r.h += 16;
        }
        ATT => r.s = bind_to_pair(&mut r, value),
        _ => return r.fail(),
    }
    r.next(1)
});

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
            r.bind_any(value, structure);
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
        }
        REF | ATT => {
            let boxed = r.h | BOX;
            for i in 0..size {
                r.push(r.word(1 + i));
            }
            r.bind_any(value, boxed);
        }
        _ => return r.fail(),
    }
    r.next(1 + size)
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

op!(unify_val_x, r => {
    let value = r.x(r.a());
    if r.s & 1 != 0 {
        r.store(r.s, value);
    } else {
        need!(r, r.unify(r.load(r.s), value));
    }
    r.s += 8;
    r.next(1)
});

op!(unify_val_y, r => {
    let value = r.y(r.a());
    if r.s & 1 != 0 {
        r.store(r.s, value);
    } else {
        need!(r, r.unify(r.load(r.s), value));
    }
    r.s += 8;
    r.next(1)
});

op!(unify_const, r => {
    let constant = r.word(1);
    if r.s & 1 != 0 {
        r.store(r.s, constant);
    } else {
        need!(r, r.unify_const(r.load(r.s), constant));
    }
    r.s += 8;
    r.next(2)
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
    let value = r.deref(r.load(r.s));
    match value & 7 {
        LST => r.s = value - LST,
        REF => {
            r.s = r.h | 1;
            r.bind(value, r.h | LST);
            r.h += 16;
        }
        ATT => r.s = bind_to_pair(&mut r, value),
        _ => return r.fail(),
    }
    r.next(1)
});

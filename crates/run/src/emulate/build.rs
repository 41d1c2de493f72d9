//! Building terms on top of the heap.
#![allow(unsafe_code, reason = "instructions; the invariant is in `registers`")]

use super::registers::{attempt, op};
use crate::cell::*;

op!(put_var_x, r => {
    let var = r.push_var();
    r.set_x(r.a(), var);
    r.set_x(r.b(), var);
    r.next(1)
});

op!(put_var_y, r => {
    let var = r.push_var();
    r.set_y(r.a(), var);
    r.set_x(r.b(), var);
    r.next(1)
});

op!(init_y, r => {
    let var = r.push_var();
    r.set_y(r.a(), var);
    r.next(1)
});

op!(put_const, r => {
    r.set_x(r.a(), r.word(1));
    r.next(2)
});

op!(put_list, r => {
    r.set_x(r.a(), r.h | LST);
    r.next(1)
});

op!(put_struct, r => {
    r.set_x(r.a(), r.h | STR);
    r.push(r.word(1));
    r.next(2)
});

op!(put_list_xx, r => {
    let list = r.h | LST;
    r.push(r.x(r.b()));
    r.push(r.x(r.d()));
    r.set_x(r.a(), list);
    r.next(1)
});

op!(put_box, r => {
    let size = r.imm();
    r.set_x(r.a(), r.h | BOX);
    for i in 0..size {
        r.push(r.word(1 + i));
    }
    r.next(1 + size)
});

op!(put_flat, r => {
    let size = r.imm();
    let words = std::slice::from_raw_parts(r.p.add(1), size);
    let term = attempt!(r, unflatten_words(words));
    r.set_x(r.a(), term.0);
    r.leave(r.p.add(1 + size))
});

op!(set_var_x, r => {
    let var = r.push_var();
    r.set_x(r.a(), var);
    r.next(1)
});

op!(set_var_y, r => {
    let var = r.push_var();
    r.set_y(r.a(), var);
    r.next(1)
});

op!(set_val_x, r => {
    r.push(r.x(r.a()));
    r.next(1)
});

op!(set_val_xx, r => {
    r.push(r.x(r.a()));
    r.push(r.x(r.b()));
    r.next(1)
});

op!(set_val_y, r => {
    r.push(r.y(r.a()));
    r.next(1)
});

op!(set_const, r => {
    r.push(r.word(1));
    r.next(2)
});

op!(set_void, r => {
    r.push_var();
    r.next(1)
});

op!(set_tail, r => {
    let next = r.h + 8;
    r.push(next | LST);
    r.next(1)
});

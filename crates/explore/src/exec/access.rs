//! Memory accesses: which object a pointer means [AAQC §II-A], and what lies there.
//!
//! A pointer with a known object is checked against its bounds. A symbolic pointer can mean the objects whose
//! base addresses occur in it: each possible one is followed in its own state (the forking memory model) or all of them
//! in one (`segments`); what is left is an error.

use super::{Executor, Step, Stop, error, fetch};
use crate::address::ObjectId;
use crate::code::{Code, MemTy, Op, Opd};
use crate::memory::{
    OTHER_SHAPE, Region, fits, read_parts, read_parts_at, write_parts, write_parts_at,
};
use crate::object::parts::Reach;
use crate::object::{Kind, Object};
use crate::query::{Purpose, Truth, address::offset_from};
use crate::report::{ErrorKind, Outcome};
use crate::state::State;
use crate::value::{Ctx, Value};
use crate::words::offset_inside;
use std::rc::Rc;
use stet_llvm::{AtomicOp, BinaryOp, IntPredicate};
use stet_term::Term;

/// Addresses below are null pointers with an offset.
const NULL_PAGE: u64 = 4096;
/// How many objects one symbolic pointer may mean.
const MAX_RESOLUTIONS: usize = 1024;

/// An access that was checked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    At(ObjectId, u64),
    /// At a symbolic offset that is in bounds, and in what the access can reach.
    Within(ObjectId, Term, Reach),
}

impl Place {
    /// The object that is accessed.
    pub(crate) fn object(self) -> ObjectId {
        match self {
            Place::At(object, _) | Place::Within(object, ..) => object,
        }
    }
}

impl Executor<'_> {
    pub(super) fn load_slow(
        &mut self,
        state: &mut State,
        code: &Code,
        ptr: Opd,
        bits: u32,
    ) -> Step<Value> {
        let pointer = fetch(code, &state.top.registers, ptr).clone();
        self.load(state, &pointer, &MemTy::Scalar(bits))
    }

    pub(super) fn store_slow(
        &mut self,
        state: &mut State,
        code: &Code,
        ptr: Opd,
        value: Opd,
        bits: u32,
    ) -> Step {
        let pointer = fetch(code, &state.top.registers, ptr).clone();
        let value = fetch(code, &state.top.registers, value).clone();
        self.store(state, &pointer, &MemTy::Scalar(bits), &value)
    }

    /// Reads a value through any pointer.
    pub(crate) fn load(&mut self, state: &mut State, pointer: &Value, ty: &MemTy) -> Step<Value> {
        let place = self.resolve(state, pointer, ty.size(), false)?;
        Ok(self.read_place(state, place, ty))
    }

    fn read_place(&mut self, state: &mut State, place: Place, ty: &MemTy) -> Value {
        let ctx = self.ctx.clone();
        match place {
            Place::At(object, at) => match state.memory.get(object) {
                Some(content) => read_parts(&ctx, content, at as usize, ty),
                None => {
                    stet_base::never!("an access was checked to an object that is not there");
                    Value::Int(0)
                }
            },
            Place::Within(object, at, reach) => {
                self.warn_of_large_array(object, reach, "read");
                let met = self.may_be_unwritten(state, place, ty.size());
                let value = match state.memory.get_mut(object) {
                    Some(content) => read_parts_at(&ctx, content, at, ty, reach, met),
                    None => Value::Int(0),
                };
                self.narrowed(state, value, ty)
            }
        }
    }

    /// Whether reading at a place may meet bytes that were never written, which is asked for symbolic offsets only.
    pub(crate) fn may_be_unwritten(&mut self, state: &State, place: Place, len: u64) -> bool {
        let Place::Within(object, at, _) = place else {
            return false;
        };
        let Some(content) = state.memory.get(object) else {
            return false;
        };
        match content.is_unwritten_at(&self.ctx, at, len) {
            Term::FALSE => false,
            Term::TRUE => true,
            met => {
                let constraints = &state.constraints;
                self.chain.may_be_true(constraints, met, Purpose::Program) != Some(false)
            }
        }
    }

    /// KLEE's users are told of accesses that make a large array part of queries.
    fn warn_of_large_array(&mut self, object: ObjectId, reach: Reach, what: &str) {
        const LARGE: u64 = 4096;
        if !self.settings.klee.klee_words {
            return;
        }
        let size = match reach {
            Reach::Whole => self.ctx.addresses.size_of(object),
            Reach::In(part) => part.len,
        };
        if size > LARGE {
            self.warn_once(format!(
                "Symbolic memory {what} will send the following array of {size} bytes to the constraint solver"
            ));
        }
    }

    /// Writes a value through any pointer.
    pub(crate) fn store(
        &mut self,
        state: &mut State,
        pointer: &Value,
        ty: &MemTy,
        value: &Value,
    ) -> Step {
        if !fits(ty, value) {
            return error(ErrorKind::Unsupported, OTHER_SHAPE);
        }
        let place = self.resolve(state, pointer, ty.size(), true)?;
        self.write_place(state, place, ty, value);
        Ok(())
    }

    fn write_place(&mut self, state: &mut State, place: Place, ty: &MemTy, value: &Value) {
        let ctx = self.ctx.clone();
        match place {
            Place::At(object, at) => {
                if let Some(content) = state.memory.get_mut(object) {
                    write_parts(&ctx, content, at as usize, ty, value);
                }
            }
            Place::Within(object, at, reach) => {
                self.warn_of_large_array(object, reach, "write");
                if let Some(content) = state.memory.get_mut(object) {
                    write_parts_at(&ctx, content, at, ty, value, reach);
                }
            }
        }
    }

    /// Finds the bytes of an access of `size` bytes. Other possible objects are followed in new states, or merged with it into a segment.
    pub(crate) fn resolve(
        &mut self,
        state: &mut State,
        pointer: &Value,
        size: u64,
        write: bool,
    ) -> Step<Place> {
        let merges = self.settings.memory.merges();
        let place = self.resolve_checked(state, pointer, size, write, merges)?;
        let place = state.memory.at_home(&self.ctx, place);
        self.in_one_part(state, place, size)
    }

    /// Finds the object that a pointer means, for what concerns the object and not its bytes: other possible ones are always followed in
    /// new states.
    pub(crate) fn resolve_object(
        &mut self,
        state: &mut State,
        pointer: &Value,
        size: u64,
    ) -> Step<Place> {
        self.resolve_checked(state, pointer, size, false, false)
    }

    fn resolve_checked(
        &mut self,
        state: &mut State,
        pointer: &Value,
        size: u64,
        write: bool,
        merges: bool,
    ) -> Step<Place> {
        let place = match pointer {
            Value::Ptr(object, offset) => {
                self.check_bounds(state, *object, *offset, size)?;
                Place::At(*object, *offset)
            }
            Value::Int(address) => match self.find_or_import(state, *address) {
                Some((object, offset)) => {
                    self.check_bounds(state, object, offset, size)?;
                    Place::At(object, offset)
                }
                None => return wild(*address),
            },
            Value::Sym(term) if self.defined_again(*term) != *term => {
                let pointer = self.defined_value(state, pointer, 64);
                return self.resolve_checked(state, &pointer, size, write, merges);
            }
            Value::Sym(term) => {
                let access = Access {
                    pointer: *term,
                    size,
                    write,
                    merges,
                };
                self.resolve_symbolic(state, access)?
            }
            Value::Part { .. } | Value::Wide(_) | Value::Agg(_) => {
                return error(
                    ErrorKind::Unsupported,
                    "an access through a value that is no pointer",
                );
            }
        };
        let object = place.object();
        let total = self.ctx.addresses.size_of(object);
        if total > u64::from(u32::MAX) && matches!(place, Place::Within(..)) {
            let what = if write { "writes to" } else { "reads from" };
            let message = format!(
                "Symbolic {what} objects larger than 4 GiB are not allowed (object size: {total} bytes)"
            );
            return error(ErrorKind::Unsupported, message);
        }
        let content = state.memory.get(object);
        if content.is_some_and(|content| content.kind == Kind::Function) {
            return error(ErrorKind::OutOfBounds, "an access to a function as data");
        }
        if write && content.is_some_and(|content| !content.writable) {
            return error(ErrorKind::ReadOnly, READ_ONLY);
        }
        Ok(place)
    }

    fn check_bounds(&self, state: &State, object: ObjectId, offset: u64, size: u64) -> Step {
        let Some(content) = state.memory.get(object) else {
            return self.no_object(object);
        };
        if offset <= content.size() && size <= content.size() - offset {
            return Ok(());
        }
        let shown = offset as i64;
        error(
            ErrorKind::OutOfBounds,
            format!(
                "access of {size} bytes at offset {shown} of {}",
                self.describe(object, content)
            ),
        )
    }

    fn no_object<T>(&self, object: ObjectId) -> Step<T> {
        if let Some(name) = self.program.external_variable(object) {
            let message = format!("the external variable `{name}` is not defined");
            return error(ErrorKind::Unsupported, message);
        }
        if self.program.function_at(object).is_some() {
            return error(ErrorKind::OutOfBounds, "an access to a function as data");
        }
        error(ErrorKind::UseAfterFree, NO_LONGER_ALIVE)
    }

    /// An object as people know it: kind, name, size, and where it was made.
    pub(crate) fn describe(&self, object: ObjectId, content: &Object) -> String {
        let name = self.program.global_name(object);
        let what = match (content.kind, name) {
            (_, Some(name)) => format!("the global object `{name}`"),
            (Kind::Heap, _) => "a heap object".to_owned(),
            (Kind::Stack, _) => "a stack object".to_owned(),
            (Kind::Global, _) => "a global object".to_owned(),
            (Kind::Function, _) => "a function".to_owned(),
            (Kind::Segment, _) => "a segment".to_owned(),
            (Kind::Native, _) => "memory of an external function".to_owned(),
        };
        let size = content.size();
        let place = self.made_at(content.origin);
        format!("{what} of {size} bytes{}", place.unwrap_or_default())
    }

    /// The function and line that made an object.
    pub(crate) fn made_at(&self, origin: Option<(u32, u32)>) -> Option<String> {
        let (function, pc) = origin?;
        let code = self.program.code(&self.ctx, function)?;
        let place = self.location(&code, pc);
        Some(match place.line {
            0 => format!(", made in {}", place.function),
            line => format!(", made in {} at {}:{line}", place.function, place.file),
        })
    }

    /// A value without choices that the path rules out.
    fn narrowed(&mut self, state: &State, value: Value, ty: &MemTy) -> Value {
        match (&value, ty) {
            (Value::Sym(term), MemTy::Scalar(bits)) if *bits > 1 => {
                let narrow = self.chain.narrowed(&state.constraints, *term);
                self.ctx.value(narrow, *bits)
            }
            _ => value,
        }
    }

    fn resolve_symbolic(&mut self, state: &mut State, access: Access) -> Step<Place> {
        let Access { pointer, size, .. } = access;
        if let Some(&(_, object)) = state.decided.iter().find(|(known, _)| *known == pointer) {
            return Ok(self.within(object, pointer));
        }
        let candidates = self.candidates(pointer);
        if candidates.is_empty() {
            self.forbid_external_pointer(pointer)?;
        }
        if let [(object, true)] = candidates[..] {
            return self.resolve_known(state, object, pointer, size);
        }
        if access.merges
            && let Some(place) = self.resolve_structured(state, pointer, size, access.write)?
        {
            return Ok(place);
        }
        let (alive, dead) = candidates
            .into_iter()
            .map(|(object, _)| object)
            .partition(|&object| state.memory.get(object).is_some());
        self.resolve_among(state, alive, &Dead(dead), access)
    }

    /// The place of an access that the path has in an object.
    fn within(&self, object: ObjectId, pointer: Term) -> Place {
        let base = self.ctx.addresses.symbol(&self.ctx.terms, object);
        let offset = offset_inside(&self.ctx, pointer, base);
        debug_assert_eq!(
            self.ctx.terms.width(offset),
            64,
            "offsets are as wide as pointers"
        );
        match self.ctx.terms.as_u64(offset) {
            Some(offset) => Place::At(object, offset),
            None => Place::Within(object, offset, Reach::Whole),
        }
    }

    /// The condition that an access lies in an object.
    fn bounds(&self, state: &State, object: ObjectId, pointer: Term, size: u64) -> Term {
        let Some(content) = state.memory.get(object) else {
            return Term::FALSE;
        };
        if content.size() < size || content.kind == Kind::Function {
            return Term::FALSE;
        }
        debug_assert!(content.kind != Kind::Segment, "no pointer means a segment");
        let terms = &self.ctx.terms;
        let base = self.ctx.addresses.symbol(terms, object);
        let offset = offset_from(terms, pointer, base);
        terms.bv_ult(offset, terms.bv(64, content.size() - size + 1))
    }

    /// A pointer that is one object's base plus something.
    fn resolve_known(
        &mut self,
        state: &mut State,
        object: ObjectId,
        pointer: Term,
        size: u64,
    ) -> Step<Place> {
        if state.memory.get(object).is_none() {
            return self.no_object(object);
        }
        let fits = self.bounds(state, object, pointer, size);
        let bad = self.ctx.terms.not(fits);
        match self.truth(state, bad)? {
            Truth::False => {}
            truth => {
                // words only where they are needed: most accesses are in bounds
                let described = match state.memory.get(object) {
                    Some(content) => self.describe(object, content),
                    None => String::new(),
                };
                if truth == Truth::True {
                    let message = format!("access of {size} bytes lies outside of {described}");
                    return error(ErrorKind::OutOfBounds, message);
                }
                let message = format!("access of {size} bytes may lie outside of {described}");
                self.report_fork(state, bad, ErrorKind::OutOfBounds, &message);
                self.assume(state, fits);
            }
        }
        Ok(self.within(object, pointer))
    }

    fn resolve_among(
        &mut self,
        state: &mut State,
        mut objects: Vec<ObjectId>,
        dead: &Dead,
        access: Access,
    ) -> Step<Place> {
        let Access { pointer, size, .. } = access;
        self.leave_out_impossible(state, &mut objects, pointer, size);
        self.likeliest_first(state, &mut objects, pointer);
        let mut possible: Vec<(ObjectId, Term)> = Vec::new();
        let mut outside: Vec<Term> = Vec::new();
        let mut next = 0;
        let rest = loop {
            while next < objects.len() {
                let object = objects[next];
                next += 1;
                let fits = self.bounds(state, object, pointer, size);
                if next == 1 {
                    // the likeliest one: if it is the only one, this is the only question
                    match self.truth(state, fits)? {
                        Truth::False => continue,
                        Truth::True => return Ok(self.within(object, pointer)),
                        _ => {}
                    }
                } else if !self.may(state, fits)? {
                    continue;
                }
                possible.push((object, fits));
                outside.push(self.ctx.terms.not(fits));
            }
            // what remains: an error, unless it is an object whose address lost its name
            let rest = self.ctx.terms.and(&outside);
            let remains = match rest {
                Term::TRUE => Some(true),
                _ => self
                    .chain
                    .may_be_true(&state.constraints, rest, Purpose::Program),
            };
            match remains {
                Some(false) => break None,
                None => return self.undecided(),
                Some(true) => {}
            }
            let mut left = state.constraints.clone();
            self.chain.assume(&mut left, rest);
            let Some(address) = self.chain.minimum(&left, pointer) else {
                return self.undecided();
            };
            match self.find_or_import(state, address as u64) {
                Some((object, _)) if !objects.contains(&object) => {
                    if objects.len() >= MAX_RESOLUTIONS {
                        let message = format!("a pointer into more than {MAX_RESOLUTIONS} objects");
                        return error(ErrorKind::Unsupported, message);
                    }
                    objects.push(object)
                }
                _ => break Some((rest, address as u64)),
            }
        };
        debug_assert_eq!(
            possible.len(),
            outside.len(),
            "one way to be outside of each object"
        );
        if let Some((rest, address)) = rest {
            let (kind, mut message) = match dead.contains(&self.ctx, address) {
                true => (ErrorKind::UseAfterFree, NO_LONGER_ALIVE.to_owned()),
                false => wild_message(address),
            };
            if access.merges && kind == ErrorKind::OutOfBounds {
                let named = self.outside_of(state, rest, pointer, size);
                message = named.unwrap_or(message);
            }
            if possible.is_empty() {
                return error(kind, message);
            }
            self.report_fork(state, rest, kind, &message);
        }
        if access.merges
            && possible.len() > 1
            && let Some(place) =
                self.resolve_merged(state, &mut possible, pointer, size, access.write)?
        {
            return Ok(place);
        }
        let Some(&(first, condition)) = possible.first() else {
            return error(ErrorKind::OutOfBounds, "access outside of every object");
        };
        for &(object, fits) in &possible[1..] {
            if let Some(mut other) = self.fork(state, fits) {
                other.decided.push((pointer, object));
                self.spawned.push(other);
            }
        }
        self.assume(state, condition);
        if possible.len() > 1 {
            state.depth += 1;
            state.decided.push((pointer, first));
        }
        Ok(self.within(first, pointer))
    }

    /// Whether a condition is possible; an undecided one ends the path.
    pub(super) fn may(&mut self, state: &State, condition: Term) -> Step<bool> {
        match condition {
            Term::TRUE => return Ok(true),
            Term::FALSE => return Ok(false),
            _ => {}
        }
        match self
            .chain
            .may_be_true(&state.constraints, condition, Purpose::Program)
        {
            Some(answer) => Ok(answer),
            None => self.undecided(),
        }
    }

    pub(crate) fn undecided<T>(&self) -> Step<T> {
        let reason = self
            .chain
            .unknown_reason()
            .unwrap_or("no reason given")
            .to_owned();
        Err(Stop(Box::new(Outcome::Unknown(reason))))
    }

    /// Allocates an object that is filled with zeroes.
    pub(crate) fn allocate(
        &mut self,
        state: &mut State,
        size: u64,
        align: u64,
        region: Region,
    ) -> ObjectId {
        self.make_object(state, size, (align, region), true)
    }

    /// As [`allocate`](Self::allocate), with contents that are not defined.
    pub(crate) fn allocate_unwritten(
        &mut self,
        state: &mut State,
        size: u64,
        align: u64,
        region: Region,
    ) -> ObjectId {
        self.make_object(state, size, (align, region), false)
    }

    fn make_object(
        &mut self,
        state: &mut State,
        size: u64,
        (align, region): (u64, Region),
        is_written: bool,
    ) -> ObjectId {
        self.objects += 1;
        self.allocated = self.allocated.saturating_add(size);
        let mut object = Object::zeroed(region.kind(), size);
        object.origin = Some((state.top.code.function, state.top.pc));
        if !is_written {
            object.forget_all();
        }
        let policy = (self.settings.allocator, &self.shared);
        state
            .memory
            .allocate(&self.ctx, policy, object, align, region)
    }

    pub(super) fn memory_op(&mut self, state: &mut State, code: &Rc<Code>, op: &Op) -> Step {
        let get = |state: &State, opd: Opd| fetch(code, &state.top.registers, opd).clone();
        match op {
            Op::LoadParts { dst, ptr, ty } => {
                let pointer = get(state, *ptr);
                let value = self.load(state, &pointer, ty)?;
                state.top.registers[*dst as usize] = value;
            }
            Op::StoreParts { value, ptr, ty } => {
                let (pointer, value) = (get(state, *ptr), get(state, *value));
                self.store(state, &pointer, ty, &value)?;
            }
            Op::Alloca {
                dst,
                size,
                count,
                align,
                escapes,
            } => {
                let count = match count {
                    Some((opd, width)) => {
                        let value = get(state, *opd);
                        self.stack_count(state, &value, *width, *size)?
                    }
                    None => 1,
                };
                let size = u128::from(*size) * count;
                if size > u128::from(self.settings.max_allocation) {
                    return error(
                        ErrorKind::StackOverflow,
                        format!("a stack object of {size} bytes"),
                    );
                }
                if !Object::has_room(size as u64) {
                    let message = format!("no memory is left for a stack object of {size} bytes");
                    return error(ErrorKind::Unsupported, message);
                }
                let region = if *escapes {
                    Region::Stack
                } else {
                    Region::Local
                };
                let object = self.allocate_unwritten(state, size as u64, u64::from(*align), region);
                state.top.allocas.push(object);
                state.top.registers[*dst as usize] = Value::Ptr(object, 0);
            }
            Op::AtomicRmw {
                op,
                dst,
                ptr,
                value,
                bits,
            } => {
                let (pointer, operand) = (get(state, *ptr), get(state, *value));
                let ty = MemTy::Scalar(*bits);
                let place = self.resolve(state, &pointer, ty.size(), true)?;
                let old = self.read_place(state, place, &ty);
                let new = self.atomic(*op, *bits, &old, &operand)?;
                self.write_place(state, place, &ty, &new);
                state.top.registers[*dst as usize] = old;
            }
            Op::CmpXchg {
                dst,
                ptr,
                old,
                new,
                bits,
            } => {
                let (pointer, expected, new) =
                    (get(state, *ptr), get(state, *old), get(state, *new));
                let ty = MemTy::Scalar(*bits);
                let place = self.resolve(state, &pointer, ty.size(), true)?;
                let found = self.read_place(state, place, &ty);
                let equal =
                    crate::arith::compare(&self.ctx, IntPredicate::Eq, *bits, &found, &expected);
                let stored = self.select(&equal, &new, &found, *bits);
                self.write_place(state, place, &ty, &stored);
                state.top.registers[*dst as usize] = Value::Agg([found, equal].into());
            }
            Op::VaArg { dst, list, ty } => {
                // System V: the third word of the list points to the next argument in memory
                let list = get(state, *list);
                let slot = self.offset(&list, 8);
                let area = self.load(state, &slot, &MemTy::Scalar(64))?;
                let value = self.load(state, &area, ty)?;
                let next = self.offset(&area, ty.size().div_ceil(8) * 8);
                self.store(state, &slot, &MemTy::Scalar(64), &next)?;
                state.top.registers[*dst as usize] = value;
            }
            Op::Begin { ptr, size } => {
                let size = size.map(|size| get(state, size));
                // what was merged into a segment keeps its bytes
                let is_whole = |content: &Object| match size {
                    Some(Value::Int(size)) => size == content.held() || size as i64 == -1,
                    _ => true,
                };
                let serial = state.memory.next_serial();
                if let Value::Ptr(object, 0) = get(state, *ptr)
                    && let Some(content) = state.memory.get_mut(object)
                    && content.kind == Kind::Stack
                    && content.home().is_none()
                    && is_whole(content)
                {
                    content.begin_anew(serial);
                }
            }
            _ => return error(ErrorKind::Unsupported, "an unknown memory instruction"),
        }
        Ok(())
    }

    fn atomic(&mut self, op: AtomicOp, bits: u32, old: &Value, operand: &Value) -> Step<Value> {
        let binary = |op| crate::arith::binary(&self.ctx, op, bits, old, operand);
        let pick = |pred| {
            let first = crate::arith::compare(&self.ctx, pred, bits, old, operand);
            self.select(&first, old, operand, bits)
        };
        Ok(match op {
            AtomicOp::Xchg => operand.clone(),
            AtomicOp::Add => binary(BinaryOp::Add),
            AtomicOp::Sub => binary(BinaryOp::Sub),
            AtomicOp::And => binary(BinaryOp::And),
            AtomicOp::Or => binary(BinaryOp::Or),
            AtomicOp::Xor => binary(BinaryOp::Xor),
            AtomicOp::Nand => {
                let both = binary(BinaryOp::And);
                let ones = Value::wide(u128::MAX, bits);
                crate::arith::binary(&self.ctx, BinaryOp::Xor, bits, &both, &ones)
            }
            AtomicOp::Max => pick(IntPredicate::Sgt),
            AtomicOp::Min => pick(IntPredicate::Slt),
            AtomicOp::UMax => pick(IntPredicate::Ugt),
            AtomicOp::UMin => pick(IntPredicate::Ult),
            AtomicOp::FAdd | AtomicOp::FSub => {
                return error(ErrorKind::Unsupported, "atomic floating-point arithmetic");
            }
        })
    }
}

/// An access through a symbolic pointer.
#[derive(Clone, Copy)]
struct Access {
    pointer: Term,
    size: u64,
    write: bool,
    /// Whether objects may be merged.
    merges: bool,
}

pub(super) const READ_ONLY: &str = "a write to read-only memory";
const NO_LONGER_ALIVE: &str = "access to an object that is no longer alive";

/// Objects a pointer is made of that are no longer alive.
struct Dead(Vec<ObjectId>);

impl Dead {
    fn contains(&self, ctx: &Ctx, address: u64) -> bool {
        let addresses = &ctx.addresses;
        self.0.iter().any(|&object| {
            let offset = address.wrapping_sub(addresses.base_of(object));
            offset < addresses.size_of(object).max(1)
        })
    }
}

fn wild<T>(address: u64) -> Step<T> {
    let (kind, message) = wild_message(address);
    error(kind, message)
}

fn wild_message(address: u64) -> (ErrorKind, String) {
    if address < NULL_PAGE {
        return (
            ErrorKind::Null,
            format!("access through a null pointer (address {address:#x})"),
        );
    }
    (
        ErrorKind::OutOfBounds,
        format!("access to address {address:#x}, which is in no object"),
    )
}

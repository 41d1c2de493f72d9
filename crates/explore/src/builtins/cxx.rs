//! The C++ runtime: exceptions, pointers to them, run-time type information, guards of static variables.
//!
//! Types are compared by the address of their `type_info`, and followed through the base classes that the compiler
//! describes there (Itanium C++ ABI §2.9.5). The kind of a description is known by the virtual table it points to, whose
//! name is enough: the C++ library itself need not be linked.

use super::{Run, arg};
use crate::address::ObjectId;
use crate::arith::compare;
use crate::code::{CallOp, MemTy};
use crate::exec::{Executor, Step, error};
use crate::left_out::LeftOutKind;
use crate::memory::{Region, read_parts};
use crate::report::ErrorKind;
use crate::state::{Caught, State, Thrown};
use crate::value::Value;
use stet_llvm::IntPredicate;

pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "__cxa_allocate_exception" => |executor, state, _, args| {
            let size = executor.concrete(state, &arg(args, 0), 64, "the size of an exception")?;
            let size = (size as u64).min(executor.settings.max_allocation);
            let object = executor.allocate(state, size, 16, Region::Heap);
            Ok(Some(Value::Ptr(object, 0)))
        },
        "__cxa_free_exception" => |_, state, _, args| {
            if let Value::Ptr(object, 0) = arg(args, 0) {
                state.memory.remove(object);
            }
            Ok(None)
        },
        "__cxa_throw" => throw,
        "__cxa_rethrow" => rethrow,
        "__cxa_begin_catch" => begin_catch,
        "__cxa_end_catch" => end_catch,
        "__cxa_uncaught_exceptions" => |_, state, _, _| {
            let flying = state.exceptions.iter().filter(|thrown| thrown.flying);
            Ok(Some(Value::Int(flying.count() as u64)))
        },
        "__cxa_current_exception_type" => |_, state, _, _| {
            let current = state.caught.last().and_then(|&object| state.thrown(object));
            Ok(Some(
                current.map_or(Value::Int(0), |thrown| thrown.type_info.clone()),
            ))
        },
        "__cxa_init_primary_exception" => |_, state, _, args| {
            if let Value::Ptr(object, 0) = arg(args, 0) {
                state.throw(Thrown {
                    flying: false,
                    ..thrown_object(object, args)
                });
            }
            Ok(Some(arg(args, 0)))
        },
        "__cxa_current_primary_exception" => |_, state, _, _| {
            let Some(&object) = state.caught.last() else {
                return Ok(Some(Value::Int(0)));
            };
            state.count_pointer(object, 1);
            Ok(Some(Value::Ptr(object, 0)))
        },
        "__cxa_increment_exception_refcount" => |_, state, _, args| {
            if let Value::Ptr(object, 0) = arg(args, 0) {
                state.count_pointer(object, 1);
            }
            Ok(None)
        },
        "__cxa_decrement_exception_refcount" => |executor, state, call, args| {
            if let Value::Ptr(object, 0) = arg(args, 0) {
                state.count_pointer(object, -1);
                destroy_unused(executor, state, call, object);
            }
            Ok(None)
        },
        "__cxa_rethrow_primary_exception" => |executor, state, _, args| {
            if let Value::Ptr(object, 0) = arg(args, 0) {
                executor.unwind(state, object)?;
            }
            Ok(None)
        },
        "__cxa_get_exception_ptr" => {
            |executor, state, _, args| adjusted(executor, state, &arg(args, 0)).map(Some)
        }
        "_Unwind_Resume" | "_Unwind_Resume_or_Rethrow" => |executor, state, _, args| {
            executor.resume(state, &arg(args, 0))?;
            Ok(None)
        },
        "__cxa_guard_acquire" => |executor, state, _, args| {
            let done = executor.load(state, &arg(args, 0), &MemTy::Scalar(8))?;
            let done = executor.concrete(state, &done, 8, "the guard of a static variable")?;
            Ok(Some(Value::Int(u64::from(done == 0))))
        },
        "__cxa_guard_release" => |executor, state, _, args| {
            executor.store(state, &arg(args, 0), &MemTy::Scalar(8), &Value::Int(1))?;
            Ok(None)
        },
        "__cxa_guard_abort" => |_, _, _, _| Ok(None),
        "__cxa_bad_cast" => {
            |_, _, _, _| error(ErrorKind::Abort, "a bad dynamic_cast of a reference")
        }
        "__cxa_bad_typeid" => |_, _, _, _| error(ErrorKind::Null, "typeid of a null pointer"),
        "__cxa_throw_bad_array_new_length" => {
            |_, _, _, _| error(ErrorKind::Abort, "new of an array with a bad length")
        }
        "__cxa_deleted_virtual" => {
            |_, _, _, _| error(ErrorKind::Abort, "a deleted virtual function was called")
        }
        "__dynamic_cast" => dynamic_cast,
        _ => return None,
    })
}

fn throw(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let Value::Ptr(object, 0) = arg(args, 0) else {
        return error(
            ErrorKind::Unsupported,
            "a thrown object at a symbolic address",
        );
    };
    state.throw(thrown_object(object, args));
    executor.unwind(state, object)?;
    Ok(None)
}

/// An object that is thrown, with the arguments of `__cxa_throw`.
fn thrown_object(object: ObjectId, args: &[Value]) -> Thrown {
    Thrown {
        object,
        type_info: arg(args, 1),
        destructor: arg(args, 2),
        caught: Caught::Part(0),
        handlers: 0,
        pointers: 0,
        flying: true,
    }
}

fn rethrow(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    _: &[Value],
) -> Step<Option<Value>> {
    let Some(object) = state.caught.last().copied() else {
        return error(ErrorKind::Abort, "a rethrow without an exception");
    };
    executor.unwind(state, object)?;
    Ok(None)
}

/// What a handler sees of a thrown object: the address of a part, or the pointer that was thrown.
fn adjusted(executor: &mut Executor<'_>, state: &mut State, exception: &Value) -> Step<Value> {
    let Value::Ptr(object, 0) = *exception else {
        return Ok(exception.clone());
    };
    let caught = state.thrown(object).map(|thrown| thrown.caught);
    Ok(match caught {
        Some(Caught::Part(offset)) => Value::Ptr(object, offset),
        Some(Caught::Null) => Value::Int(0),
        Some(Caught::Pointer(offset)) => {
            let place = Value::Ptr(object, 0);
            let pointer = executor.load(state, &place, &MemTy::Scalar(64))?;
            let moved = executor.offset(&pointer, offset);
            let null = Value::Int(0);
            let is_null = compare(&executor.ctx, IntPredicate::Eq, 64, &pointer, &null);
            executor.select(&is_null, &null, &moved, 64)
        }
        None => exception.clone(),
    })
}

fn begin_catch(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let exception = arg(args, 0);
    let Value::Ptr(object, 0) = exception else {
        return error(ErrorKind::Unsupported, "a symbolic exception");
    };
    state.caught.push(object);
    state.count_handler(object, 1);
    adjusted(executor, state, &exception).map(Some)
}

fn end_catch(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    _: &[Value],
) -> Step<Option<Value>> {
    let Some(object) = state.caught.pop() else {
        return Ok(None);
    };
    state.count_handler(object, -1);
    destroy_unused(executor, state, call, object);
    Ok(None)
}

/// Runs the destructor of a thrown object that nobody can reach any more.
fn destroy_unused(executor: &mut Executor<'_>, state: &mut State, call: &CallOp, object: ObjectId) {
    let Some(thrown) = state.thrown(object) else {
        return;
    };
    if thrown.handlers <= 0
        && thrown.pointers <= 0
        && !thrown.flying
        && let Value::Ptr(function, 0) = thrown.destructor
        && let Some(function) = executor.program.function_at(function)
    {
        executor.enter_function(state, function, &[Value::Ptr(object, 0)], call.normal);
    }
}

/// How a type is described.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Described {
    /// A class without bases, a number, an enumeration, or a type whose description is elsewhere.
    Plain,
    /// A class with one public base at its start.
    Single,
    /// A class with any bases.
    Many,
    Pointer,
    PointerToMember,
    Function,
}

/// A base class, as the description of a class names it.
enum Base {
    /// With its offset in the whole object.
    Public(ObjectId, u64),
    Private,
    /// There is no such entry.
    Missing,
}

/// How many classes of a hierarchy are looked at.
const MAX_BASES: usize = 4096;

impl Executor<'_> {
    fn word(&self, state: &State, object: ObjectId, at: u64) -> Option<Value> {
        let content = state.memory.get(object)?;
        let fits = at.checked_add(8)? <= content.size();
        let (holder, at) = state.memory.home(object, at);
        let content = state.memory.get(holder)?;
        fits.then(|| read_parts(&self.ctx, content, at as usize, &MemTy::Scalar(64)))
    }

    /// The name of the variable whose address a value is, if no module defines it.
    fn external(&self, value: &Value) -> Option<String> {
        match value {
            Value::Ptr(object, _) => self.program.external_variable(*object),
            _ => None,
        }
    }

    /// The kind of a type's description.
    pub(crate) fn kind_of(&self, state: &State, type_info: &Value) -> Step<Described> {
        let Value::Ptr(object, 0) = type_info else {
            return Ok(Described::Plain);
        };
        if let Some(name) = self.program.external_variable(*object) {
            let pointer = name.starts_with("_ZTIP");
            return Ok(if pointer {
                Described::Pointer
            } else {
                Described::Plain
            });
        }
        let Some(table) = self.word(state, *object, 0) else {
            return Ok(Described::Plain);
        };
        let name = match self.external(&table) {
            Some(name) => name,
            None => match table {
                Value::Ptr(object, _) => self.program.global_name(object).unwrap_or_default(),
                _ => String::new(),
            },
        };
        Ok(match name.as_str() {
            _ if name.contains("__si_class_type_info") => Described::Single,
            _ if name.contains("__vmi_class_type_info") => Described::Many,
            _ if name.contains("__pointer_type_info") => Described::Pointer,
            _ if name.contains("__pointer_to_member_type_info") => Described::PointerToMember,
            _ if name.contains("__function_type_info") => Described::Function,
            _ => Described::Plain,
        })
    }

    /// Whether a handler for a type catches a thrown object, and what of it [Itanium C++ ABI §2.5.5].
    pub(crate) fn catches(
        &self,
        state: &State,
        wanted: &Value,
        thrown: &Thrown,
    ) -> Step<Option<Caught>> {
        let Value::Ptr(source, 0) = thrown.type_info else {
            return Ok(matches!(wanted, Value::Int(_)).then_some(Caught::Part(0)));
        };
        let is_pointer = self.kind_of(state, &thrown.type_info)? == Described::Pointer;
        let whole = match is_pointer {
            true => Caught::Pointer(0),
            false => Caught::Part(0),
        };
        let Value::Ptr(target, 0) = *wanted else {
            return Ok(Some(whole)); // `catch (...)`
        };
        if target == source {
            return Ok(Some(whole));
        }
        let is_null = self.is_named(&thrown.type_info, "_ZTIDn");
        match self.kind_of(state, wanted)? {
            Described::Pointer if is_null => return Ok(Some(Caught::Null)),
            Described::Pointer if is_pointer => {
                let pointer = self.word(state, thrown.object, 0);
                let found = self.pointer_converts(state, target, source, pointer)?;
                return Ok(found.map(Caught::Pointer));
            }
            Described::Pointer => return Ok(None),
            Described::PointerToMember if is_null => {
                let what = "a thrown nullptr that a pointer to a member catches";
                return error(ErrorKind::Unsupported, what);
            }
            Described::PointerToMember => {
                let caught = self.member_converts(state, target, &thrown.type_info)?;
                return Ok(caught.then_some(whole));
            }
            _ => {}
        }
        let found = self.base_at(state, target, source, Some((thrown.object, 0)))?;
        Ok(found.map(Caught::Part))
    }

    /// Whether a type is the one with a name, wherever it is described.
    fn is_named(&self, type_info: &Value, name: &str) -> bool {
        let Value::Ptr(object, 0) = type_info else {
            return false;
        };
        let known = self.program.external_variable(*object);
        known
            .or_else(|| self.program.global_name(*object))
            .as_deref()
            == Some(name)
    }

    /// Whether pointers of a type are caught as another: how far the pointer moves.
    fn pointer_converts(
        &self,
        state: &State,
        target: ObjectId,
        source: ObjectId,
        pointer: Option<Value>,
    ) -> Step<Option<u64>> {
        let Some((to, from)) = self.pointees(state, target, source) else {
            return Ok(None);
        };
        if to == from {
            return Ok(Some(0));
        }
        let types = (Value::Ptr(to, 0), Value::Ptr(from, 0));
        if self.is_named(&types.0, "_ZTIv") {
            let is_function = self.kind_of(state, &types.1)? == Described::Function;
            return Ok((!is_function).then_some(0));
        }
        if self.kind_of(state, &types.0)? == Described::Pointer {
            return self.pointers_of_pointers(state, target, (to, from));
        }
        let place = match pointer {
            Some(Value::Ptr(object, at)) => Some((object, at)),
            _ => None,
        };
        self.base_at(state, to, from, place)
    }

    /// Whether pointers to members are caught as others: of the same class and type, with more qualifiers.
    fn member_converts(&self, state: &State, target: ObjectId, thrown: &Value) -> Step<bool> {
        let Value::Ptr(source, 0) = *thrown else {
            return Ok(false);
        };
        if self.kind_of(state, thrown)? != Described::PointerToMember {
            return Ok(false);
        }
        let class = |object| match self.word(state, object, 32) {
            Some(Value::Ptr(class, 0)) => Some(class),
            _ => None,
        };
        let same = self.pointees(state, target, source);
        Ok(same.is_some_and(|(to, from)| to == from) && class(target) == class(source))
    }

    /// What two pointer types point to, if the conversion takes no qualifier away and adds no promise about functions.
    fn pointees(
        &self,
        state: &State,
        target: ObjectId,
        source: ObjectId,
    ) -> Option<(ObjectId, ObjectId)> {
        /// `const`, `volatile`, `restrict`.
        const KEPT: u64 = 7;
        /// `transaction_safe`, `noexcept`.
        const NOT_ADDED: u64 = 0x60;
        let (to, from) = (
            self.qualifiers(state, target)?,
            self.qualifiers(state, source)?,
        );
        if from & !to & KEPT != 0 || to & !from & NOT_ADDED != 0 {
            return None;
        }
        match (self.word(state, target, 24)?, self.word(state, source, 24)?) {
            (Value::Ptr(to, 0), Value::Ptr(from, 0)) => Some((to, from)),
            _ => None,
        }
    }

    /// The flags in the description of a pointer type.
    fn qualifiers(&self, state: &State, pointer: ObjectId) -> Option<u64> {
        match self.word(state, pointer, 16) {
            Some(Value::Int(flags)) => Some(flags & 0xffff_ffff),
            _ => None,
        }
    }

    /// Pointers to pointers convert to ones with more qualifiers, if every level but the last is `const`.
    fn pointers_of_pointers(
        &self,
        state: &State,
        mut outer: ObjectId,
        (mut to, mut from): (ObjectId, ObjectId),
    ) -> Step<Option<u64>> {
        const CONST: u64 = 1;
        for _ in 0..MAX_BASES {
            if to == from {
                return Ok(Some(0));
            }
            let is_const = self.qualifiers(state, outer).unwrap_or(0) & CONST != 0;
            let are_pointers = self.kind_of(state, &Value::Ptr(to, 0))? == Described::Pointer
                && self.kind_of(state, &Value::Ptr(from, 0))? == Described::Pointer;
            if !is_const || !are_pointers {
                return Ok(None);
            }
            let Some(next) = self.pointees(state, to, from) else {
                return Ok(None);
            };
            outer = to;
            (to, from) = next;
        }
        Ok(None)
    }

    /// Where in an object of one class, which is at `place`, its only public part of another class is.
    fn base_at(
        &self,
        state: &State,
        target: ObjectId,
        source: ObjectId,
        place: Option<(ObjectId, u64)>,
    ) -> Step<Option<u64>> {
        let places = self.bases(state, source, place)?;
        let mut found = places.iter().filter(|(class, _)| *class == target);
        Ok(match (found.next(), found.next()) {
            (Some(&(_, offset)), None) => Some(offset),
            _ => None, // no base, or an ambiguous one
        })
    }

    /// The bases of a class, itself included, with their offsets in the whole object at `place`, each once.
    fn bases(
        &self,
        state: &State,
        class: ObjectId,
        place: Option<(ObjectId, u64)>,
    ) -> Step<Vec<(ObjectId, u64)>> {
        let mut found = Vec::new();
        let mut pending = vec![(class, 0u64)];
        while let Some((class, offset)) = pending.pop() {
            if found.len() >= MAX_BASES {
                return error(ErrorKind::Unsupported, "a class with too many bases");
            }
            if found.contains(&(class, offset)) {
                continue; // a virtual base, seen through another class
            }
            found.push((class, offset));
            match self.kind_of(state, &Value::Ptr(class, 0))? {
                Described::Single => {
                    if let Some(Value::Ptr(base, 0)) = self.word(state, class, 16) {
                        pending.push((base, offset));
                    }
                }
                Described::Many => {
                    let Some(Value::Int(header)) = self.word(state, class, 16) else {
                        continue;
                    };
                    for k in 0..header >> 32 {
                        match self.base(state, class, k, offset, place)? {
                            Base::Public(base, at) => pending.push((base, at)),
                            Base::Private => {}
                            Base::Missing => break,
                        }
                    }
                }
                Described::Plain
                | Described::Pointer
                | Described::PointerToMember
                | Described::Function => {}
            }
        }
        Ok(found)
    }

    /// A direct base of a class whose part of the object at `place` is at an offset.
    fn base(
        &self,
        state: &State,
        class: ObjectId,
        number: u64,
        offset: u64,
        place: Option<(ObjectId, u64)>,
    ) -> Step<Base> {
        const VIRTUAL: u64 = 1;
        const PUBLIC: u64 = 2;
        let entry = 24 + number * 16;
        let parts = (
            self.word(state, class, entry),
            self.word(state, class, entry + 8),
        );
        let (Some(Value::Ptr(base, 0)), Some(Value::Int(flags))) = parts else {
            return Ok(Base::Missing);
        };
        let mut at = (flags as i64 >> 8) as u64;
        if flags & VIRTUAL != 0 {
            // what stands there is where the table of virtual functions has the offset
            let table = place
                .and_then(|(object, start)| self.word(state, object, start.wrapping_add(offset)));
            let in_table = match table {
                Some(Value::Ptr(table, start)) => self.word(state, table, start.wrapping_add(at)),
                _ => None,
            };
            let Some(Value::Int(found)) = in_table else {
                return error(
                    ErrorKind::Unsupported,
                    "a virtual base of an object that cannot be looked into",
                );
            };
            at = found;
        }
        Ok(match flags & PUBLIC {
            0 => Base::Private,
            _ => Base::Public(base, offset.wrapping_add(at)),
        })
    }

    /// The name of a type, for messages.
    pub(crate) fn type_name(&mut self, state: &mut State, type_info: &Value) -> String {
        if let Some(name) = self.external(type_info) {
            return name.trim_start_matches("_ZTI").to_owned();
        }
        let place = self.offset(type_info, 8);
        let name = self.load(state, &place, &MemTy::Scalar(64));
        let text = name.and_then(|name| super::klee::string(self, state, &name));
        text.unwrap_or_else(|_| "unknown".to_owned())
    }
}

/// `__dynamic_cast(object, static type, wanted type, hint)`.
fn dynamic_cast(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let source = arg(args, 0);
    let word = MemTy::Scalar(64);
    let table = executor.load(state, &source, &word)?;
    let top = executor.load(state, &executor.offset(&table, 16u64.wrapping_neg()), &word)?;
    let class = executor.load(state, &executor.offset(&table, 8u64.wrapping_neg()), &word)?;
    let top = executor.concrete(state, &top, 64, "the place of a base class")? as u64;
    let (Value::Ptr(class, 0), Value::Ptr(wanted, 0)) = (class, arg(args, 2)) else {
        executor.leave_out(
            state,
            LeftOutKind::Refused,
            "a dynamic_cast of a symbolic object",
        );
        return error(
            ErrorKind::Unsupported,
            "a dynamic_cast of a symbolic object",
        );
    };
    let whole = executor.offset(&source, top);
    let place = match whole {
        Value::Ptr(object, at) => Some((object, at)),
        _ => None,
    };
    let found = executor.base_at(state, wanted, class, place)?;
    Ok(Some(match found {
        Some(offset) => executor.offset(&whole, offset),
        None => Value::Int(0),
    }))
}

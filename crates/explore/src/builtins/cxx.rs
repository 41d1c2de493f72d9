//! The C++ runtime: exceptions, pointers to them, run-time type information, guards of static variables.
//!
//! Types are compared by the address of their `type_info`, and followed through the base classes that the compiler
//! describes there (Itanium C++ ABI §2.9.5). The kind of a description is known by the virtual table it points to, whose
//! name is enough: the C++ library itself need not be linked.

use super::{Run, arg};
use crate::address::ObjectId;
use crate::code::{CallOp, MemTy};
use crate::exec::{Executor, Step, error};
use crate::left_out::LeftOutKind;
use crate::memory::{Region, read_parts};
use crate::report::ErrorKind;
use crate::state::{State, Thrown};
use crate::value::Value;

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
        "__cxa_get_exception_ptr" => |_, state, _, args| Ok(Some(adjusted(state, &arg(args, 0)))),
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
        adjustment: 0,
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

/// The address of the part of a thrown object that its handler catches.
fn adjusted(state: &State, exception: &Value) -> Value {
    match exception {
        Value::Ptr(object, 0) => match state.thrown(*object) {
            Some(thrown) => Value::Ptr(*object, thrown.adjustment),
            None => exception.clone(),
        },
        other => other.clone(),
    }
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
    // a pointer that was thrown is caught as itself, not as the place it is kept in
    let by_value = match state.thrown(object) {
        Some(thrown) => executor.kind_of(state, &thrown.type_info)? == Described::Pointer,
        None => false,
    };
    let place = adjusted(state, &exception);
    match by_value {
        true => Ok(Some(executor.load(
            state,
            &Value::Ptr(object, 0),
            &MemTy::Scalar(64),
        )?)),
        false => Ok(Some(place)),
    }
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
            _ => Described::Plain,
        })
    }

    /// Whether a handler for a type catches a thrown object: the offset of the caught part.
    pub(crate) fn catches(
        &self,
        state: &State,
        wanted: &Value,
        thrown: &Thrown,
    ) -> Step<Option<u64>> {
        let place = Some((thrown.object, 0));
        self.converts(state, wanted, &thrown.type_info, place)
    }

    /// Whether an object of one type is caught as another; virtual bases are found in the object at `place`.
    fn converts(
        &self,
        state: &State,
        wanted: &Value,
        thrown: &Value,
        place: Option<(ObjectId, u64)>,
    ) -> Step<Option<u64>> {
        let Value::Ptr(target, 0) = wanted else {
            return Ok(Some(0)); // `catch (...)`
        };
        let Value::Ptr(source, 0) = thrown else {
            return Ok(None);
        };
        if target == source {
            return Ok(Some(0));
        }
        let kinds = (self.kind_of(state, wanted)?, self.kind_of(state, thrown)?);
        if kinds == (Described::Pointer, Described::Pointer) {
            let pointee = |object: ObjectId| self.word(state, object, 24);
            return match (pointee(*target), pointee(*source)) {
                // `catch (void *)`
                (Some(to), _) if self.external(&to).as_deref() == Some("_ZTIv") => Ok(Some(0)),
                (Some(to), Some(from)) => {
                    let found = self.converts(state, &to, &from, None)?;
                    match found {
                        Some(0) | None => Ok(found),
                        Some(_) => error(
                            ErrorKind::Unsupported,
                            "an exception that is a pointer to a base class at an offset",
                        ),
                    }
                }
                _ => Ok(None),
            };
        }
        let places = self.bases(state, *source, place)?;
        let mut found = places.iter().filter(|(class, _)| class == target);
        match (found.next(), found.next()) {
            (Some(&(_, offset)), None) => Ok(Some(offset)),
            _ => Ok(None), // no base, or an ambiguous one
        }
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
                Described::Plain | Described::Pointer => {}
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
    let places = executor.bases(state, class, place)?;
    let mut found = places.iter().filter(|(known, _)| *known == wanted);
    match (found.next(), found.next()) {
        (Some(&(_, offset)), None) => Ok(Some(executor.offset(&whole, offset))),
        _ => Ok(Some(Value::Int(0))),
    }
}

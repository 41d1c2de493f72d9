//! Calls of functions that are defined nowhere (`--external-calls`).
//!
//! ```text
//! arguments -> bytes; pointers in them -> objects -> pointers in these …   (gathered: what the call can reach)
//! a copy of the path's native process gets these bytes at the objects' own addresses and makes the call
//! bytes that changed -> objects; the result -> a register; the copy is the path's process from now on
//! ```
//!
//! So pointers need no translation. Memory of the process itself, which functions may return pointers to, is copied where the program
//! looks at it, and given back with the next call. Everything that is fixed, and every call, is left out of what the run claims.

use super::{Executor, Step, error, fetch};
use crate::address::ObjectId;
use crate::code::{Arg, CallOp, Code, Signature};
use crate::exec::Place;
use crate::external::{
    ExternalPolicy, ExternalWarnings, NativeCall, NativeFunction, NativeProcess, NativeRegion,
    NativeReply, NativeType,
};
use crate::left_out::LeftOutKind;
use crate::memory::{read_parts, write_parts};
use crate::object::{Byte, Kind, Object};
use crate::query::Truth;
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::{Ctx, Value};
use std::rc::Rc;
use stet_base::FastSet;
use stet_term::{Sort, Term};

/// More memory than this is not given to an external function.
const MOST_BYTES: u64 = 64 << 20;
/// How the symbols of results that may be anything begin.
const PREFIX: &str = "external.";

/// What a call can reach.
#[derive(Default)]
struct Reach {
    known: FastSet<ObjectId>,
    pending: Vec<ObjectId>,
    /// Objects in the order in which they were found, with the bytes that are given away.
    objects: Vec<(ObjectId, Vec<u8>)>,
    /// What the path has written to memory of the process itself: runs of bytes at their addresses. Whole objects cannot be given back:
    /// the process keeps its own things beside those of the function.
    natives: Vec<NativeRegion>,
    total: u64,
    /// A function of the program whose address the call can reach.
    callback: Option<ObjectId>,
}

impl Reach {
    fn add(&mut self, object: ObjectId) {
        if self.known.insert(object) {
            self.pending.push(object);
        }
    }

    /// The object that an address means, and the offset in it.
    fn find(&self, ctx: &Ctx, address: u64) -> Option<(ObjectId, u64)> {
        let around = ctx.addresses.around(address);
        let found = around.into_iter().find(|id| self.known.contains(id))?;
        Some((found, address - ctx.addresses.base_of(found)))
    }
}

impl Executor<'_> {
    /// A call of a function that is defined nowhere.
    pub(super) fn call_external(
        &mut self,
        state: &mut State,
        code: &Rc<Code>,
        call: &CallOp,
        name: String,
    ) -> Step {
        match self.settings.external.policy {
            ExternalPolicy::Refuse if self.settings.klee.no_external_calls => {
                let message = format!("Disallowed call to external function: {name}");
                error(ErrorKind::User, message)
            }
            ExternalPolicy::Refuse => error(
                ErrorKind::Undefined,
                format!("call of the external function `{name}`, which has no definition"),
            ),
            ExternalPolicy::OverApproximate => self.over_approximate(state, code, call, &name),
            ExternalPolicy::Concrete | ExternalPolicy::All => {
                self.call_native(state, code, call, NativeFunction::Named(name))
            }
        }
    }

    /// Calls a function in a copy of the path's native process.
    pub(super) fn call_native(
        &mut self,
        state: &mut State,
        code: &Rc<Code>,
        call: &CallOp,
        function: NativeFunction,
    ) -> Step {
        let name = shown_name(&function);
        let Some(signature) = call.native.as_deref() else {
            let message = format!("the external function `{name}` is called in an unusual way");
            return error(ErrorKind::Undefined, message);
        };
        let (types, result) = self.checked_signature(signature, &name)?;
        let mut reach = Reach::default();
        let mut args = Vec::new();
        for (arg, ty) in call.args.iter().zip(types) {
            let value = fetch(code, &state.top.registers, arg.value).clone();
            let bytes = self.argument(state, &mut reach, arg, &value, &name)?;
            args.push((ty, bytes));
        }
        self.gather(state, &mut reach, &name)?;
        self.tell_call(state, &name, &args);
        let call_made = NativeCall {
            function,
            args,
            result,
            regions: self.regions(&reach),
        };
        let reply = self.ask(state, &call_made, &reach, &name)?;
        let own = reach.objects.len();
        let changed = reply.regions.iter().take(own).zip(&reach.objects);
        for (after, (object, before)) in changed {
            self.take_back(state, &reach, *object, (before, after), &name)?;
        }
        if !reply.output.is_empty() {
            self.output(state, &reply.output);
        }
        let what = format!("the external function `{name}` was called natively");
        let place = self.program_place(state);
        self.left_out.record(LeftOutKind::External, &what, place);
        let value = self.native_result(signature, &reach, &reply);
        state.decided.clear();
        self.after_call(state, code, call.dst, call.normal, value);
        Ok(())
    }

    /// The types of a call that can be made.
    fn checked_signature(
        &self,
        signature: &Signature,
        name: &str,
    ) -> Step<(Vec<NativeType>, NativeType)> {
        match (&signature.args, &signature.result) {
            (Ok(args), Ok(result)) => Ok((args.clone(), result.clone())),
            (Err(what), _) => {
                let message = format!("the external function `{name}` takes {what}");
                error(ErrorKind::Undefined, message)
            }
            (_, Err(what)) => {
                let message = format!("the external function `{name}` returns {what}");
                error(ErrorKind::Undefined, message)
            }
        }
    }

    /// Makes the call in the path's process, which becomes the copy that made it.
    fn ask(
        &mut self,
        state: &mut State,
        call: &NativeCall,
        reach: &Reach,
        name: &str,
    ) -> Step<NativeReply> {
        let process = self.process(state, name)?;
        let answer = process.call(call);
        // whatever the path knew of the process may have changed
        for (object, _) in std::mem::take(&mut state.native.imported) {
            state.memory.remove(object);
        }
        state.native.calls += 1;
        match answer {
            Ok((process, reply)) => {
                state.native.process = Some(process);
                Ok(reply)
            }
            Err(failure) => {
                let mut message = format!("the external function `{name}` {failure}");
                if let Some(function) = reach.callback.and_then(|id| self.program.function_at(id)) {
                    let functions = self.program.functions.borrow();
                    let given = &functions[function as usize].name;
                    message += &format!(
                        " (it was given the address of `{given}`, which cannot be called natively)"
                    );
                }
                error(ErrorKind::Undefined, message)
            }
        }
    }

    fn process(&mut self, state: &State, name: &str) -> Step<Rc<dyn NativeProcess>> {
        if let Some(process) = &state.native.process {
            return Ok(process.clone());
        }
        if self.native_start.is_none() {
            let started = match &self.settings.external.externals {
                Some(externals) => externals.start(),
                None => Err("nothing can start processes".into()),
            };
            match started {
                Ok(process) => self.native_start = Some(process),
                Err(why) => {
                    let message = format!("the external function `{name}` cannot be called: {why}");
                    return error(ErrorKind::Undefined, message);
                }
            }
        }
        match &self.native_start {
            Some(process) => Ok(process.clone()),
            None => error(ErrorKind::Undefined, "there is no native process"),
        }
    }

    /// The bytes of an argument.
    fn argument(
        &mut self,
        state: &mut State,
        reach: &mut Reach,
        arg: &Arg,
        value: &Value,
        name: &str,
    ) -> Step<Vec<u8>> {
        if let Some(size) = arg.byval {
            let Place::At(object, offset) = self.resolve(state, value, size, false)? else {
                let message =
                    format!("a symbolic argument for the external function `{name}`: its address");
                return error(ErrorKind::Undefined, message);
            };
            return self.fixed_bytes(state, reach, object, (offset, size), name);
        }
        if let Value::Ptr(object, _) = value {
            reach.add(*object);
        }
        let ctx = self.ctx.clone();
        let mut scratch = Object::zeroed(Kind::Stack, arg.ty.size());
        write_parts(&ctx, &mut scratch, 0, &arg.ty, value);
        let bytes = self.fixed_content(state, reach, &scratch, (0, arg.ty.size()), name)?;
        if arg.is_pointer {
            self.add_address(state, reach, &bytes);
        }
        Ok(bytes)
    }

    /// Adds the object that eight bytes are an address in.
    fn add_address(&self, state: &State, reach: &mut Reach, bytes: &[u8]) {
        let Ok(bytes) = <[u8; 8]>::try_from(bytes) else {
            return;
        };
        if let Some((object, _)) = state.memory.find(&self.ctx, u64::from_le_bytes(bytes)) {
            reach.add(object);
        }
    }

    /// Follows pointers from object to object.
    fn gather(&mut self, state: &mut State, reach: &mut Reach, name: &str) -> Step {
        for (object, before) in &state.native.imported {
            let now = state.memory.snapshot(*object);
            if now.is_some_and(|now| !Rc::ptr_eq(&now, before)) {
                reach.add(*object);
            }
        }
        while let Some(object) = reach.pending.pop() {
            if self.program.function_at(object).is_some() {
                reach.callback.get_or_insert(object);
                continue;
            }
            let Some(content) = state.memory.get(object) else {
                continue;
            };
            if content.kind == Kind::Function {
                continue;
            }
            let is_native = content.kind == Kind::Native;
            let size = content.size();
            reach.total = reach.total.saturating_add(size);
            if reach.total > MOST_BYTES {
                let message = format!(
                    "the external function `{name}` can reach more than {} MiB",
                    MOST_BYTES >> 20
                );
                return error(ErrorKind::Undefined, message);
            }
            let (holder, at) = state.memory.home(object, 0);
            let bytes = self.fixed_bytes(state, reach, holder, (at, size), name)?;
            match is_native {
                true => self.add_changes(state, reach, object, &bytes),
                false => reach.objects.push((object, bytes)),
            }
        }
        Ok(())
    }

    /// Adds the bytes of imported memory that are no longer as they were.
    fn add_changes(&self, state: &State, reach: &mut Reach, object: ObjectId, bytes: &[u8]) {
        let mut imported = state.native.imported.iter();
        let Some((_, before)) = imported.find(|(known, _)| *known == object) else {
            return;
        };
        let Some(before) = before.plain_bytes(0, bytes.len()) else {
            return;
        };
        let base = self.ctx.addresses.base_of(object);
        let mut last = None;
        for (k, byte) in bytes.iter().enumerate() {
            if before[k] == *byte {
                continue;
            }
            match reach.natives.last_mut() {
                Some(region) if last == k.checked_sub(1) && last.is_some() => {
                    region.bytes.push(*byte)
                }
                _ => reach.natives.push(NativeRegion {
                    base: base + k as u64,
                    bytes: vec![*byte],
                }),
            }
            last = Some(k);
        }
    }

    fn fixed_bytes(
        &mut self,
        state: &mut State,
        reach: &mut Reach,
        object: ObjectId,
        range: (u64, u64),
        name: &str,
    ) -> Step<Vec<u8>> {
        match state.memory.snapshot(object) {
            Some(content) => self.fixed_content(state, reach, &content, range, name),
            None => Ok(vec![0; range.1 as usize]),
        }
    }

    /// The bytes of a range as numbers. Pointers in them are followed, symbolic ones are fixed if the policy allows it.
    fn fixed_content(
        &mut self,
        state: &mut State,
        reach: &mut Reach,
        content: &Object,
        (at, len): (u64, u64),
        name: &str,
    ) -> Step<Vec<u8>> {
        let (at, len) = (at as usize, len as usize);
        if let Some(plain) = content.plain_bytes(at, len) {
            return Ok(plain.to_vec());
        }
        let mut bytes = Vec::with_capacity(len);
        let mut fixed = Vec::new();
        for k in at..at + len {
            bytes.push(match content.byte(k) {
                Byte::Concrete(byte) => byte,
                Byte::Unwritten => 0,
                Byte::Ptr {
                    object,
                    offset,
                    index,
                } => {
                    reach.add(object);
                    let address = self.ctx.addresses.base_of(object).wrapping_add(offset);
                    (address >> (u32::from(index) * 8)) as u8
                }
                Byte::Sym(_) | Byte::Array => {
                    fixed.push((k - at) / 8 * 8);
                    let value = content.read(&self.ctx, k, 8);
                    self.fixed_byte(state, &value, name)?
                }
            });
        }
        fixed.dedup();
        for word in fixed {
            if let Some(word) = bytes.get(word..word + 8) {
                self.add_address(state, reach, word);
            }
        }
        Ok(bytes)
    }

    /// The one value of a byte, or one of several.
    fn fixed_byte(&mut self, state: &mut State, value: &Value, name: &str) -> Step<u8> {
        let what = format!("a symbolic argument for the external function `{name}`");
        if self.settings.external.policy == ExternalPolicy::All {
            return Ok(self.concrete(state, value, 8, &what)? as u8);
        }
        let value = self.defined_value(state, value, 8);
        let term = self.ctx.term(&value, 8);
        let Some(number) = self.chain.value(&state.constraints, term) else {
            return self.undecided();
        };
        let terms = self.ctx.terms.clone();
        match self.truth(state, terms.eq(term, terms.bv(8, number as u64)))? {
            Truth::True => Ok(number as u8),
            _ => {
                let hint = "`--external-calls all` fixes it to one value";
                error(ErrorKind::Undefined, format!("{what} ({hint})"))
            }
        }
    }

    /// What the process is given: the objects of the call, then what the path changed in the process' own memory.
    fn regions(&self, reach: &Reach) -> Vec<NativeRegion> {
        let region = |(object, bytes): &(ObjectId, Vec<u8>)| NativeRegion {
            base: self.ctx.addresses.base_of(*object),
            bytes: bytes.clone(),
        };
        let own = reach.objects.iter().map(region);
        own.chain(reach.natives.iter().cloned()).collect()
    }

    /// Writes back what a call changed. Bytes that were never written are from now on what the call left there.
    fn take_back(
        &mut self,
        state: &mut State,
        reach: &Reach,
        object: ObjectId,
        (before, after): (&[u8], &[u8]),
        name: &str,
    ) -> Step {
        let (holder, at) = state.memory.home(object, 0);
        let ctx = self.ctx.clone();
        let Some(content) = state.memory.snapshot(holder) else {
            return Ok(());
        };
        let is_unwritten = |k: usize| content.byte(at as usize + k) == Byte::Unwritten;
        let mut changed: Vec<usize> = (0..before.len().min(after.len()))
            .filter(|&k| before[k] != after[k] || is_unwritten(k))
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        let is_writable = state.memory.get(object).is_none_or(|known| known.writable);
        if !is_writable {
            let message = format!("the external function `{name}` wrote to read-only memory");
            return error(ErrorKind::Undefined, message);
        }
        let Some(content) = state.memory.get_mut(holder) else {
            return Ok(());
        };
        for &k in &changed {
            content.set_byte(&ctx, at as usize + k, Byte::Concrete(after[k]));
        }
        changed.iter_mut().for_each(|k| *k = *k / 8 * 8);
        changed.dedup();
        for k in changed {
            let word = after.get(k..k + 8).and_then(|word| word.try_into().ok());
            let found = word.and_then(|word| reach.find(&ctx, u64::from_le_bytes(word)));
            if let Some((object, offset)) = found {
                let pointer = Value::Ptr(object, offset);
                content.write(&ctx, at as usize + k, 64, &pointer);
            }
        }
        Ok(())
    }

    fn native_result(
        &self,
        signature: &Signature,
        reach: &Reach,
        reply: &NativeReply,
    ) -> Option<Value> {
        let ty = signature.result_ty.as_ref()?;
        let mut bytes = reply.result.clone();
        bytes.resize(ty.size() as usize, 0);
        let mut scratch = Object::with_bytes(Kind::Stack, bytes.clone().into());
        for at in (0..bytes.len().saturating_sub(7)).step_by(8) {
            let word = bytes[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
            if let Some((object, offset)) = reach.find(&self.ctx, word) {
                scratch.write(&self.ctx, at, 64, &Value::Ptr(object, offset));
            }
        }
        Some(read_parts(&self.ctx, &scratch, 0, ty))
    }

    /// Says that a function is called natively, in KLEE's words.
    fn tell_call(&mut self, state: &State, name: &str, args: &[(NativeType, Vec<u8>)]) {
        let once = match self.settings.external.warnings {
            ExternalWarnings::Never => return,
            ExternalWarnings::Once => true,
            ExternalWarnings::Always => false,
        };
        if once && !self.warned.insert(format!("calling external: {name}")) {
            return;
        }
        let number = |(_, bytes): &(NativeType, Vec<u8>)| {
            let low = bytes.iter().take(8).rev();
            low.fold(0u64, |n, &byte| n << 8 | u64::from(byte))
                .to_string()
        };
        let args: Vec<String> = args.iter().map(number).collect();
        let place = self.location(&state.top.code, state.top.pc);
        let message = format!(
            "calling external: {name}({}) at {}:{} {}",
            args.join(", "),
            place.file,
            place.line,
            place.column
        );
        match once {
            true => self.sink.warning_once(&message),
            false => self.sink.warning(&message),
        }
    }

    /// Goes on after a call with any result, and any bytes but pointers where it can write.
    fn over_approximate(
        &mut self,
        state: &mut State,
        code: &Rc<Code>,
        call: &CallOp,
        name: &str,
    ) -> Step {
        let mut reach = Reach::default();
        for arg in call.args.iter() {
            let value = fetch(code, &state.top.registers, arg.value).clone();
            match &value {
                Value::Ptr(object, _) => reach.add(*object),
                Value::Sym(_) if arg.is_pointer => {
                    let place = self.resolve_object(state, &value, 0)?;
                    reach.add(place.object());
                }
                _ => {}
            }
        }
        let size = match call.native.as_ref().and_then(|s| s.result_ty.as_ref()) {
            Some(ty) => ty.size(),
            None if call.dst.is_some() => {
                let message = format!("the external function `{name}` returns an unusual type");
                return error(ErrorKind::Undefined, message);
            }
            None => 0,
        };
        state.native.calls += 1;
        let mut symbols = Symbols {
            prefix: format!("{PREFIX}{name}.{}", state.native.calls),
            next: 0,
        };
        let ctx = self.ctx.clone();
        let result = call.native.as_ref().and_then(|signature| {
            let ty = signature.result_ty.as_ref()?;
            let mut scratch = Object::zeroed(Kind::Stack, size);
            (0..size as usize).for_each(|k| scratch.set_byte(&ctx, k, symbols.byte(&ctx)));
            Some(read_parts(&ctx, &scratch, 0, ty))
        });
        self.blur(state, &mut reach, &mut symbols);
        let what = format!(
            "the external function `{name}` was not called: its result, and the memory it reaches, may be anything"
        );
        self.leave_out(state, LeftOutKind::Assumed, &what);
        state.decided.clear();
        self.after_call(state, code, call.dst, call.normal, result);
        Ok(())
    }

    /// Replaces every byte of the objects a call reaches that is no part of a pointer.
    fn blur(&self, state: &mut State, reach: &mut Reach, symbols: &mut Symbols) {
        let ctx = &self.ctx;
        while let Some(object) = reach.pending.pop() {
            let known = state.memory.get(object);
            let Some((size, is_writable)) = known.map(|known| (known.size(), known.writable))
            else {
                continue;
            };
            let (holder, at) = state.memory.home(object, 0);
            let Some(content) = state.memory.snapshot(holder) else {
                continue;
            };
            if content.kind == Kind::Function {
                continue;
            }
            for k in at as usize..(at + size) as usize {
                match content.byte(k) {
                    Byte::Ptr { object, .. } => reach.add(object),
                    _ if is_writable => {
                        let byte = symbols.byte(ctx);
                        if let Some(content) = state.memory.get_mut(holder) {
                            content.set_byte(ctx, k, byte);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// A pointer that an external function may have made means nothing that can be looked at.
    pub(super) fn forbid_external_pointer(&self, pointer: Term) -> Step {
        let terms = &self.ctx.terms;
        let symbols = terms.free_symbols(pointer);
        let made = symbols.iter().find_map(|&symbol| {
            let info = terms.symbol_info(symbol);
            let name = info.name.strip_prefix(PREFIX)?.rsplit_once('.')?.0;
            Some(name.to_owned())
        });
        match made {
            Some(name) => {
                let message = format!(
                    "an access through a pointer that comes from the external function `{name}`, which was not called"
                );
                error(ErrorKind::Undefined, message)
            }
            None => Ok(()),
        }
    }

    /// The object at an address, which may be memory of the path's native process.
    pub(super) fn find_or_import(
        &mut self,
        state: &mut State,
        address: u64,
    ) -> Option<(ObjectId, u64)> {
        if let Some(found) = state.memory.find(&self.ctx, address) {
            return Some(found);
        }
        let process = state.native.process.clone()?;
        let mapping = process.mapping(address)?;
        let object = self
            .ctx
            .addresses
            .at(mapping.base, mapping.bytes.len() as u64);
        let mut content = Object::with_bytes(Kind::Native, mapping.bytes.into());
        content.writable = mapping.is_writable;
        content.id = Some((object, state.memory.next_serial()));
        state.memory.insert(object, content);
        let before = state.memory.snapshot(object)?;
        state.native.imported.push((object, before));
        Some((object, address - mapping.base))
    }

    /// The address of a function of the path's native process.
    pub(super) fn native_code(&self, state: &State, pointer: &Value) -> Option<u64> {
        let process = state.native.process.as_ref()?;
        let Value::Int(address) = pointer else {
            return None;
        };
        let is_code = process.mapping(*address)?.is_code;
        is_code.then_some(*address)
    }

    /// Frees memory that an external function allocated, where it was allocated; whether it was such memory.
    pub(crate) fn free_natively(&mut self, state: &mut State, pointer: &Value) -> Step<bool> {
        let Value::Int(address) = pointer else {
            return Ok(false);
        };
        let is_own = |found: Option<(ObjectId, u64)>| {
            let content = found.and_then(|(object, _)| state.memory.get(object));
            content.is_some_and(|content| content.kind != Kind::Native)
        };
        let is_mapped = |process: &Rc<dyn NativeProcess>| process.mapping(*address).is_some();
        if is_own(state.memory.find(&self.ctx, *address))
            || !state.native.process.as_ref().is_some_and(is_mapped)
        {
            return Ok(false);
        }
        let mut reach = Reach::default();
        self.gather(state, &mut reach, "free")?;
        let call = NativeCall {
            function: NativeFunction::Named("free".into()),
            args: vec![(NativeType::Pointer, address.to_le_bytes().to_vec())],
            result: NativeType::Void,
            regions: self.regions(&reach),
        };
        self.ask(state, &call, &reach, "free")?;
        Ok(true)
    }
}

/// Makes symbols for bytes that may be anything.
struct Symbols {
    prefix: String,
    next: u64,
}

impl Symbols {
    fn byte(&mut self, ctx: &Ctx) -> Byte {
        let name = format!("{}[{}]", self.prefix, self.next);
        self.next += 1;
        Byte::Sym(ctx.terms.symbol(&name, Sort::bv(8)))
    }
}

fn shown_name(function: &NativeFunction) -> String {
    match function {
        NativeFunction::Named(name) => name.trim_start_matches('\u{1}').to_owned(),
        NativeFunction::At(address) => format!("{address:#x}"),
    }
}

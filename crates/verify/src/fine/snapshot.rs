//! The snapshot of an implementation: its body as verified, with a verdict per check, in a form that outlives
//! the process.
//!
//! | in a snapshot | why |
//! |---|---|
//! | digest of engine, prover and options | another prover's verdicts are not ours |
//! | digest of the implementation as written | to tell a changed implementation from changed dependencies [FGC §3.3] |
//! | digests of the axioms and unique constants the proof stood on, of datatypes and of what is built in | all must still hold |
//! | not: axioms that say nothing while some symbols are false | they belong to what these symbols mean, see below |
//! | blocks, commands in canonical form with the digests of what they mean | to compare and to re-state |
//! | the verdict of every check, the path of every failure | what is reused |
//!
//! An axiom with switches ([`Fact::switches`](crate::smt::background::Fact)) is true in every interpretation in which these are
//! false. Let a check and everything before it neither mention a symbol nor lead to it, through definitions or through axioms that
//! are switched on by what it mentions. Then every interpretation of what it does lead to stays one if that symbol is made false: a proof
//! of the check needs none of the axioms that the symbol switches on, and stands when they change.

use crate::canon::{self, Scope, Symbols};
use crate::cfg::{Body, Cmd};
use crate::smt::background::{self, Background, Foundation, SymbolRef};
use std::ops::Range;
use stet_base::{FastMap, FastSet};
use stet_boogie::ast::{ExprId, FuncId, ImplId, VarId};
use stet_boogie::{DatatypeRole, Program, VarKind};
use stet_key::{DecodeError, Decoder, Digest, Encoder};

const VERSION: u32 = 4;

/// The old verdict of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum OldVerdict {
    Verified,
    /// With the blocks of a failing path, and whether the prover had a model of it.
    Failed(Vec<u32>, bool),
    Unknown,
}

/// A command of a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct OldCmd {
    /// The digest of the command and of what its functions mean.
    pub(crate) digest: Digest,
    pub(crate) kind: OldCmdKind,
}

/// Its parts, in canonical form.
#[derive(Clone, Debug)]
pub(crate) enum OldCmdKind {
    Assume(Vec<u8>),
    Assert {
        condition: Vec<u8>,
        assumed_after: bool,
        verdict: OldVerdict,
    },
    Assign(Vec<(OldVar, Vec<u8>)>),
    Havoc(Vec<OldVar>),
}

/// A variable of a snapshot by kind and name.
pub(crate) type OldVar = (u8, String);

/// A block of a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct OldBlock {
    pub(crate) label: String,
    pub(crate) cmds: Vec<OldCmd>,
    pub(crate) successors: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) configuration: Digest,
    pub(crate) entity: Digest,
    pub(crate) facts: Vec<Digest>,
    pub(crate) blocks: Vec<OldBlock>,
}

/// What functions and facts mean, by their definitions.
#[derive(Default)]
struct Tables {
    definitions: FastMap<FuncId, usize>,
    /// The facts that a symbol switches on.
    switched: FastMap<SymbolRef, Vec<usize>>,
    /// The meaning of a symbol without that of the symbols in its definition.
    own: FastMap<SymbolRef, Digest>,
    symbols: FastMap<SymbolRef, Digest>,
    /// Functions whose definition is not a conservative extension: recursive ones.
    recursive: FastSet<FuncId>,
    /// What facts mean, by number; nothing for definitions that are conservative extensions and for what has switches.
    facts: FastMap<usize, Option<Digest>>,
}

/// What is known of meanings from one implementation to the next: most stand on the same definitions.
#[derive(Default)]
pub(crate) struct Dictionary {
    /// With the definitions of all facts seen.
    all: Tables,
    /// How many facts were seen.
    seen: usize,
    /// For an implementation that stands on other definitions than that.
    other: Tables,
    /// What holds whatever an implementation stands on.
    given: Option<Vec<Digest>>,
}

impl Dictionary {
    /// The meaning of every symbol of a foundation: the signatures and definitions of everything its definition
    /// leads to.
    pub(crate) fn meanings<'a>(
        &'a mut self,
        program: &Program,
        background: &Background,
        foundation: &'a Foundation,
    ) -> Meanings<'a> {
        debug_assert!(
            foundation.facts.is_sorted(),
            "facts are looked up by halving"
        );
        self.update(background);
        // A foundation is closed: the definitions in it lead to symbols in it. So if it has the definitions of all
        // its symbols, meanings are those among all facts.
        let has_definition = |symbol: &SymbolRef| match symbol {
            SymbolRef::Func(func) => match self.all.definitions.get(func) {
                Some(number) => foundation.facts.binary_search(number).is_ok(),
                None => true,
            },
            SymbolRef::Const(_) => true,
        };
        let tables = if foundation.symbols.iter().all(has_definition) {
            &mut self.all
        } else {
            self.other = Tables::default();
            self.other
                .define(background, foundation.facts.iter().copied());
            &mut self.other
        };
        // In any order: what is learned of a symbol depends on definitions alone.
        let symbols = foundation.symbols.iter();
        symbols.for_each(|&symbol| tables.learn(program, background, symbol));
        for &number in &foundation.facts {
            tables.learn_fact(background, number);
        }
        let given = self.given.get_or_insert_with(|| given_facts(program));
        Meanings {
            tables,
            foundation,
            given,
        }
    }

    /// Takes facts in that were added since.
    fn update(&mut self, background: &Background) {
        debug_assert!(self.seen <= background.len(), "facts are only added");
        let new = self.seen..background.len();
        self.seen = new.end;
        let is_known = |number| {
            let fact = background.fact(number);
            let defined = fact.defines.map(SymbolRef::Func);
            let mut changed = fact.switches.iter().copied().chain(defined);
            changed.any(|symbol| self.all.own.contains_key(&symbol))
        };
        if new.clone().any(is_known) {
            self.all = Tables::default();
            self.all.define(background, 0..background.len());
        } else {
            self.all.define(background, new);
        }
    }
}

impl Tables {
    fn define(&mut self, background: &Background, facts: impl Iterator<Item = usize>) {
        for number in facts {
            let fact = background.fact(number);
            if let Some(func) = fact.defines {
                self.definitions.insert(func, number);
            }
            for &symbol in &fact.switches {
                self.switched.entry(symbol).or_default().push(number);
            }
        }
    }

    fn definition(&self, symbol: SymbolRef) -> Option<usize> {
        match symbol {
            SymbolRef::Func(func) => self.definitions.get(&func).copied(),
            SymbolRef::Const(_) => None,
        }
    }

    fn learn(&mut self, program: &Program, background: &Background, root: SymbolRef) {
        if self.symbols.contains_key(&root) {
            return;
        }
        let mut reached: FastSet<SymbolRef> = FastSet::default();
        let mut pending = vec![root];
        let mut parts = Vec::new();
        let mut returns = false;
        while let Some(symbol) = pending.pop() {
            if !reached.insert(symbol) {
                continue;
            }
            let definition = self.definition(symbol);
            let digest = self
                .own
                .entry(symbol)
                .or_insert_with(|| own_meaning(program, background, symbol, definition));
            parts.push(*digest);
            if let Some(number) = definition {
                for &inner in background.fact(number).body_symbols() {
                    returns |= inner == root;
                    pending.push(inner);
                }
            }
            for &number in self.switched.get(&symbol).into_iter().flatten() {
                let fact = background.fact(number);
                parts.push(fact.digest);
                pending.extend(fact.symbols());
            }
        }
        if returns && let SymbolRef::Func(func) = root {
            self.recursive.insert(func);
        }
        let mut encoder = Encoder::new();
        encoder.digest(&self.own[&root]);
        encoder.digest_set(parts);
        self.symbols.insert(root, encoder.digest_of_all());
    }

    /// All symbols of the fact are known.
    fn learn_fact(&mut self, background: &Background, number: usize) {
        if self.facts.contains_key(&number) {
            return;
        }
        let fact = background.fact(number);
        debug_assert!(
            fact.symbols()
                .iter()
                .all(|symbol| self.symbols.contains_key(symbol)),
            "a foundation is closed: the symbols of its facts have meanings"
        );
        let conservative = fact.defines.is_some_and(|f| !self.recursive.contains(&f));
        let says_nothing = conservative || !fact.switches.is_empty();
        let digest = (!says_nothing).then(|| {
            let mut encoder = Encoder::new();
            encoder.u8(0);
            encoder.digest(&fact.digest);
            for symbol in fact.symbols() {
                encoder.option(self.symbols.get(symbol), Encoder::digest);
            }
            encoder.digest_of_all()
        });
        self.facts.insert(number, digest);
    }
}

/// Digests of what the functions of a foundation mean, and of commands.
pub(crate) struct Meanings<'a> {
    tables: &'a Tables,
    foundation: &'a Foundation,
    given: &'a [Digest],
}

impl Meanings<'_> {
    /// What an old proof stood on apart from definitions: all of it must hold in the new program.
    pub(crate) fn facts(&self, program: &Program) -> Vec<Digest> {
        let facts = self.foundation.facts.iter();
        let mut found: Vec<Digest> = facts
            .filter_map(|number| self.tables.facts.get(number).copied().flatten())
            .collect();
        for (_, constant) in program.consts.iter() {
            let symbol = SymbolRef::Const(constant.var);
            if constant.unique && self.foundation.symbols.contains(&symbol) {
                let mut encoder = Encoder::new();
                encoder.u8(1);
                variable(program, constant.var, &mut encoder);
                found.push(encoder.digest_of_all());
            }
        }
        found.extend_from_slice(self.given);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Adds the meaning of the symbols in an expression. Those that have a meaning of their own are among the facts.
    fn used(&self, program: &Program, symbols: &Symbols, encoder: &mut Encoder) {
        let functions = symbols.functions.iter().filter_map(|&(_, func)| func);
        let functions = functions
            .filter(|&func| background::is_uninterpreted(program, func))
            .map(SymbolRef::Func);
        let variables = symbols.variables.iter().copied();
        let constants = variables
            .filter(|&var| program.vars[var].kind == VarKind::Constant)
            .map(SymbolRef::Const);
        encoder.digest_set(functions.chain(constants).map(|symbol| {
            let known = self.foundation.symbols.contains(&symbol);
            let meaning = self.tables.symbols.get(&symbol).filter(|_| known);
            // Not part of the foundation: then the command was not sent, and has no verdict to reuse.
            meaning.copied().unwrap_or(Digest([0; 32]))
        }));
    }

    /// The digest of a check.
    pub(crate) fn assertion(
        &self,
        program: &Program,
        condition: ExprId,
        assumed_after: bool,
    ) -> Digest {
        let mut encoder = Encoder::new();
        self.write_assertion(program, condition, assumed_after, &mut encoder);
        encoder.digest_of_all()
    }

    fn write_assertion(
        &self,
        program: &Program,
        condition: ExprId,
        assumed_after: bool,
        encoder: &mut Encoder,
    ) -> Range<usize> {
        encoder.u8(1);
        encoder.bool(assumed_after);
        self.write_form(program, condition, encoder)
    }

    /// Writes an expression and what it means; where the expression itself stands.
    fn write_form(&self, program: &Program, expr: ExprId, encoder: &mut Encoder) -> Range<usize> {
        let start = encoder.bytes().len();
        let symbols = canon::encode(program, expr, encoder);
        let end = encoder.bytes().len();
        self.used(program, &symbols, encoder);
        start..end
    }

    /// The digest of a command and of what it means.
    pub(crate) fn command(&self, program: &Program, body: &Body, cmd: &Cmd) -> Digest {
        let mut encoder = Encoder::new();
        self.write_command(program, body, cmd, &mut encoder);
        encoder.digest_of_all()
    }

    /// Writes a command and what it means; where its expressions stand.
    fn write_command(
        &self,
        program: &Program,
        body: &Body,
        cmd: &Cmd,
        encoder: &mut Encoder,
    ) -> Vec<Range<usize>> {
        match cmd {
            Cmd::Assume(expr) => {
                encoder.u8(0);
                vec![self.write_form(program, *expr, encoder)]
            }
            Cmd::Assert { check, expr } => {
                let assumed_after = body.checks[*check].assumed_after;
                vec![self.write_assertion(program, *expr, assumed_after, encoder)]
            }
            Cmd::Assign(pairs) => {
                encoder.u8(2);
                encoder.u32(pairs.len() as u32);
                let write = |(var, expr): &(VarId, ExprId)| {
                    variable(program, *var, encoder);
                    self.write_form(program, *expr, encoder)
                };
                pairs.iter().map(write).collect()
            }
            Cmd::Havoc(vars) => {
                encoder.u8(3);
                encoder.u32(vars.len() as u32);
                for var in vars {
                    variable(program, *var, encoder);
                }
                Vec::new()
            }
        }
    }
}

/// The meaning of a symbol without that of the symbols in its definition.
fn own_meaning(
    program: &Program,
    background: &Background,
    symbol: SymbolRef,
    definition: Option<usize>,
) -> Digest {
    let mut encoder = Encoder::new();
    match symbol {
        SymbolRef::Const(var) => {
            encoder.u8(0);
            variable(program, var, &mut encoder);
        }
        SymbolRef::Func(func) => {
            encoder.u8(1);
            signature(program, func, &mut encoder);
            let digest = definition.map(|number| &background.fact(number).digest);
            encoder.option(digest, Encoder::digest);
        }
    }
    encoder.digest_of_all()
}

/// What every proof stands on: datatypes with their fields, and the types and functions that are the prover's own.
fn given_facts(program: &Program) -> Vec<Digest> {
    let mut found = Vec::new();
    let mut encoder = Encoder::new();
    for (_, ctor) in program.type_ctors.iter() {
        encoder.clear();
        encoder.str(program.name(ctor.name));
        if let Some(sort) = program.str_attribute(&ctor.attrs, "builtin") {
            encoder.u8(3);
            encoder.str(sort);
            found.push(encoder.digest_of_all());
        } else if !ctor.constructors.is_empty() {
            encoder.u8(2);
            for &constructor in &ctor.constructors {
                signature(program, constructor, &mut encoder);
                encoder.sequence(&program.funcs[constructor].ins, |e, &field| {
                    e.str(program.name(program.vars[field].name));
                });
            }
            found.push(encoder.digest_of_all());
        }
    }
    for (func, function) in program.funcs.iter() {
        if function.datatype == DatatypeRole::None && !background::is_uninterpreted(program, func) {
            encoder.clear();
            encoder.u8(4);
            signature(program, func, &mut encoder);
            found.push(encoder.digest_of_all());
        }
    }
    found
}

fn variable(program: &Program, var: VarId, encoder: &mut Encoder) {
    let variable = &program.vars[var];
    encoder.u8(canon::kind_tag(variable.kind));
    encoder.str(program.name(variable.name));
    let ty = variable.ty.unwrap_or(program.types.bool());
    canon::encode_type(program, ty, encoder);
}

fn signature(program: &Program, func: FuncId, encoder: &mut Encoder) {
    let function = &program.funcs[func];
    encoder.str(program.name(function.name));
    encoder.u32(function.type_params.len() as u32);
    for &param in &function.type_params {
        encoder.str(program.name(program.type_vars[param].name));
    }
    encoder.u32(function.ins.len() as u32);
    for &var in function.ins.iter().chain([&function.out]) {
        let ty = program.vars[var].ty.unwrap_or(program.types.bool());
        canon::encode_type(program, ty, encoder);
    }
    for key in ["builtin", "bvbuiltin"] {
        encoder.option(program.str_attribute(&function.attrs, key), Encoder::str);
    }
}

/// The digest of an implementation as written: its own text without what it depends on. `body` is that of its body, if it is
/// known.
pub(crate) fn entity(program: &Program, imp: ImplId, body: Option<Digest>) -> Digest {
    let implementation = &program.impls[imp];
    let mut encoder = Encoder::new();
    let vars = implementation.ins.iter().chain(&implementation.outs);
    for &var in vars.chain(&implementation.locals) {
        variable(program, var, &mut encoder);
    }
    match body {
        Some(body) => encoder.digest(&body),
        None => commands_as_written(program, imp, &mut encoder),
    }
    encoder.digest_of_all()
}

fn commands_as_written(program: &Program, imp: ImplId, encoder: &mut Encoder) {
    use stet_boogie::ast::{CmdKind, TransferKind};
    for block in &program.impls[imp].blocks {
        for &cmd in &block.cmds {
            match &program.cmds[cmd].kind {
                CmdKind::Assert(expr) => {
                    encoder.u8(0);
                    canon::encode(program, *expr, encoder);
                }
                CmdKind::Assume(expr) => {
                    encoder.u8(1);
                    canon::encode(program, *expr, encoder);
                }
                CmdKind::Assign { lhss, rhss } => {
                    encoder.u8(2);
                    for lhs in lhss {
                        canon::encode(program, lhs.target, encoder);
                        for indexing in &lhs.indexings {
                            for &index in indexing.indices.iter() {
                                canon::encode(program, index, encoder);
                            }
                        }
                    }
                    for &rhs in rhss {
                        canon::encode(program, rhs, encoder);
                    }
                }
                CmdKind::Havoc(targets) => {
                    encoder.u8(3);
                    for &target in targets {
                        canon::encode(program, target, encoder);
                    }
                }
                CmdKind::Call(call) => {
                    encoder.u8(4);
                    encoder.str(program.name(call.name));
                    for arg in call.ins.iter().chain(&call.outs) {
                        encoder.bool(arg.is_some());
                        if let Some(arg) = arg {
                            canon::encode(program, *arg, encoder);
                        }
                    }
                }
                CmdKind::ParCall(_) => encoder.u8(5),
                CmdKind::Yield => encoder.u8(6),
            }
        }
        match &block.transfer.kind {
            TransferKind::Goto { targets, .. } => {
                encoder.u8(7);
                encoder.sequence(targets, |e, &target| e.u32(target));
            }
            TransferKind::Return => encoder.u8(8),
            TransferKind::ReturnExpr(_) => encoder.u8(9),
        }
    }
}

/// Writes a snapshot. `verdict` gives the verdict of a check of the body.
pub(crate) fn encode(
    program: &Program,
    body: &Body,
    meanings: &Meanings<'_>,
    configuration: &Digest,
    entity: &Digest,
    facts: &[Digest],
    verdict: &dyn Fn(usize) -> OldVerdict,
) -> Vec<u8> {
    debug_assert!(
        facts.windows(2).all(|pair| pair[0] < pair[1]),
        "facts are compared as sorted sets"
    );
    let mut e = Encoder::new();
    let mut written = Encoder::new();
    e.u32(VERSION);
    e.digest(configuration);
    e.digest(entity);
    e.sequence(facts, Encoder::digest);
    e.u32(body.blocks.len() as u32);
    for block in &body.blocks {
        e.str(&block.label);
        e.sequence(&block.successors, |e, &s| e.u32(s as u32));
        e.u32(block.cmds.len() as u32);
        for cmd in &block.cmds {
            written.clear();
            let places = meanings.write_command(program, body, cmd, &mut written);
            e.digest(&written.digest_of_all());
            let forms: Vec<&[u8]> = places.into_iter().map(|p| &written.bytes()[p]).collect();
            command(program, body, cmd, &forms, verdict, &mut e);
        }
    }
    debug_assert!(decode(e.bytes()).is_ok(), "what is written can be read");
    e.bytes().to_vec()
}

/// Writes a command, given the canonical forms of its expressions.
fn command(
    program: &Program,
    body: &Body,
    cmd: &Cmd,
    forms: &[&[u8]],
    verdict: &dyn Fn(usize) -> OldVerdict,
    e: &mut Encoder,
) {
    let name = |e: &mut Encoder, var: VarId| {
        e.u8(canon::kind_tag(program.vars[var].kind));
        e.str(program.name(program.vars[var].name));
    };
    match cmd {
        Cmd::Assume(_) => {
            e.u8(0);
            e.raw(forms[0]);
        }
        Cmd::Assert { check, .. } => {
            e.u8(1);
            e.raw(forms[0]);
            e.bool(body.checks[*check].assumed_after);
            match verdict(*check) {
                OldVerdict::Verified => e.u8(0),
                OldVerdict::Unknown => e.u8(1),
                OldVerdict::Failed(path, is_certain) => {
                    e.u8(if is_certain { 3 } else { 2 });
                    e.sequence(&path, |e, &block| e.u32(block));
                }
            }
        }
        Cmd::Assign(pairs) => {
            e.u8(2);
            e.u32(pairs.len() as u32);
            for ((var, _), form) in pairs.iter().zip(forms) {
                name(e, *var);
                e.raw(form);
            }
        }
        Cmd::Havoc(vars) => {
            e.u8(3);
            e.u32(vars.len() as u32);
            for &var in vars {
                name(e, var);
            }
        }
    }
}

/// Reads a snapshot.
pub(crate) fn decode(bytes: &[u8]) -> Result<Snapshot, DecodeError> {
    let mut d = Decoder::new(bytes);
    if d.u32()? != VERSION {
        return Err(DecodeError::OutOfRange);
    }
    let configuration = d.digest()?;
    let entity = d.digest()?;
    let facts = d.sequence(Decoder::digest)?;
    let count = d.u32()? as usize;
    let mut blocks = Vec::new();
    for _ in 0..count {
        let label = d.str()?.to_owned();
        let successors = d.sequence(|d| Ok(d.u32()? as usize))?;
        if successors.iter().any(|&s| s >= count) {
            return Err(DecodeError::OutOfRange);
        }
        let mut cmds = Vec::new();
        for _ in 0..d.u32()? {
            let digest = d.digest()?;
            let kind = read_command(&mut d)?;
            cmds.push(OldCmd { digest, kind });
        }
        blocks.push(OldBlock {
            label,
            cmds,
            successors,
        });
    }
    d.finish()?;
    if blocks.is_empty() || !is_acyclic(&blocks) {
        return Err(DecodeError::OutOfRange);
    }
    Ok(Snapshot {
        configuration,
        entity,
        facts,
        blocks,
    })
}

fn read_command(d: &mut Decoder<'_>) -> Result<OldCmdKind, DecodeError> {
    let var = |d: &mut Decoder<'_>| Ok((d.u8()?, d.str()?.to_owned()));
    Ok(match d.u8()? {
        0 => OldCmdKind::Assume(d.raw()?.to_vec()),
        1 => OldCmdKind::Assert {
            condition: d.raw()?.to_vec(),
            assumed_after: d.bool()?,
            verdict: match d.u8()? {
                0 => OldVerdict::Verified,
                1 => OldVerdict::Unknown,
                2 => OldVerdict::Failed(d.sequence(Decoder::u32)?, false),
                3 => OldVerdict::Failed(d.sequence(Decoder::u32)?, true),
                _ => return Err(DecodeError::OutOfRange),
            },
        },
        2 => {
            let mut pairs = Vec::new();
            for _ in 0..d.u32()? {
                pairs.push((var(d)?, d.raw()?.to_vec()));
            }
            OldCmdKind::Assign(pairs)
        }
        3 => {
            let mut vars = Vec::new();
            for _ in 0..d.u32()? {
                vars.push(var(d)?);
            }
            OldCmdKind::Havoc(vars)
        }
        _ => return Err(DecodeError::OutOfRange),
    })
}

/// Kahn's algorithm; a damaged graph must not send the relation into a loop.
fn is_acyclic(blocks: &[OldBlock]) -> bool {
    let mut incoming = vec![0_usize; blocks.len()];
    for block in blocks {
        for &s in &block.successors {
            incoming[s] += 1;
        }
    }
    let mut ready: Vec<usize> = (0..blocks.len()).filter(|&b| incoming[b] == 0).collect();
    let mut seen = 0;
    while let Some(block) = ready.pop() {
        seen += 1;
        for &s in &blocks[block].successors {
            incoming[s] -= 1;
            if incoming[s] == 0 {
                ready.push(s);
            }
        }
    }
    seen == blocks.len()
}

/// The names of a new program in which old conditions are re-stated.
pub(crate) fn scope(program: &Program, imp: ImplId, body: &Body) -> Scope {
    let mut scope = Scope {
        vars: FastMap::default(),
        funcs: FastMap::default(),
        ctors: FastMap::default(),
        type_vars: FastMap::default(),
        span: program.impls[imp].span,
    };
    let globals = crate::cfg::globals(program);
    let constants = program.consts.iter().map(|(_, c)| c.var);
    let mut ambiguous = Vec::new();
    for var in globals
        .into_iter()
        .chain(constants)
        .chain(body.locals.iter().copied())
    {
        let variable = &program.vars[var];
        if variable.kind == VarKind::Bound {
            continue;
        }
        let key = (
            canon::kind_tag(variable.kind),
            program.name(variable.name).to_owned(),
        );
        if scope.vars.insert(key.clone(), var).is_some() {
            ambiguous.push(key);
        }
    }
    for key in ambiguous {
        scope.vars.remove(&key);
    }
    for (func, function) in program.funcs.iter() {
        scope
            .funcs
            .insert(program.name(function.name).to_owned(), func);
    }
    for (ctor, declared) in program.type_ctors.iter() {
        scope
            .ctors
            .insert(program.name(declared.name).to_owned(), ctor);
    }
    for &var in &program.impls[imp].type_params {
        let name = program.type_vars[var].name;
        scope.type_vars.insert(program.name(name).to_owned(), var);
    }
    scope
}

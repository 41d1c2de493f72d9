//! Units in the store: what was found for one abstract call of a strongly connected component.
//!
//! | in the key | not in the key |
//! |---|---|
//! | version of the analysis | positions, names of variables, the order of other predicates |
//! | clauses and conditions of the component's predicates, with the names they call | clauses of lower components: their results are in the key instead |
//! | conditions of the predicates they call | |
//! | the abstract call | |
//! | the abstract calls of lower components, each with its success | |
//!
//! The last row is not known before the unit is analysed. It is found in two steps: the calls a unit made are kept under
//! the other parts; they are solved, from the store or afresh, and their successes complete the key. So an edit is
//! followed upwards only as far as successes change.

use crate::program::{Clause, Goal, Literal, Spec, SuccessSpec, Term};
use crate::solve::{Abstract, Proof, Record, Solver};
use crate::types::{Const, Node, Type, Types};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stet_base::FastMap;
use stet_key::{DecodeError, Decoder, Digest, Encoder, KeyBuilder, KeyParts};
use stet_prolog::AtomTable;
use stet_store::{Entry, Outcome, Provenance, Request};

/// Changes with the meaning of what is stored.
const VERSION: u32 = 1;

/// The calls of lower components a unit made, and their successes.
pub(crate) type Uses = BTreeMap<(usize, Vec<Abstract>), Option<Vec<Type>>>;

/// A unit as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    /// Predicate, abstract call and success; the unit's own call first.
    pub(crate) variants: Vec<(usize, Vec<Abstract>, Option<Vec<Type>>)>,
    pub(crate) record: Record,
    pub(crate) uses: Vec<(usize, Vec<Abstract>)>,
    results: Digest,
}

impl Stored {
    pub(crate) fn of(
        solver: &Solver<'_>,
        members: &[usize],
        record: &Record,
        uses: &Uses,
    ) -> Stored {
        let variants = members
            .iter()
            .map(|&member| {
                let variant = &solver.variants[member];
                (variant.pred, variant.call.clone(), variant.success.clone())
            })
            .collect();
        Stored {
            variants,
            record: record.clone(),
            uses: uses.keys().cloned().collect(),
            results: results_digest(solver, uses),
        }
    }
}

/// Predicate and abstract call, for people.
pub(crate) fn subject(solver: &Solver<'_>, pred: usize, call: &[Abstract]) -> String {
    format!("{}({})", solver.preds[pred].name, solver.call_text(call))
}

fn builder(solver: &Solver<'_>, pred: usize, call: &[Abstract], kind: &str) -> KeyBuilder {
    let mut builder = KeyBuilder::new(kind);
    builder.part("analysis", |e| e.u32(VERSION));
    let component = solver.component[pred];
    let mut members: Vec<usize> = (0..solver.preds.len())
        .filter(|&p| solver.component[p] == component)
        .collect();
    members.sort_by(|&a, &b| solver.preds[a].name.cmp(&solver.preds[b].name));
    let mut called: BTreeSet<(&str, usize)> = BTreeSet::new();
    builder.part("clauses", |e| {
        e.count(members.len());
        for &member in &members {
            let pred = &solver.preds[member];
            e.str(&pred.name);
            e.count(pred.clauses.len());
            for clause in &pred.clauses {
                write_clause(e, solver, clause, &mut called);
            }
        }
    });
    called.extend(members.iter().map(|&m| (solver.preds[m].name.as_str(), m)));
    builder.part("assertions", |e| {
        e.count(called.len());
        for &(name, pred) in &called {
            e.str(name);
            write_spec(e, solver, &solver.preds[pred].spec);
        }
    });
    builder.part("call", |e| {
        e.str(&solver.preds[pred].name);
        write_call(e, solver, call);
    });
    builder
}

fn results_digest(solver: &Solver<'_>, uses: &Uses) -> Digest {
    let mut items = Vec::new();
    for ((pred, call), success) in uses {
        let mut e = Encoder::new();
        e.str(&solver.preds[*pred].name);
        write_call(&mut e, solver, call);
        write_success(&mut e, solver, success.as_ref());
        items.push(e.digest_of_all());
    }
    let mut all = Encoder::new();
    all.digest_set(items);
    all.digest_of_all()
}

const USES: &str = "run/analysis-uses";
const UNITS: &str = "run/analysis";

/// The stored unit for a call, if all it rests on is as it was.
pub(crate) fn find(solver: &mut Solver<'_>, pred: usize, call: &[Abstract]) -> Option<Stored> {
    let store = solver.store?;
    let (key, _) = builder(solver, pred, call, USES).finish();
    let uses = match store.get(USES, &key) {
        Some(entry) => read_uses(solver, &entry.evidence).ok()?,
        None => {
            // The miss is recorded under the name people ask about.
            let (key, parts) = builder(solver, pred, call, UNITS).finish();
            let subject = subject(solver, pred, call);
            store.lookup(&request(&subject, key, &parts));
            return None;
        }
    };
    let mut results = Uses::new();
    for (used, call) in uses {
        let success = solver.resolve_use(used, call.clone());
        results.insert((used, call), success);
    }
    let digest = results_digest(solver, &results);
    let mut complete = builder(solver, pred, call, UNITS);
    complete.digest_part("results used", digest);
    let (key, parts) = complete.finish();
    let subject = subject(solver, pred, call);
    let entry = store.lookup(&request(&subject, key, &parts))?;
    let mut stored = read_unit(solver, &entry.evidence).ok()?;
    stored.uses = results.into_keys().collect();
    stored.results = digest;
    let own = stored.variants.first()?;
    (own.0 == pred && own.1 == call).then_some(stored)
}

fn request<'a>(subject: &'a str, key: Digest, parts: &'a KeyParts) -> Request<'a> {
    Request {
        kind: UNITS,
        subject,
        key,
        parts,
    }
}

/// Keeps a unit.
pub(crate) fn put(solver: &Solver<'_>, pred: usize, call: &[Abstract], unit: &Stored) {
    let Some(store) = solver.store else {
        return;
    };
    let provenance = Provenance::now("run", env!("CARGO_PKG_VERSION"), "");
    let (key, parts) = builder(solver, pred, call, USES).finish();
    let mut e = Encoder::new();
    e.sequence(unit.uses.iter(), |e, (pred, call)| {
        e.str(&solver.preds[*pred].name);
        write_call(e, solver, call);
    });
    store.put(Entry {
        key,
        kind: USES.into(),
        subject: None,
        outcome: Outcome::Holds,
        evidence: e.bytes().to_vec(),
        provenance: provenance.clone(),
        parts,
    });
    let mut complete = builder(solver, pred, call, UNITS);
    complete.digest_part("results used", unit.results);
    let (key, parts) = complete.finish();
    store.put(Entry {
        key,
        kind: UNITS.into(),
        subject: Some(subject(solver, pred, call).into()),
        outcome: Outcome::Holds,
        evidence: unit_bytes(solver, unit),
        provenance,
        parts,
    });
}

/// Takes over what a stored unit says.
pub(crate) fn apply(solver: &mut Solver<'_>, stored: &Stored) {
    for (pred, call, success) in &stored.variants {
        solver.restore_variant(*pred, call.clone(), success.clone());
    }
    solver.take_record(&stored.record);
}

/// The code of a proof in the store.
pub(crate) fn code(proof: Proof) -> u8 {
    match proof {
        Proof::Proved => 1,
        Proof::Refuted => 2,
        Proof::Unknown => 0,
    }
}

/// The proof of a code; what is no code is no proof.
pub(crate) fn proof(code: u8) -> Proof {
    match code {
        1 => Proof::Proved,
        2 => Proof::Refuted,
        _ => Proof::Unknown,
    }
}

fn unit_bytes(solver: &Solver<'_>, unit: &Stored) -> Vec<u8> {
    let mut e = Encoder::new();
    e.sequence(unit.variants.iter(), |e, (pred, call, success)| {
        e.str(&solver.preds[*pred].name);
        write_call(e, solver, call);
        write_success(e, solver, success.as_ref());
    });
    e.sequence(
        unit.record.sites.iter(),
        |e, ((pred, clause, site), (code, text))| {
            e.str(&solver.preds[*pred].name);
            e.count(*clause);
            e.count(*site);
            e.u8(*code);
            e.str(text);
        },
    );
    e.sequence(
        unit.record.success.iter(),
        |e, ((pred, number), (code, text))| {
            e.str(&solver.preds[*pred].name);
            e.count(*number);
            e.u8(*code);
            e.str(text);
        },
    );
    e.bytes().to_vec()
}

fn write_clause<'a>(
    e: &mut Encoder,
    solver: &'a Solver<'_>,
    clause: &'a Clause,
    called: &mut BTreeSet<(&'a str, usize)>,
) {
    e.count(clause.variables);
    e.sequence(clause.head.iter(), |e, term| {
        write_term(e, solver.atoms, term)
    });
    write_goal(e, solver, &clause.body, called);
}

fn write_term(e: &mut Encoder, atoms: &AtomTable, term: &Term) {
    match term {
        Term::Var(v) => {
            e.u8(0);
            e.count(*v);
        }
        Term::Const(value) => {
            e.u8(1);
            write_const(e, atoms, *value);
        }
        Term::Prim(prims) => {
            e.u8(2);
            e.u32(u32::from(*prims));
        }
        Term::Compound(name, args) => {
            e.u8(3);
            e.str(atoms.text(*name));
            e.sequence(args.iter(), |e, arg| write_term(e, atoms, arg));
        }
        Term::Unknown(vars) => {
            e.u8(4);
            e.sequence(vars.iter(), |e, v| e.count(*v));
        }
    }
}

fn write_const(e: &mut Encoder, atoms: &AtomTable, value: Const) {
    match value {
        Const::Atom(name) => {
            e.u8(0);
            e.str(atoms.text(name));
        }
        Const::Int(value) => {
            e.u8(1);
            e.i64(value);
        }
    }
}

fn write_goal<'a>(
    e: &mut Encoder,
    solver: &'a Solver<'_>,
    goal: &'a Goal,
    called: &mut BTreeSet<(&'a str, usize)>,
) {
    let atoms = solver.atoms;
    let terms = |e: &mut Encoder, items: &[Arc<Term>]| {
        e.sequence(items.iter(), |e, term| write_term(e, atoms, term));
    };
    match goal {
        Goal::True => e.u8(0),
        Goal::Fail => e.u8(1),
        Goal::And(goals) => {
            e.u8(2);
            e.count(goals.len());
            for goal in goals {
                write_goal(e, solver, goal, called);
            }
        }
        Goal::Or(a, b) => {
            e.u8(3);
            write_goal(e, solver, a, called);
            write_goal(e, solver, b, called);
        }
        Goal::IfThenElse(a, b, c) => {
            e.u8(4);
            for goal in [a, b, c] {
                write_goal(e, solver, goal, called);
            }
        }
        Goal::Aside(inner) => {
            e.u8(5);
            write_goal(e, solver, inner, called);
        }
        Goal::Findall(template, inner, list) => {
            e.u8(6);
            terms(e, &[template.clone(), list.clone()]);
            write_goal(e, solver, inner, called);
        }
        Goal::Catch(inner, ball, recovery) => {
            e.u8(7);
            terms(e, std::slice::from_ref(ball));
            write_goal(e, solver, inner, called);
            write_goal(e, solver, recovery, called);
        }
        Goal::Unify(a, b) => {
            e.u8(8);
            terms(e, &[a.clone(), b.clone()]);
        }
        Goal::Is(a, b) => {
            e.u8(9);
            terms(e, &[a.clone(), b.clone()]);
        }
        Goal::Known(effect, args) => {
            e.u8(10);
            e.bool(effect.binds);
            e.sequence(effect.args.iter(), |e, known| e.u8(known.code()));
            terms(e, args);
        }
        Goal::Call { pred, args, site } => {
            let name = solver.preds[*pred].name.as_str();
            called.insert((name, *pred));
            e.u8(11);
            e.str(name);
            e.count(*site);
            terms(e, args);
        }
        Goal::Unknown(args) => {
            e.u8(12);
            terms(e, args);
        }
    }
}

fn write_spec(e: &mut Encoder, solver: &Solver<'_>, spec: &Spec) {
    e.sequence(spec.pres.iter(), |e, dnf| write_dnf(e, solver, dnf));
    e.sequence(spec.calls.iter(), |e, any| {
        e.sequence(any.iter(), |e, pre| e.count(*pre))
    });
    for conditions in [&spec.success, &spec.trusted] {
        e.sequence(conditions.iter(), |e, SuccessSpec { pre, post }| {
            e.option(*pre, Encoder::count);
            write_dnf(e, solver, post);
        });
    }
}

fn write_dnf(e: &mut Encoder, solver: &Solver<'_>, dnf: &[Vec<Literal>]) {
    e.sequence(dnf.iter(), |e, literals| {
        e.sequence(literals.iter(), |e, literal| match literal {
            Literal::In { arg, over, under } => {
                e.u8(0);
                e.count(*arg);
                write_type(e, solver, *over);
                write_type(e, solver, *under);
            }
            Literal::Free(arg) => {
                e.u8(1);
                e.count(*arg);
            }
            Literal::Unknown => e.u8(2),
        });
    });
}

fn write_call(e: &mut Encoder, solver: &Solver<'_>, call: &[Abstract]) {
    e.sequence(call.iter(), |e, arg| match arg {
        Abstract::Free => e.u8(0),
        Abstract::Type(found) => {
            e.u8(1);
            write_type(e, solver, *found);
        }
    });
}

fn write_success(e: &mut Encoder, solver: &Solver<'_>, success: Option<&Vec<Type>>) {
    e.option(success, |e, types| {
        e.sequence(types.iter(), |e, found| write_type(e, solver, *found));
    });
}

/// A grammar, numbered in an order that depends on texts only.
fn write_type(e: &mut Encoder, solver: &Solver<'_>, of: Type) {
    let graph = solver.types.graph(of);
    let atoms = solver.atoms;
    let mut number: FastMap<usize, usize> = FastMap::default();
    let mut order = vec![0];
    number.insert(0, 0);
    let mut out = Encoder::new();
    let mut at = 0;
    while at < order.len() {
        let node = &graph[order[at]];
        at += 1;
        out.bool(node.top);
        out.u32(u32::from(node.prims));
        out.bool(node.any_compound);
        out.bool(node.ground_compound);
        let mut consts: Vec<Vec<u8>> = Vec::new();
        for &value in &node.consts {
            let mut c = Encoder::new();
            write_const(&mut c, atoms, value);
            consts.push(c.bytes().to_vec());
        }
        consts.sort();
        out.sequence(consts.iter(), |e, bytes| e.raw(bytes));
        let mut rules: Vec<(&str, &Vec<usize>)> = node
            .rules
            .iter()
            .map(|(&(name, _), args)| (atoms.text(name), args))
            .collect();
        rules.sort_by(|a, b| (a.0, a.1.len()).cmp(&(b.0, b.1.len())));
        out.count(rules.len());
        for (name, args) in rules {
            out.str(name);
            out.count(args.len());
            for &arg in args {
                let fresh = order.len();
                let found = *number.entry(arg).or_insert(fresh);
                if found == fresh {
                    order.push(arg);
                }
                out.count(found);
            }
        }
    }
    e.count(order.len());
    e.raw(out.bytes());
}

fn read_type(
    d: &mut Decoder<'_>,
    types: &mut Types,
    atoms: &AtomTable,
) -> Result<Type, DecodeError> {
    let count = d.count()?;
    let bytes = d.raw()?;
    let mut inner = Decoder::new(bytes);
    let d = &mut inner;
    if count == 0 || count > 10_000 {
        return Err(DecodeError::OutOfRange);
    }
    let mut nodes = Vec::new();
    for _ in 0..count {
        let mut node = Node {
            top: d.bool()?,
            prims: u16::try_from(d.u32()?).map_err(|_| DecodeError::OutOfRange)?,
            any_compound: d.bool()?,
            ground_compound: d.bool()?,
            ..Node::default()
        };
        for _ in 0..d.length()? {
            let mut c = Decoder::new(d.raw()?);
            let value = match c.u8()? {
                0 => Const::Atom(atoms.lookup(c.str()?).ok_or(DecodeError::OutOfRange)?),
                _ => Const::Int(c.i64()?),
            };
            node.consts.insert(value);
        }
        for _ in 0..d.count()? {
            let name = atoms.lookup(d.str()?).ok_or(DecodeError::OutOfRange)?;
            let arity = d.count()?;
            if arity > 1_024 {
                return Err(DecodeError::OutOfRange);
            }
            let mut args = Vec::new();
            for _ in 0..arity {
                let arg = d.count()?;
                if arg >= count {
                    return Err(DecodeError::OutOfRange);
                }
                args.push(arg);
            }
            node.rules.insert((name, arity), args);
        }
        nodes.push(node);
    }
    Ok(types.make(&nodes, 0))
}

fn read_call(d: &mut Decoder<'_>, solver: &mut Solver<'_>) -> Result<Vec<Abstract>, DecodeError> {
    let mut call = Vec::new();
    for _ in 0..d.length()? {
        call.push(match d.u8()? {
            0 => Abstract::Free,
            _ => Abstract::Type(read_type(d, &mut solver.types, solver.atoms)?),
        });
    }
    Ok(call)
}

fn read_pred(d: &mut Decoder<'_>, solver: &Solver<'_>) -> Result<usize, DecodeError> {
    let name = d.str()?;
    let found = solver.preds.iter().position(|pred| pred.name == name);
    found.ok_or(DecodeError::OutOfRange)
}

fn read_uses(
    solver: &mut Solver<'_>,
    bytes: &[u8],
) -> Result<Vec<(usize, Vec<Abstract>)>, DecodeError> {
    let mut d = Decoder::new(bytes);
    let mut uses = Vec::new();
    for _ in 0..d.length()? {
        let pred = read_pred(&mut d, solver)?;
        let call = read_call(&mut d, solver)?;
        if call.len() != solver.preds[pred].arity {
            return Err(DecodeError::OutOfRange);
        }
        uses.push((pred, call));
    }
    d.finish()?;
    Ok(uses)
}

fn read_unit(solver: &mut Solver<'_>, bytes: &[u8]) -> Result<Stored, DecodeError> {
    let mut d = Decoder::new(bytes);
    let mut stored = Stored {
        variants: Vec::new(),
        record: Record::default(),
        uses: Vec::new(),
        results: Digest::of_bytes(&[]),
    };
    for _ in 0..d.length()? {
        let pred = read_pred(&mut d, solver)?;
        let call = read_call(&mut d, solver)?;
        let success = match d.bool()? {
            false => None,
            true => {
                let mut types = Vec::new();
                for _ in 0..d.length()? {
                    types.push(read_type(&mut d, &mut solver.types, solver.atoms)?);
                }
                Some(types)
            }
        };
        let arity = solver.preds[pred].arity;
        if call.len() != arity || success.as_ref().is_some_and(|s| s.len() != arity) {
            return Err(DecodeError::OutOfRange);
        }
        stored.variants.push((pred, call, success));
    }
    for _ in 0..d.length()? {
        let pred = read_pred(&mut d, solver)?;
        let at = (pred, d.count()?, d.count()?);
        let code = d.u8()?;
        stored.record.sites.insert(at, (code, d.str()?.to_owned()));
    }
    for _ in 0..d.length()? {
        let pred = read_pred(&mut d, solver)?;
        let at = (pred, d.count()?);
        let code = d.u8()?;
        stored
            .record
            .success
            .insert(at, (code, d.str()?.to_owned()));
    }
    d.finish()?;
    Ok(stored)
}

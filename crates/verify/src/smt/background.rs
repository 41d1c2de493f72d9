//! The background of an implementation's verification condition: the axioms it can use, and the declarations
//! they all need.
//!
//! An axiom is sent only if it can matter: a quantified axiom with triggers if the symbols of one of its
//! triggers are reachable, another axiom if any of its symbols is, one without symbols always. Reachable are the
//! symbols of the verification condition and of the axioms sent. With matching as the only source of
//! instances the others could never be used; leaving them out makes what is sent, and so the key of the
//! answer, independent of unrelated declarations.

use super::{Feature, Smt, Types, Unit};
use crate::{second, tree};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;
use stet_base::{FastMap, FastSet};
use stet_boogie::ast::{BinaryOp, BinderKind, ExprId, ExprKind, FuncId, VarId};
use stet_boogie::{DatatypeRole, Program, VarKind};
use stet_key::Digest;

/// A function or constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum SymbolRef {
    Func(FuncId),
    Const(VarId),
}

/// When an axiom can matter.
#[derive(Clone, Debug)]
enum Activation {
    Always,
    /// As soon as all symbols of one of these sets are reachable.
    AnyOf(Vec<Vec<SymbolRef>>),
}

/// An axiom or the definition of a function.
pub(crate) struct Fact {
    /// Its text as an assertion.
    text: String,
    needs: BTreeSet<Feature>,
    symbols: Vec<SymbolRef>,
    body_symbols: Vec<SymbolRef>,
    activation: Activation,
    /// The function it defines, if it is the body of one.
    pub(crate) defines: Option<FuncId>,
    /// Symbols without which it says nothing: it is true wherever all of them are false. Empty if there are none.
    pub(crate) switches: Vec<SymbolRef>,
    /// Whether it is told only when a failing check is looked at for a second time ([`crate::second`]).
    is_second: bool,
    /// The digest of its text.
    pub(crate) digest: Digest,
    /// What in it could not be translated; then its text says nothing.
    unsupported: Option<String>,
}

impl Fact {
    /// The functions and constants it mentions.
    pub(crate) fn symbols(&self) -> &[SymbolRef] {
        &self.symbols
    }

    /// The functions and constants its right-hand side mentions, if it defines a function.
    pub(crate) fn body_symbols(&self) -> &[SymbolRef] {
        &self.body_symbols
    }
}

/// The facts of a program.
pub(crate) struct Background {
    facts: Vec<Fact>,
    /// For every symbol, the facts whose activation mentions it.
    watchers: FastMap<SymbolRef, Vec<usize>>,
}

/// What symbols lead to.
struct Reach {
    reached: FastSet<SymbolRef>,
    used: Vec<bool>,
}

/// What one implementation stands on.
pub(crate) struct Foundation {
    /// Declarations and axioms, without the options.
    pub(crate) text: String,
    /// The facts used, in program order.
    pub(crate) facts: Vec<usize>,
    /// The names declared, for the implementation's variables to avoid.
    pub(crate) symbols: FastSet<SymbolRef>,
    /// What could not be translated: nothing can be said about what stands on it.
    pub(crate) unsupported: Option<String>,
}

impl Background {
    /// Translates all facts: axioms with the function each defines, and those that are kept for a second look.
    pub(crate) fn new(
        program: &Program,
        smt: &mut Smt,
        axioms: &[(ExprId, Option<FuncId>)],
        second: &[ExprId],
    ) -> Background {
        smt.names.extend(program);
        let mut background = Background {
            facts: Vec::new(),
            watchers: FastMap::default(),
        };
        for &(expr, defines) in axioms {
            background.add(program, smt, expr, defines);
        }
        for &expr in second {
            let number = background.add(program, smt, expr, None);
            background.facts[number].is_second = true;
        }
        background
    }

    /// Adds one fact and returns its number.
    pub(crate) fn add(
        &mut self,
        program: &Program,
        smt: &mut Smt,
        expr: ExprId,
        defines: Option<FuncId>,
    ) -> usize {
        smt.names.extend(program);
        smt.begin();
        let outside = smt.unsupported.take();
        let text = format!("(assert {})\n", smt.assumption(program, expr));
        let needs = smt.take_needs();
        let unsupported = std::mem::replace(&mut smt.unsupported, outside);
        let mut symbols = Vec::new();
        collect_symbols(program, expr, &mut symbols);
        let mut body_symbols = Vec::new();
        let right = right_hand_side(program, expr);
        if let Some(right) = right {
            collect_symbols(program, right, &mut body_symbols);
        }
        // What says something about a function of the prover extends nothing.
        let defines = defines.filter(|&func| right.is_some() && is_uninterpreted(program, func));
        let mut any_of = Vec::new();
        let conditional = activations(program, expr, &mut any_of);
        let activation = if symbols.is_empty() || !conditional {
            Activation::Always
        } else {
            Activation::AnyOf(any_of)
        };
        let number = self.facts.len();
        if let Activation::AnyOf(sets) = &activation {
            for symbol in sets.iter().flatten() {
                let watchers = self.watchers.entry(*symbol).or_default();
                if watchers.last() != Some(&number) {
                    watchers.push(number);
                }
            }
        }
        debug_assert!(
            symbols.is_sorted()
                && body_symbols
                    .iter()
                    .all(|symbol| symbols.binary_search(symbol).is_ok()),
            "the right-hand side is a part of the fact"
        );
        self.facts.push(Fact {
            digest: Digest::of_bytes(text.as_bytes()),
            text,
            needs,
            symbols,
            body_symbols,
            activation,
            defines,
            switches: switches(program, expr).unwrap_or_default(),
            is_second: false,
            unsupported,
        });
        number
    }

    /// How many facts there are.
    pub(crate) fn len(&self) -> usize {
        self.facts.len()
    }

    /// A fact by number.
    pub(crate) fn fact(&self, number: usize) -> &Fact {
        &self.facts[number]
    }

    /// What a text with these needs and symbols stands on.
    pub(crate) fn foundation(
        &self,
        program: &Program,
        smt: &mut Smt,
        needs: &BTreeSet<Feature>,
    ) -> Foundation {
        let mut reach = Reach {
            reached: FastSet::default(),
            used: vec![false; self.facts.len()],
        };
        self.extend(&mut reach, symbols_of_features(needs), false);
        let first = reach.used.clone();
        // What only axioms for a second look lead to is told with them.
        let symbols = reach.reached.iter().copied().collect();
        reach.reached.clear();
        self.extend(&mut reach, symbols, true);
        let Reach { reached, used } = reach;
        let facts: Vec<usize> = (0..used.len()).filter(|&i| used[i]).collect();
        debug_assert!(
            first.iter().zip(&used).all(|(first, used)| !first || *used),
            "what is told at once is told at the second look, too"
        );
        debug_assert!(
            facts.iter().all(|&number| self.facts[number]
                .symbols
                .iter()
                .all(|s| reached.contains(s))),
            "a foundation is closed"
        );
        let mut all_needs = needs.clone();
        for &number in &facts {
            all_needs.extend(self.facts[number].needs.iter().cloned());
        }
        let units = closure(program, smt, &all_needs);
        let text = self.print(program, smt, &units, &facts, &first);
        let of_facts = facts.iter().map(|&number| &self.facts[number].unsupported);
        let of_units = units.iter().map(|(_, unit)| &unit.unsupported);
        let unsupported = of_facts.chain(of_units).find_map(Clone::clone);
        Foundation {
            text,
            facts,
            symbols: reached,
            unsupported,
        }
    }

    /// Adds the facts that symbols lead to, with or without those for a second look.
    fn extend(&self, reach: &mut Reach, mut pending: Vec<SymbolRef>, with_second: bool) {
        let mut candidates: Vec<usize> = (0..self.facts.len())
            .filter(|&i| matches!(self.facts[i].activation, Activation::Always))
            .collect();
        loop {
            while let Some(symbol) = pending.pop() {
                if reach.reached.insert(symbol) {
                    candidates.extend(self.watchers.get(&symbol).into_iter().flatten());
                }
            }
            let Some(number) = candidates.pop() else {
                break;
            };
            let fact = &self.facts[number];
            let active = match &fact.activation {
                _ if fact.is_second && !with_second => false,
                Activation::Always => true,
                Activation::AnyOf(sets) => sets
                    .iter()
                    .any(|set| set.iter().all(|symbol| reach.reached.contains(symbol))),
            };
            if active && !reach.used[number] {
                reach.used[number] = true;
                pending.extend(&fact.symbols);
            }
        }
    }

    fn print(
        &self,
        program: &Program,
        smt: &mut Smt,
        units: &[(Feature, Rc<Unit>)],
        facts: &[usize],
        first: &[bool],
    ) -> String {
        debug_assert_eq!(
            first.len(),
            self.facts.len(),
            "whether each fact is told at once"
        );
        debug_assert!(
            units.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "units come in a fixed order, each once"
        );
        let mut text = String::new();
        text.push_str(match smt.encoding.types {
            Types::Monomorphic => "",
            Types::Erased => {
                "(declare-sort T@U 0)\n(declare-sort T@T 0)\n(declare-fun type (T@U) T@T)\n"
            }
            Types::Predicates => {
                "(declare-sort T@U 0)\n(declare-sort T@T 0)\n\
                 (declare-fun type (T@U) T@T)\n(declare-fun Ctor (T@T) Int)\n"
            }
        });
        // Datatypes may have fields of any other sort.
        let (datatypes, others): (Vec<_>, Vec<_>) = units
            .iter()
            .partition(|(feature, _)| matches!(feature, Feature::Datatype(_)));
        for (_, unit) in others.into_iter().chain(datatypes) {
            text.push_str(&unit.sorts);
        }
        text.push_str(
            "(declare-fun tickleBool (Bool) Bool)\n\
             (assert (and (tickleBool true) (tickleBool false)))\n(declare-fun ControlFlow (Int Int) Int)\n",
        );
        for (_, unit) in units {
            text.push_str(&unit.declarations);
        }
        let functions = units
            .iter()
            .filter_map(|(_, unit)| unit.type_function.as_ref());
        for (number, (name, params)) in functions.enumerate() {
            number_type_function(name, *params, number, &mut text);
        }
        for (_, unit) in units {
            text.push_str(&unit.axioms);
        }
        unique_constants(program, smt, units, &mut text);
        for &number in facts {
            let fact = &self.facts[number].text;
            match first[number] {
                true => text.push_str(fact),
                false => text.push_str(&second::kept(fact)),
            }
        }
        text
    }
}

fn symbols_of_features(needs: &BTreeSet<Feature>) -> Vec<SymbolRef> {
    needs
        .iter()
        .filter_map(|feature| match feature {
            Feature::Func(func) => Some(SymbolRef::Func(*func)),
            Feature::Const(var) => Some(SymbolRef::Const(*var)),
            _ => None,
        })
        .collect()
}

/// All units needed, in a fixed order.
fn closure(
    program: &Program,
    smt: &mut Smt,
    needs: &BTreeSet<Feature>,
) -> Vec<(Feature, Rc<Unit>)> {
    let mut found: std::collections::BTreeMap<Feature, Rc<Unit>> = Default::default();
    let mut pending: Vec<Feature> = needs.iter().cloned().collect();
    while let Some(feature) = pending.pop() {
        if found.contains_key(&feature) {
            continue;
        }
        let unit = smt.unit(program, &feature);
        pending.extend(unit.needs.iter().cloned());
        found.insert(feature, unit);
    }
    found.into_iter().collect()
}

fn number_type_function(name: &str, params: usize, number: usize, text: &mut String) {
    let _ = if params == 0 {
        writeln!(text, "(assert (= (Ctor {name}) {number}))")
    } else {
        let head: String = (0..params).map(|i| format!("(a{i} T@T) ")).collect();
        let args: String = (0..params).map(|i| format!(" a{i}")).collect();
        writeln!(
            text,
            "(assert (forall ({head}) (! (= (Ctor ({name}{args})) {number}) :pattern (({name}{args})))))"
        )
    };
}

/// `unique` constants of one type are pairwise distinct.
fn unique_constants(
    program: &Program,
    smt: &Smt,
    units: &[(Feature, Rc<Unit>)],
    text: &mut String,
) {
    let declared: FastSet<VarId> = units
        .iter()
        .filter_map(|(feature, _)| match feature {
            Feature::Const(var) => Some(*var),
            _ => None,
        })
        .collect();
    let mut groups: Vec<(stet_boogie::TypeId, Vec<Rc<str>>)> = Vec::new();
    for (_, constant) in program.consts.iter() {
        if !constant.unique || !declared.contains(&constant.var) {
            continue;
        }
        let (Some(ty), Some(name)) = (
            program.vars[constant.var].ty,
            smt.names.constant(constant.var),
        ) else {
            continue;
        };
        match groups.iter_mut().find(|(group, _)| *group == ty) {
            Some((_, names)) => names.push(name),
            None => groups.push((ty, vec![name])),
        }
    }
    for (_, names) in groups {
        if names.len() > 1 {
            let names: Vec<&str> = names.iter().map(|name| &**name).collect();
            let _ = writeln!(text, "(assert (distinct {}))", names.join(" "));
        }
    }
}

/// The functions and constants in an expression.
pub(crate) fn collect_symbols(program: &Program, root: ExprId, symbols: &mut Vec<SymbolRef>) {
    tree::walk(program, root, &mut |id| {
        match &program.exprs[id].kind {
            ExprKind::Call {
                func: Some(func), ..
            } if is_uninterpreted(program, *func) => symbols.push(SymbolRef::Func(*func)),
            ExprKind::Ident { var: Some(var), .. }
                if program.vars[*var].kind == VarKind::Constant =>
            {
                symbols.push(SymbolRef::Const(*var));
            }
            _ => {}
        }
        true
    });
    symbols.sort_unstable();
    symbols.dedup();
}

/// The right-hand side of the definition of a function.
fn right_hand_side(program: &Program, expr: ExprId) -> Option<ExprId> {
    match &program.exprs[expr].kind {
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Iff, _, right) => Some(*right),
        ExprKind::Binder(binder) => right_hand_side(program, binder.body),
        ExprKind::Ascribe(inner, _) => right_hand_side(program, *inner),
        _ => None,
    }
}

/// Symbols that make a formula true if all of them are false, a constant among them: whoever assumes that constant switches the
/// formula on.
fn switches(program: &Program, expr: ExprId) -> Option<Vec<SymbolRef>> {
    match &program.exprs[expr].kind {
        ExprKind::Binder(binder) if binder.kind == BinderKind::Forall => {
            switches(program, binder.body)
        }
        ExprKind::Ascribe(inner, _) => switches(program, *inner),
        ExprKind::Binary(BinaryOp::Imp, a, b) => {
            let guard = refuters(program, *a).filter(|found| has_constant(found));
            let guard = guard.filter(|found| found.iter().all(|&s| can_be_false(program, s)));
            guard.or_else(|| switches(program, *b))
        }
        _ => None,
    }
}

/// Symbols that make a formula false if all of them are false; with a constant among them, if that can be.
fn refuters(program: &Program, expr: ExprId) -> Option<Vec<SymbolRef>> {
    match &program.exprs[expr].kind {
        ExprKind::Ident { var: Some(var), .. } if program.vars[*var].kind == VarKind::Constant => {
            Some(vec![SymbolRef::Const(*var)])
        }
        ExprKind::Call {
            func: Some(func), ..
        } if is_uninterpreted(program, *func) => Some(vec![SymbolRef::Func(*func)]),
        ExprKind::Ascribe(inner, _) => refuters(program, *inner),
        ExprKind::Binary(BinaryOp::And, a, b) => {
            let first = refuters(program, *a);
            if first.as_deref().is_some_and(has_constant) {
                return first;
            }
            let second = refuters(program, *b);
            second.filter(|found| has_constant(found)).or(first)
        }
        ExprKind::Binary(BinaryOp::Or, a, b) => {
            let mut both = refuters(program, *a)?;
            both.extend(refuters(program, *b)?);
            Some(both)
        }
        _ => None,
    }
}

/// Whether nothing but axioms says what a symbol is: no definition, no other constants from which it differs.
fn can_be_false(program: &Program, symbol: SymbolRef) -> bool {
    match symbol {
        SymbolRef::Const(var) => !program.consts.iter().any(|(_, c)| c.var == var && c.unique),
        SymbolRef::Func(func) => {
            let is_defined = |defines: Option<FuncId>| defines == Some(func);
            program.funcs[func].body.is_none()
                && !program.axioms.iter().any(|(_, a)| is_defined(a.defines))
        }
    }
}

fn has_constant(symbols: &[SymbolRef]) -> bool {
    symbols.iter().any(|s| matches!(s, SymbolRef::Const(_)))
}

/// Whether a function means what axioms say, and not what SMT-LIB says.
pub(crate) fn is_uninterpreted(program: &Program, func: FuncId) -> bool {
    let function = &program.funcs[func];
    function.datatype == DatatypeRole::None && super::builtin(program, func).is_none()
}

/// Collects the sets of symbols that can wake a formula; false if it can matter unconditionally.
fn activations(program: &Program, expr: ExprId, sets: &mut Vec<Vec<SymbolRef>>) -> bool {
    match &program.exprs[expr].kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            let first = activations(program, *a, sets);
            activations(program, *b, sets) && first
        }
        // A guarded quantifier can be left undecided as long as it is never instantiated.
        ExprKind::Binary(BinaryOp::Imp, _, b) if is_triggered(program, *b) => {
            activations(program, *b, sets)
        }
        ExprKind::Binder(binder)
            if binder.kind == BinderKind::Forall && is_triggered(program, expr) =>
        {
            for trigger in binder.triggers.iter().filter(|trigger| trigger.positive) {
                let mut set = Vec::new();
                for &e in &trigger.exprs {
                    collect_symbols(program, e, &mut set);
                }
                set.sort_unstable();
                set.dedup();
                if set.is_empty() {
                    return false;
                }
                sets.push(set);
            }
            true
        }
        ExprKind::Ascribe(inner, _) => activations(program, *inner, sets),
        _ => {
            let mut symbols = Vec::new();
            collect_symbols(program, expr, &mut symbols);
            if symbols.is_empty() {
                return false;
            }
            sets.extend(symbols.into_iter().map(|symbol| vec![symbol]));
            true
        }
    }
}

/// Whether a formula is a universal quantifier with triggers, possibly under guards or ascriptions.
fn is_triggered(program: &Program, expr: ExprId) -> bool {
    match &program.exprs[expr].kind {
        ExprKind::Binder(binder) => {
            binder.kind == BinderKind::Forall
                && binder.triggers.iter().any(|trigger| trigger.positive)
        }
        ExprKind::Binary(BinaryOp::Imp, _, b) => is_triggered(program, *b),
        ExprKind::Ascribe(inner, _) => is_triggered(program, *inner),
        _ => false,
    }
}

//! Triggers of quantifiers: the terms whose occurrence makes the prover look at an instance.
//!
//! A term can be one if it mentions a bound variable and holds nothing but functions, selections and variables. The
//! smallest such terms that cover all bound variables are taken, each an alternative; if none covers all, combinations.

use crate::tree::{B, Name, Node, TypedName, app, children, var};
use std::rc::Rc;

/// How many alternatives a quantifier gets.
const MAX_ALTERNATIVES: usize = 6;

/// Terms chosen by the front end, if the prover can match them and they cover all variables.
pub(crate) fn usable(terms: Vec<B>, vars: &[TypedName], arithmetic: bool) -> Option<Vec<B>> {
    let terms: Vec<B> = terms.iter().filter_map(stripped).collect();
    let covered = vars
        .iter()
        .all(|(name, _)| terms.iter().any(|t| crate::tree::mentions(t, name)));
    let allowed = match arithmetic {
        true => Allowed::Sums,
        false => Allowed::Functions,
    };
    (covered && !terms.is_empty() && terms.iter().all(|t| is_matchable(t, allowed)))
        .then_some(terms)
}

/// The part of a term that can be matched: `0 < count(m, x)` is matched by `count(m, x)`.
fn stripped(term: &B) -> Option<B> {
    match &**term {
        Node::Not(inner) => stripped(inner),
        Node::Bin(op, a, b) if is_relation(*op) => {
            let pick = |x: &B| matches!(**x, Node::App(..) | Node::Select(..)).then(|| x.clone());
            pick(b).or_else(|| pick(a))
        }
        Node::Var(_) | Node::Int(_) | Node::Bool(_) => None,
        _ => Some(term.clone()),
    }
}

fn is_relation(op: crate::tree::BinaryOp) -> bool {
    use crate::tree::BinaryOp as Op;
    matches!(op, Op::Eq | Op::Neq | Op::Lt | Op::Le | Op::Gt | Op::Ge)
}

fn is_matchable(e: &B, allowed: Allowed) -> bool {
    use crate::tree::BinaryOp as Op;
    match &**e {
        Node::Var(_) | Node::Int(_) | Node::Bool(_) | Node::Bv(..) | Node::Real(..) => true,
        Node::App(name, _) if matches!(&**name, "$Div" | "$Mod") => false,
        Node::App(name, _) if &**name == "$Mul" && allowed != Allowed::Sums => false,
        Node::App(_, args) => args.iter().all(|a| is_matchable(a, allowed)),
        Node::Select(..) | Node::Old(_) => {
            children(e).into_iter().all(|c| is_matchable(c, allowed))
        }
        Node::Lambda { .. } => allowed == Allowed::Lambdas,
        Node::Bin(Op::Add | Op::Sub | Op::Mul, a, b) if allowed == Allowed::Sums => {
            is_matchable(a, allowed) && is_matchable(b, allowed)
        }
        Node::Neg(a) if allowed == Allowed::Sums => is_matchable(a, allowed),
        _ => false,
    }
}

/// Functions that are too common to find instances by.
fn is_common(name: &str) -> bool {
    let prefixes = ["$Is.", "$IsAlloc.", "$Box$", "$rank$", "$make."];
    let names = [
        "$index",
        "$index.more",
        "$dtype",
        "$LS",
        "$alloc",
        "$length",
        "$HeapOk",
        "$char.of",
        "$Mul",
        "$Div",
        "$Mod",
        "$real.of",
        "$real.floor",
    ];
    names.contains(&name) || prefixes.iter().any(|p| name.starts_with(p)) || name.contains("$can.")
}

/// Whether a candidate is an equality of collections whose operands mention what it mentions in candidates of their own: these are
/// found more often than it is.
fn is_found_by_operands(c: &Candidate, all: &[Candidate]) -> bool {
    let Node::App(name, _) = &*c.term else {
        return false;
    };
    let inside = all.iter().filter(|d| contains(&c.term, &d.term));
    is_equality(name) && inside.fold(0, |covers, d| covers | d.covers) == c.covers
}

/// Whether a function is the equality of collections.
fn is_equality(name: &str) -> bool {
    let prefixes = [
        "$Seq.eq$",
        "$Set.eq$",
        "$ISet.eq$",
        "$MultiSet.eq$",
        "$Map.eq$",
        "$IMap.eq$",
        "$Eq.",
    ];
    prefixes.iter().any(|p| name.starts_with(p))
}

/// A candidate with the positions of the variables it mentions.
struct Candidate {
    term: B,
    covers: u64,
}

/// Chooses triggers from the body of a quantifier; none if there is no candidate for some variable.
pub(crate) fn choose(body: &B, vars: &[TypedName]) -> Vec<Vec<B>> {
    if vars.len() > 60 {
        return Vec::new();
    }
    let found = choose_among(body, vars, Allowed::Functions);
    if found.is_empty() {
        return choose_among(body, vars, Allowed::Conversions);
    }
    found
}

/// The same with sums in the terms: these have to be taken out ([`crate::sums`]).
pub(crate) fn choose_with_sums(body: &B, vars: &[TypedName]) -> Vec<Vec<B>> {
    match vars.len() {
        0..=60 => choose_among(body, vars, Allowed::Sums),
        _ => Vec::new(),
    }
}

/// The same with sums in the terms that mention no bound variable.
pub(crate) fn choose_with_ground_sums(body: &B, vars: &[TypedName]) -> Vec<Vec<B>> {
    match vars.len() {
        0..=60 => choose_among(body, vars, Allowed::GroundSums),
        _ => Vec::new(),
    }
}

/// Chooses triggers of a hypothesis: what is said of a function value is found by that value.
pub(crate) fn choose_for_hypothesis(body: &B, vars: &[TypedName]) -> Vec<Vec<B>> {
    let found = choose(body, vars);
    if found.is_empty() && vars.len() <= 60 {
        return choose_among(body, vars, Allowed::Lambdas);
    }
    found
}

fn choose_among(body: &B, vars: &[TypedName], allowed: Allowed) -> Vec<Vec<B>> {
    let mut found = Vec::new();
    let mut scope = Scope {
        vars,
        allowed,
        inner: Vec::new(),
    };
    collect(body, &mut scope, &mut found);
    let mut distinct: Vec<Candidate> = Vec::new();
    for candidate in found {
        if !distinct.iter().any(|c| c.term == candidate.term) {
            distinct.push(candidate);
        }
    }
    let smallest: Vec<&Candidate> = distinct
        .iter()
        .filter(|c| !is_found_by_operands(c, &distinct))
        .filter(|c| {
            !distinct
                .iter()
                .any(|d| d.covers == c.covers && d.term != c.term && contains(&c.term, &d.term))
        })
        .collect();
    let all = (1u64 << vars.len()) - 1;
    let mut full: Vec<Vec<B>> = smallest
        .iter()
        .filter(|c| c.covers == all)
        .map(|c| vec![c.term.clone()])
        .collect();
    if full.is_empty() {
        combine(&smallest, all, 0, &mut Vec::new(), &mut full);
    }
    full.truncate(MAX_ALTERNATIVES);
    full
}

/// Minimal sets of candidates that cover all variables, in order.
fn combine(
    candidates: &[&Candidate],
    missing: u64,
    from: usize,
    chosen: &mut Vec<B>,
    full: &mut Vec<Vec<B>>,
) {
    if missing == 0 {
        full.push(chosen.clone());
        return;
    }
    if full.len() >= MAX_ALTERNATIVES || chosen.len() >= 5 {
        return;
    }
    for (i, candidate) in candidates.iter().enumerate().skip(from) {
        let gain = candidate.covers & missing;
        // Each term must add the first variable that is missing, so that sets are minimal and found once.
        if gain & missing & missing.wrapping_neg() != 0 {
            chosen.push(candidate.term.clone());
            combine(candidates, missing & !gain, 0, chosen, full);
            chosen.pop();
        }
        let _ = i;
    }
}

/// Adds the same terms without layers: a witness may come out of a definition, and then it has no layer left.
pub(crate) fn add_bare(triggers: &mut Vec<Vec<B>>) {
    let bare: Vec<Vec<B>> = triggers
        .iter()
        .map(|terms| terms.iter().map(without_layers).collect())
        .filter(|terms| !triggers.contains(terms))
        .collect();
    triggers.extend(bare);
}

/// A term whose functions have no layers to be unfolded with.
fn without_layers(e: &B) -> B {
    match &**e {
        Node::App(f, _) if &**f == "$LS" => var("$LZ"),
        Node::App(f, args) => app(f, args.iter().map(without_layers).collect()),
        _ => e.clone(),
    }
}

fn contains(term: &B, part: &B) -> bool {
    children(term)
        .into_iter()
        .any(|c| c == part || contains(c, part))
}

/// What may be in a term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Functions,
    /// Conversions of numbers, where nothing else can be matched.
    Conversions,
    Sums,
    /// Sums of what is known where the quantifier stands.
    GroundSums,
    /// Function values: equal ones are equal terms.
    Lambdas,
}

struct Scope<'a> {
    vars: &'a [TypedName],
    allowed: Allowed,
    /// The variables of binders inside.
    inner: Vec<Name>,
}

fn collect(e: &B, scope: &mut Scope, found: &mut Vec<Candidate>) {
    let is_candidate = match &**e {
        Node::App(name, _)
            if scope.allowed == Allowed::Conversions && name.starts_with("$real.") =>
        {
            true
        }
        Node::App(name, _) => !is_common(name),
        Node::Select(..) => true,
        _ => false,
    };
    let is_free = |scope: &Scope| !scope.inner.iter().any(|n| crate::tree::mentions(e, n));
    let is_matchable = match scope.allowed {
        Allowed::GroundSums => is_matchable(&with_names_for_sums(e, scope), Allowed::Functions),
        allowed => is_matchable(e, allowed),
    };
    if is_candidate && is_matchable && is_free(scope) {
        let mut covers = 0;
        for (i, (name, _)) in scope.vars.iter().enumerate() {
            if crate::tree::mentions(e, name) {
                covers |= 1 << i;
            }
        }
        if covers != 0 {
            found.push(Candidate {
                term: e.clone(),
                covers,
            });
        }
    }
    let before = scope.inner.len();
    match &**e {
        Node::Quant { vars, .. } | Node::Lambda { vars, .. } => {
            scope.inner.extend(vars.iter().map(|(n, _)| n.clone()));
        }
        Node::Let { vars, .. } => scope.inner.extend(vars.iter().cloned()),
        _ => {}
    }
    for child in children(e) {
        collect(child, scope, found);
    }
    scope.inner.truncate(before);
}

/// A term in which a name stands for each sum that mentions no bound variable.
fn with_names_for_sums(e: &B, scope: &Scope) -> B {
    let is_sum = match &**e {
        Node::Bin(..) | Node::Neg(_) => true,
        Node::App(name, _) => matches!(&**name, "$Mul" | "$Div" | "$Mod"),
        _ => false,
    };
    if is_sum {
        let bound = scope.vars.iter().map(|(name, _)| name).chain(&scope.inner);
        let is_ground = bound
            .into_iter()
            .all(|name| !crate::tree::mentions(e, name));
        return if is_ground { var("$sum") } else { e.clone() };
    }
    match &**e {
        Node::App(f, args) => app(
            f,
            args.iter().map(|a| with_names_for_sums(a, scope)).collect(),
        ),
        Node::Select(map, at) => Rc::new(Node::Select(
            with_names_for_sums(map, scope),
            at.iter().map(|a| with_names_for_sums(a, scope)).collect(),
        )),
        _ => e.clone(),
    }
}

/// The free variables of an expression other than `bound`, in order of occurrence.
pub(crate) fn free_vars(e: &B, bound: &[TypedName]) -> Vec<Name> {
    let mut scope: Vec<Name> = bound.iter().map(|(n, _)| n.clone()).collect();
    let mut found = Vec::new();
    collect_free(e, &mut scope, &mut found);
    found
}

fn collect_free(e: &B, scope: &mut Vec<Name>, found: &mut Vec<Name>) {
    let before = scope.len();
    match &**e {
        Node::Var(name) if !scope.contains(name) && !found.contains(name) => {
            found.push(name.clone());
        }
        Node::Quant { vars, .. } | Node::Lambda { vars, .. } => {
            scope.extend(vars.iter().map(|(n, _)| n.clone()));
        }
        Node::Let { vars, .. } => scope.extend(vars.iter().cloned()),
        _ => {}
    }
    for child in children(e) {
        collect_free(child, scope, found);
    }
    scope.truncate(before);
}

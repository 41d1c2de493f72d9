//! The conditions of one predicate, grouped ([RTC §4]).
//!
//! All assertions of a predicate become one [`Plan`]: the properties to evaluate on entry and on exit, each once;
//! the distinct preconditions over them, whose status is kept for the postconditions that depend on it; the calls
//! condition (the disjunction of all preconditions, [RTC §2]) and one success condition per assertion. Conditions
//! that are true whatever the arguments are left out.

use super::comp;
use super::flags::Flags;
use stet_prolog::assertions::regtypes::{Automata, StateId};
use stet_prolog::assertions::{Assertion, AssertionKind, Dnf, is_trivial};
use stet_prolog::{
    AstView, Atom, AtomTable, Node, Ops, Place, TermId, Terms, Variable, WriteOptions, atom,
    write_term,
};

/// A property literal of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Prop {
    /// The literal over the plan's variables, as text.
    pub(crate) text: String,
    /// The literal over `A1`, `A2`, … without operators.
    pub(crate) canonical: String,
    /// The first head argument it mentions, for a stable order.
    order: usize,
    pub(crate) kind: PropKind,
}

impl Prop {
    /// The head argument an automaton looks at.
    pub(crate) fn argument(&self) -> Option<usize> {
        match self.kind {
            PropKind::Native(argument, _) => Some(argument),
            PropKind::Goal => None,
        }
    }
}

/// How a property is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PropKind {
    /// By the automaton: this head argument, in this state of the module's automata.
    Native(usize, StateId),
    /// By calling it.
    Goal,
}

/// A disjunction of conjunctions over the indices of a plan's properties.
pub(crate) type Formula = Vec<Vec<usize>>;

/// A calls condition: one of these preconditions holds.
#[derive(Clone, Debug)]
pub(crate) struct CallsCondition {
    pub(crate) any_of: Vec<usize>,
    /// The assertions it comes from.
    pub(crate) assertions: Vec<usize>,
}

/// A success condition.
#[derive(Clone, Debug)]
pub(crate) struct SuccessCondition {
    /// The precondition; `None` always holds.
    pub(crate) pre: Option<usize>,
    pub(crate) post: Formula,
    pub(crate) assertion: usize,
}

/// Computational properties of one assertion.
#[derive(Clone, Debug)]
pub(crate) struct CompCondition {
    pub(crate) pre: Option<usize>,
    /// The properties over the plan's variables, as text.
    pub(crate) texts: Vec<String>,
    /// The same over `A1`, `A2`, … without operators.
    pub(crate) canonical: Vec<String>,
    /// The numbers of answers each admits, if that is what it is about; a maximum of -1 is no limit.
    pub(crate) answers: Vec<Option<(i64, i64)>>,
    /// Whether each excludes that the computation ends in an exception.
    pub(crate) no_exceptions: Vec<bool>,
    pub(crate) assertion: usize,
}

/// Everything to check for one predicate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) arity: usize,
    /// Names for the head's arguments.
    pub(crate) vars: Vec<String>,
    pub(crate) entry_props: Vec<Prop>,
    pub(crate) pres: Vec<Formula>,
    pub(crate) calls: Vec<CallsCondition>,
    /// Compatibility: property indices of `compat_props`, and the assertion. It must be kept until exit.
    pub(crate) compat: Vec<(Formula, usize)>,
    pub(crate) compat_props: Vec<Prop>,
    /// Which of `compat` are looked at again on exit: those that the postcondition does not imply.
    pub(crate) compat_kept: Vec<bool>,
    pub(crate) exit_props: Vec<Prop>,
    pub(crate) success: Vec<SuccessCondition>,
    pub(crate) comp: Vec<CompCondition>,
    pub(crate) assertions: Vec<Assertion>,
    /// The properties each assertion mentions, on entry and on exit.
    pub(crate) mentioned: Vec<[Formula; 2]>,
}

/// Which calls of a predicate an assertion is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// All of them.
    All,
    /// Those from outside the module: `entry` and `exit`.
    Outside,
}

impl Reach {
    fn of(kind: AssertionKind) -> Reach {
        match kind {
            AssertionKind::Entry | AssertionKind::Exit => Reach::Outside,
            _ => Reach::All,
        }
    }
}

/// What building a plan needs besides the assertions.
pub(crate) struct PlanContext<'a> {
    pub(crate) atoms: &'a AtomTable,
    pub(crate) ops: &'a Ops,
    pub(crate) automata: &'a mut Automata,
    /// Which kinds of assertions are checked.
    pub(crate) flags: Flags,
}

impl Plan {
    /// Groups the assertions of `name/arity` about calls of this reach. `None`: nothing is to be checked.
    pub(crate) fn build(
        context: &mut PlanContext<'_>,
        (name, arity): (Atom, usize),
        assertions: &[Assertion],
        reach: Reach,
    ) -> Option<Plan> {
        let checked: Vec<Assertion> = assertions
            .iter()
            .filter(|a| context.flags.checks(a) && Reach::of(a.kind) == reach)
            .cloned()
            .collect();
        let mut plan = Plan {
            name: context.atoms.text(name).to_string(),
            arity,
            vars: variable_names(&checked, arity),
            assertions: checked,
            ..Plan::default()
        };
        let mut builder = PlanBuilder {
            context,
            plan: &mut plan,
            entry: Vec::new(),
            exit: Vec::new(),
            compat: Vec::new(),
        };
        builder.group();
        let (entry, exit, compat) = (builder.entry, builder.exit, builder.compat);
        plan.entry_props = entry;
        plan.exit_props = exit;
        plan.compat_props = compat;
        plan.renumber();
        debug_assert!(
            plan.pres
                .iter()
                .flatten()
                .flatten()
                .all(|&prop| prop < plan.entry_props.len()),
            "preconditions are over properties on entry"
        );
        debug_assert!(
            plan.success
                .iter()
                .flat_map(|s| &s.post)
                .flatten()
                .all(|&prop| prop < plan.exit_props.len()),
            "postconditions are over properties on exit"
        );
        debug_assert_eq!(
            plan.mentioned.len(),
            plan.assertions.len(),
            "the properties of every assertion"
        );
        (!plan.is_empty()).then_some(plan)
    }

    /// Whether nothing is checked.
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
            && self.success.is_empty()
            && self.comp.is_empty()
            && self.compat.is_empty()
    }

    /// Whether anything is checked on exit.
    pub(crate) fn has_exit(&self) -> bool {
        !self.success.is_empty()
    }

    /// Whether automata decide everything and nothing is asked of the computation as a whole.
    pub(crate) fn is_native(&self) -> bool {
        let native = |props: &[Prop]| props.iter().all(|p| matches!(p.kind, PropKind::Native(..)));
        self.comp.is_empty()
            && self.compat.is_empty()
            && native(&self.entry_props)
            && native(&self.exit_props)
            && self.entry_props.len() <= 60
            && self.exit_props.len() <= 60
            && self.pres.len() <= 60
    }

    /// The preconditions whose status a later condition needs.
    pub(crate) fn kept_pres(&self) -> Vec<usize> {
        let mut kept: Vec<usize> = self
            .success
            .iter()
            .filter_map(|s| s.pre)
            .chain(self.comp.iter().filter_map(|c| c.pre))
            .collect();
        kept.sort_unstable();
        kept.dedup();
        kept
    }

    /// The assertion that a property on entry is from; of several the first.
    pub(crate) fn assertion_on_entry(&self, prop: usize) -> usize {
        let has = |f: &Formula| f.iter().any(|conjunction| conjunction.contains(&prop));
        let by_mention = self.mentioned.iter().position(|[entry, _]| has(entry));
        let of = |pre: Option<usize>| pre.is_some_and(|pre| has(&self.pres[pre]));
        let success = self.success.iter().find(|s| of(s.pre));
        let comp = self.comp.iter().find(|c| of(c.pre));
        by_mention
            .or(success.map(|s| s.assertion))
            .or(comp.map(|c| c.assertion))
            .unwrap_or(0)
    }

    /// The assertion that a property on exit is from; of several the first.
    pub(crate) fn assertion_on_exit(&self, prop: usize) -> usize {
        let has = |f: &Formula| f.iter().any(|conjunction| conjunction.contains(&prop));
        let of = self.success.iter().find(|s| has(&s.post));
        of.map_or(0, |s| s.assertion)
    }

    /// Leaves out properties and preconditions that no condition uses.
    pub(crate) fn drop_unused(&mut self) {
        let mut used: Vec<bool> = vec![false; self.pres.len()];
        let pres = self.calls.iter().flat_map(|c| c.any_of.iter().copied());
        let kept = self.kept_pres();
        pres.chain(kept).for_each(|pre| used[pre] = true);
        let number = keep(&mut self.pres, &used);
        for calls in &mut self.calls {
            calls.any_of.iter_mut().for_each(|pre| *pre = number[*pre]);
        }
        for success in &mut self.success {
            success.pre = success.pre.map(|pre| number[pre]);
        }
        for comp in &mut self.comp {
            comp.pre = comp.pre.map(|pre| number[pre]);
        }
        debug_assert!(
            self.success
                .iter()
                .filter_map(|s| s.pre)
                .all(|pre| pre < self.pres.len()),
            "a precondition that is needed is kept"
        );
        let mut used = vec![false; self.entry_props.len()];
        self.pres
            .iter()
            .flatten()
            .flatten()
            .for_each(|&prop| used[prop] = true);
        let number = keep(&mut self.entry_props, &used);
        self.pres.iter_mut().for_each(|f| apply(f, &number));
        let mut used = vec![false; self.exit_props.len()];
        for success in &self.success {
            success
                .post
                .iter()
                .flatten()
                .for_each(|&prop| used[prop] = true);
        }
        let number = keep(&mut self.exit_props, &used);
        self.success
            .iter_mut()
            .for_each(|s| apply(&mut s.post, &number));
        self.mentioned = vec![[Vec::new(), Vec::new()]; self.assertions.len()];
    }

    /// Orders properties by argument, then text, as [RTC Example 1] does.
    fn renumber(&mut self) {
        let entry = sort_props(&mut self.entry_props);
        let exit = sort_props(&mut self.exit_props);
        let compat = sort_props(&mut self.compat_props);
        self.pres.iter_mut().for_each(|f| apply(f, &entry));
        self.success
            .iter_mut()
            .for_each(|s| apply(&mut s.post, &exit));
        self.compat.iter_mut().for_each(|(f, _)| apply(f, &compat));
        for [before, after] in &mut self.mentioned {
            apply(before, &entry);
            apply(after, &exit);
        }
    }
}

/// Keeps the items in use; the new number of each.
fn keep<T>(items: &mut Vec<T>, used: &[bool]) -> Vec<usize> {
    debug_assert_eq!(items.len(), used.len(), "whether each item is in use");
    let mut next = 0;
    let number = used
        .iter()
        .map(|&used| {
            next += usize::from(used);
            next.saturating_sub(1)
        })
        .collect();
    let mut flags = used.iter();
    items.retain(|_| flags.next().copied().unwrap_or(false));
    number
}

fn sort_props(props: &mut [Prop]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..props.len()).collect();
    order.sort_by(|&a, &b| (props[a].order, &props[a].text).cmp(&(props[b].order, &props[b].text)));
    let mut new_index = vec![0; props.len()];
    for (new, &old) in order.iter().enumerate() {
        new_index[old] = new;
    }
    let sorted: Vec<Prop> = order.iter().map(|&i| props[i].clone()).collect();
    props.clone_from_slice(&sorted);
    new_index
}

fn apply(formula: &mut Formula, new_index: &[usize]) {
    for conjunction in formula {
        for prop in conjunction.iter_mut() {
            *prop = new_index[*prop];
        }
    }
}

/// The first assertion's names where they are fit for all, else `A`, `B`, ….
fn variable_names(assertions: &[Assertion], arity: usize) -> Vec<String> {
    (0..arity)
        .map(|i| {
            let named = assertions.iter().find_map(|a| {
                let name = &a.variables[a.head[i] as usize];
                (!name.is_empty() && !name.starts_with('_')).then(|| name.clone())
            });
            named.unwrap_or_else(|| format!("A{}", i + 1))
        })
        .collect::<Vec<_>>()
        .into_iter()
        .enumerate()
        .fold(Vec::new(), |mut names: Vec<String>, (i, name)| {
            let name = if names.contains(&name) {
                format!("{name}{}", i + 1)
            } else {
                name
            };
            names.push(name);
            names
        })
}

struct PlanBuilder<'a, 'c> {
    context: &'a mut PlanContext<'c>,
    plan: &'a mut Plan,
    entry: Vec<Prop>,
    exit: Vec<Prop>,
    compat: Vec<Prop>,
}

#[derive(Clone, Copy)]
enum Side {
    Entry,
    Exit,
    Compat,
}

impl PlanBuilder<'_, '_> {
    fn group(&mut self) {
        let mut grouped = CallsCondition {
            any_of: Vec::new(),
            assertions: Vec::new(),
        };
        // An assertion without a precondition admits every call; `pred` does not, if `calls` say which there are.
        let (mut admits_all, mut is_pred_free, mut has_calls) = (false, false, false);
        for index in 0..self.plan.assertions.len() {
            let assertion = self.plan.assertions[index].clone();
            let pre = self.precondition(index, &assertion);
            let kind = assertion.kind;
            match (kind, pre) {
                (AssertionKind::Pred | AssertionKind::Calls | AssertionKind::Entry, Some(pre)) => {
                    if !grouped.any_of.contains(&pre) {
                        grouped.any_of.push(pre);
                    }
                    grouped.assertions.push(index);
                    has_calls |= kind == AssertionKind::Calls;
                }
                (AssertionKind::Pred, None) => is_pred_free = true,
                (AssertionKind::Calls | AssertionKind::Entry, None) => admits_all = true,
                _ => {}
            }
            self.other_parts(index, &assertion, pre);
        }
        admits_all |= is_pred_free && !has_calls;
        if !admits_all && !grouped.any_of.is_empty() {
            self.plan.calls.push(grouped);
        }
    }

    fn other_parts(&mut self, index: usize, assertion: &Assertion, pre: Option<usize>) {
        if !is_trivial(&assertion.compat) {
            let formula = self.formula(index, &assertion.compat, Side::Compat);
            self.plan.compat.push((formula, index));
            let kept = !is_implied(&assertion.compat, &assertion.success, |&a, &b| {
                let vars = &self.plan.vars;
                literal_text(self.context, assertion, vars, a)
                    == literal_text(self.context, assertion, vars, b)
            });
            self.plan.compat_kept.push(kept);
        }
        let mut mentioned = [
            pre.map_or_else(Vec::new, |pre| self.plan.pres[pre].clone()),
            Vec::new(),
        ];
        if !is_trivial(&assertion.success) {
            let post = self.formula(index, &assertion.success, Side::Exit);
            mentioned[1].clone_from(&post);
            self.plan.success.push(SuccessCondition {
                pre,
                post,
                assertion: index,
            });
        }
        self.plan.mentioned.push(mentioned);
        if !assertion.comp.is_empty() {
            let texts = assertion
                .comp
                .iter()
                .map(|&id| literal_text(self.context, assertion, &self.plan.vars, id))
                .collect();
            let canonical = assertion
                .comp
                .iter()
                .map(|&id| canonical_text(self.context, assertion, id))
                .collect();
            let answers = assertion
                .comp
                .iter()
                .map(|&id| comp::answers(self.context.atoms, assertion, id))
                .collect();
            let no_exceptions = assertion
                .comp
                .iter()
                .filter_map(|&id| assertion.terms.functor(id))
                .map(|(name, arity)| {
                    comp::excludes_exceptions(self.context.atoms.text(name), arity)
                })
                .collect();
            self.plan.comp.push(CompCondition {
                pre,
                texts,
                canonical,
                answers,
                no_exceptions,
                assertion: index,
            });
        }
    }

    /// The index of the precondition among the distinct ones; `None` if it is true.
    fn precondition(&mut self, index: usize, assertion: &Assertion) -> Option<usize> {
        if is_trivial(&assertion.calls) {
            return None;
        }
        let formula = self.formula(index, &assertion.calls, Side::Entry);
        let known = self.plan.pres.iter().position(|f| *f == formula);
        Some(known.unwrap_or_else(|| {
            self.plan.pres.push(formula);
            self.plan.pres.len() - 1
        }))
    }

    fn formula(&mut self, index: usize, dnf: &Dnf, side: Side) -> Formula {
        let mut formula = Vec::new();
        for conjunction in dnf {
            let mut props = Vec::new();
            for &literal in conjunction {
                let prop = self.prop(index, literal, side);
                if !props.contains(&prop) {
                    props.push(prop);
                }
            }
            formula.push(props);
        }
        formula
    }

    /// The index of a literal among the side's properties.
    fn prop(&mut self, index: usize, literal: TermId, side: Side) -> usize {
        let assertion = &self.plan.assertions[index];
        let text = literal_text(self.context, assertion, &self.plan.vars, literal);
        let props = match side {
            Side::Entry => &self.entry,
            Side::Exit => &self.exit,
            Side::Compat => &self.compat,
        };
        if let Some(known) = props.iter().position(|p| p.text == text) {
            return known;
        }
        let kind = kind_of(self.context, assertion, literal);
        let prop = Prop {
            order: first_argument(assertion, literal),
            canonical: canonical_text(self.context, assertion, literal),
            text,
            kind,
        };
        let props = match side {
            Side::Entry => &mut self.entry,
            Side::Exit => &mut self.exit,
            Side::Compat => &mut self.compat,
        };
        props.push(prop);
        props.len() - 1
    }
}

/// Whether a conjunction contains the literals of another.
fn is_implied(what: &Dnf, by: &Dnf, same: impl Fn(&TermId, &TermId) -> bool) -> bool {
    match (&what[..], &by[..]) {
        ([what], [by]) => what.iter().all(|a| by.iter().any(|b| same(a, b))),
        _ => false,
    }
}

fn kind_of(context: &mut PlanContext<'_>, assertion: &Assertion, literal: TermId) -> PropKind {
    let found = context
        .automata
        .literal(context.atoms, &assertion.terms, literal);
    let Some(Ok((argument, state))) = found else {
        return PropKind::Goal;
    };
    match *assertion.terms.node(argument) {
        Node::Var(var) => match assertion.head.iter().position(|&h| h == var) {
            Some(position) => PropKind::Native(position, state),
            None => PropKind::Goal,
        },
        _ => PropKind::Goal,
    }
}

/// The smallest head position of a variable in the literal.
fn first_argument(assertion: &Assertion, literal: TermId) -> usize {
    let mut first = usize::MAX;
    let mut stack = vec![literal];
    while let Some(id) = stack.pop() {
        if let Node::Var(var) = *assertion.terms.node(id)
            && let Some(position) = assertion.head.iter().position(|&h| h == var)
        {
            first = first.min(position);
        }
        stack.extend_from_slice(assertion.terms.args(id));
    }
    first
}

/// A literal over the plan's variables.
pub(crate) fn literal_text(
    context: &PlanContext<'_>,
    assertion: &Assertion,
    vars: &[String],
    literal: TermId,
) -> String {
    let options = WriteOptions {
        priority: 999,
        ..WriteOptions::WRITEQ
    };
    term_text(context, assertion, vars, literal, &options)
}

/// `mshare/1,2` over numbers of arguments: which variables a set names is not known any more when two have become one.
fn sharing_text(
    context: &PlanContext<'_>,
    assertion: &Assertion,
    literal: TermId,
) -> Option<String> {
    let terms = &assertion.terms;
    let (name, arity @ 1..=2) = terms.functor(literal)? else {
        return None;
    };
    if context.atoms.text(name) != "mshare" {
        return None;
    }
    let args = terms.args(literal);
    let variable = |id: TermId| match *terms.node(id) {
        Node::Var(var) => Some(var),
        _ => None,
    };
    let of: Vec<u32> = match arity {
        1 => assertion.head.clone(),
        _ => list_elements(terms, args[0])?
            .into_iter()
            .map(variable)
            .collect::<Option<_>>()?,
    };
    let mut sets = Vec::new();
    for set in list_elements(terms, args[arity - 1])? {
        let mut numbers = Vec::new();
        for element in list_elements(terms, set)? {
            let var = variable(element)?;
            numbers.push(1 + of.iter().position(|&v| v == var)?);
        }
        numbers.sort_unstable();
        sets.push(format!("{numbers:?}"));
    }
    let positions = of
        .iter()
        .map(|var| assertion.head.iter().position(|h| h == var))
        .collect::<Option<Vec<usize>>>()?;
    let names: Vec<String> = positions.iter().map(|i| format!("A{}", i + 1)).collect();
    Some(format!(
        "'$rtc_mshare'([{}],[{}])",
        names.join(","),
        sets.join(",")
    ))
}

/// The elements of a list with a known end.
fn list_elements(terms: &Terms, id: TermId) -> Option<Vec<TermId>> {
    let mut found = Vec::new();
    let mut at = id;
    while terms.functor(at) == Some((atom::DOT, 2)) {
        found.push(terms.args(at)[0]);
        at = terms.args(at)[1];
    }
    (terms.functor(at) == Some((atom::NIL, 0))).then_some(found)
}

/// A literal over `A1`, `A2`, … that reads back under any operators.
fn canonical_text(context: &PlanContext<'_>, assertion: &Assertion, literal: TermId) -> String {
    if let Some(text) = sharing_text(context, assertion, literal) {
        return text;
    }
    let vars: Vec<String> = (1..=assertion.head.len())
        .map(|i| format!("A{i}"))
        .collect();
    term_text(context, assertion, &vars, literal, &WriteOptions::CANONICAL)
}

fn term_text(
    context: &PlanContext<'_>,
    assertion: &Assertion,
    vars: &[String],
    id: TermId,
    options: &WriteOptions,
) -> String {
    let view = AstView {
        terms: &assertion.terms,
        variables: &renamed(assertion, vars),
    };
    write_term(&view, id, context.atoms, context.ops, options)
}

/// The assertion's variables under the plan's names; others get names of their own.
fn renamed(assertion: &Assertion, vars: &[String]) -> Vec<Variable> {
    (0..assertion.variables.len())
        .map(|index| {
            let position = assertion.head.iter().position(|&h| h as usize == index);
            let name = match position {
                Some(position) => vars[position].clone(),
                None => format!(
                    "_{}{index}",
                    assertion.variables[index].trim_start_matches('_')
                ),
            };
            Variable {
                name,
                occurrences: 2,
                place: Place::default(),
            }
        })
        .collect()
}

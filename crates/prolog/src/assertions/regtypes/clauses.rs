//! One clause of a regular type, added to its state.

use super::{
    ANY, Automata, Checked, Constant, MAX_ALTERNATIVES, MAX_DEPTH, Made, NotRegular, Primitive,
    StateId,
};
use crate::assertions::comma_list;
use crate::ast::{Clause, Node, TermId, Terms};
use crate::atoms::{Atom, AtomTable, atom};
use stet_base::FastMap;

/// One clause of a definition on its way into a state.
pub(super) struct ClauseContext<'a> {
    pub(super) automata: &'a mut Automata,
    pub(super) atoms: &'a AtomTable,
    pub(super) clause: &'a Clause,
    pub(super) env: FastMap<u32, StateId>,
    pub(super) depth: usize,
}

/// What the body says about one variable: nothing, a type, or included types and constants.
#[derive(Default)]
struct Facts {
    types: FastMap<u32, StateId>,
    includes: Vec<(Atom, Vec<StateId>)>,
    constants: Vec<TermId>,
}

impl ClauseContext<'_> {
    /// Adds the clause to `id` and returns the types it includes whole.
    pub(super) fn add_clause(
        &mut self,
        id: StateId,
        checked: Checked,
        params: &[StateId],
    ) -> Made<Vec<(Atom, Vec<StateId>)>> {
        let terms = &self.clause.terms;
        let (head, body) = match terms.functor(self.clause.root) {
            Some((atom::NECK, 2)) => {
                let args = terms.args(self.clause.root);
                (args[0], Some(args[1]))
            }
            _ => (self.clause.root, None),
        };
        let args = terms.args(head);
        let Some(last) = args.len().checked_sub(1) else {
            return self.refuse("a type has an argument");
        };
        let (subject, rest) = match checked {
            Checked::First => (args[0], &args[1..]),
            Checked::Last => (args[last], &args[..last]),
        };
        for (&param, &state) in rest.iter().zip(params) {
            match *terms.node(param) {
                Node::Var(var) => self.env.insert(var, state),
                _ => return self.refuse("a parameter of a type is a variable"),
            };
        }
        let mut includes = Vec::new();
        for body in alternatives(terms, body)
            .ok_or_else(|| self.not_regular("the body has too many alternatives"))?
        {
            let facts = self.facts(subject, &body)?;
            self.add_alternative(id, subject, &facts)?;
            includes.extend(facts.includes);
        }
        Ok(includes)
    }

    fn facts(&mut self, subject: TermId, body: &[TermId]) -> Made<Facts> {
        let terms = &self.clause.terms;
        let subject_var = match *terms.node(subject) {
            Node::Var(var) => Some(var),
            _ => None,
        };
        let mut facts = Facts::default();
        for &goal in body {
            if self.enumeration(goal, subject_var, &mut facts) {
                continue;
            }
            let found = self
                .automata
                .literal_in(self.atoms, terms, goal, &self.env, self.depth);
            let (argument, state) = match found {
                Some(Ok(found)) => found,
                Some(Err(error)) => return Err(error),
                None => return self.refuse("the body has a goal that is no type"),
            };
            let Node::Var(var) = *terms.node(argument) else {
                return self.refuse("a type in the body is applied to a variable");
            };
            if Some(var) == subject_var {
                let key = self
                    .automata
                    .memo
                    .iter()
                    .find(|(_, s)| **s == state)
                    .map(|(key, _)| key.clone());
                match key {
                    Some(key) => facts.includes.push(key),
                    None => facts
                        .includes
                        .push((self.atoms.lookup("term").unwrap_or(atom::ANY), Vec::new())),
                }
                if facts.includes.len() > 1 {
                    return self.refuse("two types for one variable");
                }
                continue;
            }
            if let Some(&old) = facts.types.get(&var)
                && old != state
                && old != ANY
                && state != ANY
            {
                return self.refuse("two types for one variable");
            }
            let entry = facts.types.entry(var).or_insert(state);
            if *entry == ANY {
                *entry = state;
            }
        }
        Ok(facts)
    }

    /// `X = c` and `member(X, [c, …])` for the checked variable.
    fn enumeration(&self, goal: TermId, subject: Option<u32>, facts: &mut Facts) -> bool {
        let terms = &self.clause.terms;
        let Some((name, 2)) = terms.functor(goal) else {
            return false;
        };
        let args = terms.args(goal);
        let (Node::Var(var), Some(subject)) = (terms.node(args[0]), subject) else {
            return false;
        };
        if *var != subject {
            return false;
        }
        let items = match self.atoms.text(name) {
            "=" => vec![args[1]],
            "member" => comma_list(terms, args[1]),
            _ => return false,
        };
        if !items.iter().all(|&item| constant(terms, item).is_some()) {
            return false;
        }
        facts.constants.extend(items);
        true
    }

    fn add_alternative(&mut self, id: StateId, subject: TermId, facts: &Facts) -> Made<()> {
        let terms = &self.clause.terms;
        if !facts.constants.is_empty() {
            if !facts.includes.is_empty() {
                return self.refuse("two types for one variable");
            }
            for &item in &facts.constants {
                let value = constant(terms, item).expect("checked when it was found");
                self.automata.states[id as usize].constants.push(value);
            }
            return Ok(());
        }
        if !facts.includes.is_empty() {
            return Ok(());
        }
        match terms.node(subject) {
            Node::Var(_) => {
                self.automata.states[id as usize]
                    .primitives
                    .push(Primitive::Any);
                Ok(())
            }
            _ => self.add_pattern(id, subject, facts, self.depth),
        }
    }

    /// Adds the linear term `pattern` to a state; inner compound terms get states of their own.
    fn add_pattern(
        &mut self,
        id: StateId,
        pattern: TermId,
        facts: &Facts,
        depth: usize,
    ) -> Made<()> {
        let terms = &self.clause.terms;
        if depth > MAX_DEPTH {
            return self.refuse("the term is nested too deeply");
        }
        if let Some(value) = constant(terms, pattern) {
            self.automata.states[id as usize].constants.push(value);
            return Ok(());
        }
        let Some((name, _)) = terms.functor(pattern) else {
            return self.refuse("a string in a type");
        };
        let mut seen: Vec<u32> = Vec::new();
        let mut states = Vec::new();
        for &arg in terms.args(pattern) {
            if let Node::Var(var) = *terms.node(arg) {
                if seen.contains(&var) || self.env.contains_key(&var) {
                    return self.refuse("a variable occurs twice in the term of a type");
                }
                seen.push(var);
                states.push(facts.types.get(&var).copied().unwrap_or(ANY));
            } else {
                let inner = self.automata.anonymous("part of a type");
                self.add_pattern(inner, arg, facts, depth + 1)?;
                states.push(inner);
            }
        }
        self.automata
            .add_rule(id, name, states, Some(self.clause.place))
    }

    fn refuse<T>(&self, reason: &str) -> Made<T> {
        Err(self.not_regular(reason))
    }

    fn not_regular(&self, reason: &str) -> NotRegular {
        NotRegular {
            reason: reason.to_string(),
            place: Some(self.clause.place),
        }
    }
}

fn constant(terms: &Terms, id: TermId) -> Option<Constant> {
    match terms.node(id) {
        Node::Atom(name) => Some(Constant::Atom(*name)),
        Node::Int(value) => Some(Constant::Int(*value)),
        Node::Big(value) => Some(Constant::Big((**value).clone())),
        Node::Float(value) => Some(Constant::Float(*value)),
        _ => None,
    }
}

/// The conjunctions of a body with `;`; `None` if there are too many.
fn alternatives(terms: &Terms, body: Option<TermId>) -> Option<Vec<Vec<TermId>>> {
    let mut done = Vec::new();
    // Each item: goals already split off, and terms still to split.
    let mut open: Vec<(Vec<TermId>, Vec<TermId>)> = vec![(Vec::new(), body.into_iter().collect())];
    while let Some((mut goals, mut rest)) = open.pop() {
        let Some(at) = rest.pop() else {
            done.push(goals);
            if done.len() > MAX_ALTERNATIVES {
                return None;
            }
            continue;
        };
        match terms.functor(at) {
            Some((atom::COMMA, 2)) => {
                rest.push(terms.args(at)[1]);
                rest.push(terms.args(at)[0]);
                open.push((goals, rest));
            }
            Some((atom::SEMICOLON, 2)) => {
                let mut right = rest.clone();
                right.push(terms.args(at)[1]);
                open.push((goals.clone(), right));
                rest.push(terms.args(at)[0]);
                open.push((goals, rest));
                if open.len() > MAX_ALTERNATIVES {
                    return None;
                }
            }
            Some((atom::TRUE, 0) | (atom::CUT, 0)) => open.push((goals, rest)),
            _ => {
                goals.push(at);
                open.push((goals, rest));
            }
        }
    }
    Some(done)
}

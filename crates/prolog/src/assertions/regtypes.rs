//! Regular types as deterministic top-down tree automata ([RTC §5]).
//!
//! A definition is the clauses of a predicate declared `:- regtype`. [`Automata::instantiate`] makes one state per
//! type and choice of parameters, so `list(int)` and `list(list(int))` are three states; recursion, also through
//! other types, closes on states already made. What is no regular program (two clauses for one functor that
//! disagree, goals other than types, two types for one variable) is refused with a reason, and its user falls
//! back to calling the predicate.
//!
//! A state accepts a term if it is one of its constants, in one of its primitives, or if the rule of its functor
//! accepts every argument.
//!
//! **Invariant:** at most one rule per functor and state.

use crate::ast::{Clause, Node, Place, TermId, Terms};
use crate::atoms::{Atom, AtomTable, atom};
use clauses::ClauseContext;
use num_bigint::BigInt;
use stet_base::FastMap;

mod clauses;

/// A state of an [`Automata`].
pub type StateId = u32;

/// The state that accepts everything.
pub const ANY: StateId = 0;

/// Sets of terms that are tested without looking at arguments, but for [`Primitive::Ground`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Primitive {
    Any,
    Int,
    /// Integers from zero on.
    Nnegint,
    Flt,
    Num,
    Atm,
    Struct,
    /// Terms without variables.
    Ground,
    /// Compound terms without variables.
    GroundStruct,
    /// Atoms and numbers.
    Constant,
    /// Atoms and compound terms.
    Callable,
    CharacterCode,
    /// Codes of digits and what else numbers are written with.
    NumCode,
    StringObject,
    /// Anything but a variable.
    Nonvar,
    /// Unbound variables: the one set that is not kept by further binding, so never cached.
    Var,
}

/// A constant a state accepts.
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    Atom(Atom),
    /// An integer that fits.
    Int(i64),
    /// Any other integer.
    Big(BigInt),
    Float(f64),
}

/// A transition `name(args…) → state`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The functor's name.
    pub name: Atom,
    /// The states of the arguments.
    pub args: Vec<StateId>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// The type expression, for messages.
    pub name: String,
    /// Accepted whatever the arguments.
    pub primitives: Vec<Primitive>,
    pub constants: Vec<Constant>,
    /// One rule per functor.
    pub rules: Vec<Rule>,
}

/// Why a type has no automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotRegular {
    /// In words; one line.
    pub reason: String,
    /// The clause at fault, if one is.
    pub place: Option<Place>,
}

/// Which argument of a type's predicate is the term; the others are parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checked {
    /// The first, as in [RTC Example 2].
    First,
    /// The last, as in newer code.
    Last,
}

#[derive(Clone, Debug)]
struct Definition {
    clauses: Vec<Clause>,
    checked: Checked,
}

/// The types known so far and their states.
#[derive(Clone, Debug)]
pub struct Automata {
    states: Vec<State>,
    memo: FastMap<(Atom, Vec<StateId>), StateId>,
    definitions: FastMap<(Atom, usize), Definition>,
}

const MAX_STATES: usize = 20_000;
const MAX_DEPTH: usize = 200;
const MAX_ALTERNATIVES: usize = 4_096;

type Made<T> = Result<T, NotRegular>;

impl Automata {
    /// Only the primitive types.
    pub fn new() -> Self {
        let any = State {
            name: "term".to_string(),
            primitives: vec![Primitive::Any],
            ..State::default()
        };
        Automata {
            states: vec![any],
            memo: FastMap::default(),
            definitions: FastMap::default(),
        }
    }

    /// The states; [`StateId`] is the index.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Declares `name/arity` as a type with these clauses; states made from an older definition of any type are
    /// no longer found.
    pub fn define(&mut self, name: Atom, arity: usize, clauses: Vec<Clause>) {
        let checked = checked_argument(&clauses, arity);
        self.definitions
            .insert((name, arity), Definition { clauses, checked });
        self.memo.clear();
    }

    /// Forgets a definition.
    pub fn forget(&mut self, name: Atom, arity: usize) {
        if self.definitions.remove(&(name, arity)).is_some() {
            self.memo.clear();
        }
    }

    /// Whether the type has type parameters besides the checked argument.
    pub fn is_parametric(&self, atoms: &AtomTable, name: Atom, arity: usize) -> bool {
        arity > 1 && self.is_type(atoms, name, arity)
    }

    /// Whether a type of this name with this many arguments, the checked one included, is declared or built in.
    pub fn is_type(&self, atoms: &AtomTable, name: Atom, arity: usize) -> bool {
        self.definitions.contains_key(&(name, arity))
            || primitive(atoms.text(name), arity).is_some()
            || is_built_in(atoms.text(name), arity)
    }

    /// Splits a literal `t(…)` into the checked argument and the state of its type. `None`: it is no type.
    pub fn literal(
        &mut self,
        atoms: &AtomTable,
        terms: &Terms,
        id: TermId,
    ) -> Option<Made<(TermId, StateId)>> {
        let env = FastMap::default();
        self.literal_in(atoms, terms, id, &env, 0)
    }

    /// The state of `name` applied to these parameters.
    pub fn instantiate(
        &mut self,
        atoms: &AtomTable,
        name: Atom,
        params: &[StateId],
    ) -> Made<StateId> {
        self.instantiate_at(atoms, name, params, 0)
    }

    fn instantiate_at(
        &mut self,
        atoms: &AtomTable,
        name: Atom,
        params: &[StateId],
        depth: usize,
    ) -> Made<StateId> {
        let key = (name, params.to_vec());
        if let Some(&state) = self.memo.get(&key) {
            return Ok(state);
        }
        if depth > MAX_DEPTH || self.states.len() > MAX_STATES {
            return refuse("the type needs too many states", None);
        }
        let defined = self.definitions.contains_key(&(name, params.len() + 1));
        if !defined && atoms.text(name) == "term" && params.is_empty() {
            return Ok(ANY);
        }
        let id = self.states.len() as StateId;
        self.states.push(State {
            name: self.expression(atoms, name, params),
            ..State::default()
        });
        self.memo.insert(key, id);
        let made = if defined {
            self.fill_definition(atoms, name, params, id, depth)
        } else {
            self.fill_built_in(atoms, name, params, id, depth)
        };
        if let Err(error) = made {
            self.states.truncate(id as usize);
            self.memo.retain(|_, state| *state < id);
            return Err(error);
        }
        Ok(id)
    }

    fn expression(&self, atoms: &AtomTable, name: Atom, params: &[StateId]) -> String {
        let name = atoms.text(name);
        if params.is_empty() {
            return name.to_string();
        }
        let params: Vec<&str> = params
            .iter()
            .map(|&p| self.states[p as usize].name.as_str())
            .collect();
        format!("{name}({})", params.join(","))
    }

    fn fill_built_in(
        &mut self,
        atoms: &AtomTable,
        name: Atom,
        params: &[StateId],
        id: StateId,
        depth: usize,
    ) -> Made<()> {
        let text = atoms.text(name);
        if let (Some(found), true) = (primitive(text, params.len() + 1), params.is_empty()) {
            self.states[id as usize].primitives.push(found);
            return Ok(());
        }
        let of = params.first().copied().unwrap_or(ANY);
        match (text, params.len()) {
            ("list", 0 | 1) => self.list_rules(id, of, id),
            ("string", 0) => {
                let code = self.primitive_state("character_code", Primitive::CharacterCode);
                self.list_rules(id, code, id);
                self.states[id as usize]
                    .primitives
                    .push(Primitive::StringObject);
            }
            ("bytelist", 0) => {
                let byte = self.anonymous("byte");
                self.states[byte as usize].constants = (0..256).map(Constant::Int).collect();
                self.list_rules(id, byte, id);
            }
            ("atm_or_atm_list", 0) => {
                let atm = self.primitive_state("atm", Primitive::Atm);
                self.list_rules(id, atm, id);
                // The tail of such a list is a list of atoms, not a single atom.
                let list = atoms.lookup("list").unwrap_or(atom::LIST);
                let tail = self.instantiate_at(atoms, list, &[atm], depth + 1)?;
                self.states[id as usize].rules[0].args[1] = tail;
                self.states[id as usize].primitives.push(Primitive::Atm);
            }
            ("nlist", 1) => {
                self.merge(id, of)?;
                self.list_rules(id, id, id);
                let tail = self.anonymous("nlist tail");
                self.list_rules(tail, id, tail);
                self.states[id as usize]
                    .rules
                    .iter_mut()
                    .filter(|rule| rule.name == atom::DOT)
                    .for_each(|rule| rule.args[1] = tail);
            }
            ("sequence", 1) => {
                self.merge(id, of)?;
                self.add_rule(id, atom::COMMA, vec![of, id], None)?;
            }
            ("predname", 0) => {
                let atm = self.primitive_state("atm", Primitive::Atm);
                let nat = self.primitive_state("nnegint", Primitive::Nnegint);
                self.add_rule(id, atom::SLASH, vec![atm, nat], None)?;
            }
            ("operator_specifier", 0) => {
                for text in ["fy", "fx", "yfx", "xfy", "xfx", "yf", "xf"] {
                    let Some(found) = atoms.lookup(text) else {
                        continue;
                    };
                    self.states[id as usize]
                        .constants
                        .push(Constant::Atom(found));
                }
            }
            _ => {
                let message = format!("{text}/{} is no regular type", params.len() + 1);
                return refuse(&message, None);
            }
        }
        Ok(())
    }

    fn primitive_state(&mut self, name: &str, found: Primitive) -> StateId {
        let id = self.anonymous(name);
        self.states[id as usize].primitives.push(found);
        id
    }

    fn anonymous(&mut self, name: &str) -> StateId {
        self.states.push(State {
            name: name.to_string(),
            ..State::default()
        });
        self.states.len() as StateId - 1
    }

    fn list_rules(&mut self, id: StateId, head: StateId, tail: StateId) {
        let state = &mut self.states[id as usize];
        state.constants.push(Constant::Atom(atom::NIL));
        state.rules.push(Rule {
            name: atom::DOT,
            args: vec![head, tail],
        });
    }

    /// Adds everything `from` accepts to `to`.
    fn merge(&mut self, to: StateId, from: StateId) -> Made<()> {
        let source = self.states[from as usize].clone();
        let target = &mut self.states[to as usize];
        target.primitives.extend(source.primitives);
        target.constants.extend(source.constants);
        for rule in source.rules {
            self.add_rule(to, rule.name, rule.args, None)?;
        }
        Ok(())
    }

    fn add_rule(
        &mut self,
        id: StateId,
        name: Atom,
        args: Vec<StateId>,
        place: Option<Place>,
    ) -> Made<()> {
        let state = &mut self.states[id as usize];
        let same = state
            .rules
            .iter()
            .find(|rule| rule.name == name && rule.args.len() == args.len());
        match same {
            Some(rule) if rule.args == args => Ok(()),
            Some(_) => refuse("two clauses accept the same functor", place),
            None => {
                state.rules.push(Rule { name, args });
                Ok(())
            }
        }
    }

    /// Adds the clauses of a definition, and of definitions it includes by `t(X) :- u(X).`
    fn fill_definition(
        &mut self,
        atoms: &AtomTable,
        name: Atom,
        params: &[StateId],
        id: StateId,
        depth: usize,
    ) -> Made<()> {
        let mut included = vec![(name, params.to_vec())];
        let mut next = 0;
        while next < included.len() {
            let (name, params) = included[next].clone();
            next += 1;
            let Some(definition) = self.definitions.get(&(name, params.len() + 1)).cloned() else {
                let other = self.instantiate_at(atoms, name, &params, depth + 1)?;
                self.merge(id, other)?;
                continue;
            };
            for clause in &definition.clauses {
                let mut context = ClauseContext {
                    automata: self,
                    atoms,
                    clause,
                    env: FastMap::default(),
                    depth,
                };
                for include in context.add_clause(id, definition.checked, &params)? {
                    if !included.contains(&include) {
                        included.push(include);
                    }
                }
            }
        }
        self.settle_overlaps(id)
    }

    /// A set of compound terms beside rules: rules within it say nothing new; with sets that look at arguments
    /// themselves the type is not deterministic.
    fn settle_overlaps(&mut self, id: StateId) -> Made<()> {
        use Primitive::{Any, Callable, Ground, GroundStruct, Nonvar, Struct};
        let state = &mut self.states[id as usize];
        let has = |sets: &[Primitive]| state.primitives.iter().any(|p| sets.contains(p));
        if has(&[Any, Struct, Callable, Nonvar]) {
            state.rules.clear();
        } else if has(&[Ground, GroundStruct]) && !state.rules.is_empty() {
            return refuse("a clause accepts terms that another looks into", None);
        }
        Ok(())
    }

    fn literal_in(
        &mut self,
        atoms: &AtomTable,
        terms: &Terms,
        id: TermId,
        env: &FastMap<u32, StateId>,
        depth: usize,
    ) -> Option<Made<(TermId, StateId)>> {
        let (name, arity) = terms.functor(id)?;
        let args = terms.args(id);
        if arity == 0 {
            return None;
        }
        if name == atom::CALL && arity == 2 {
            let made = self.type_expression(atoms, terms, args[0], env, depth)?;
            return Some(made.map(|state| (args[1], state)));
        }
        if !self.is_type(atoms, name, arity) {
            return None;
        }
        let last = match self.definitions.get(&(name, arity)) {
            Some(definition) => definition.checked == Checked::Last,
            // Built-in parametric types come in both orders; the checked argument is the variable.
            None => {
                arity == 1
                    || is_free_variable(terms, args[arity - 1], env)
                    || !is_free_variable(terms, args[0], env)
            }
        };
        let (checked, params) = if last {
            (args[arity - 1], &args[..arity - 1])
        } else {
            (args[0], &args[1..])
        };
        let mut states = Vec::new();
        for &param in params {
            match self.type_expression(atoms, terms, param, env, depth)? {
                Ok(state) => states.push(state),
                Err(error) => return Some(Err(error)),
            }
        }
        let made = self.instantiate_at(atoms, name, &states, depth + 1);
        Some(made.map(|state| (checked, state)))
    }

    /// A type expression: a parameter, `int`, `list(int)`. `None`: it is none.
    fn type_expression(
        &mut self,
        atoms: &AtomTable,
        terms: &Terms,
        id: TermId,
        env: &FastMap<u32, StateId>,
        depth: usize,
    ) -> Option<Made<StateId>> {
        if let Node::Var(var) = *terms.node(id) {
            return env.get(&var).map(|&state| Ok(state));
        }
        if depth > MAX_DEPTH {
            return Some(refuse("the type expression is nested too deeply", None));
        }
        let (name, arity) = terms.functor(id)?;
        if !self.is_type(atoms, name, arity + 1) {
            return None;
        }
        let mut params = Vec::new();
        for &arg in terms.args(id) {
            match self.type_expression(atoms, terms, arg, env, depth + 1)? {
                Ok(state) => params.push(state),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(self.instantiate_at(atoms, name, &params, depth + 1))
    }
}

impl Default for Automata {
    fn default() -> Self {
        Self::new()
    }
}

fn refuse<T>(reason: &str, place: Option<Place>) -> Made<T> {
    Err(NotRegular {
        reason: reason.to_string(),
        place,
    })
}

fn is_free_variable(terms: &Terms, id: TermId, env: &FastMap<u32, StateId>) -> bool {
    matches!(terms.node(id), Node::Var(var) if !env.contains_key(var))
}

/// The checked argument is the one that is not a variable in some clause; the last if that does not decide.
fn checked_argument(clauses: &[Clause], arity: usize) -> Checked {
    if arity < 2 {
        return Checked::Last;
    }
    let mut first = false;
    let mut last = false;
    for clause in clauses {
        let terms = &clause.terms;
        let head = match terms.functor(clause.root) {
            Some((atom::NECK, 2)) => terms.args(clause.root)[0],
            _ => clause.root,
        };
        let args = terms.args(head);
        if args.len() == arity {
            first |= !matches!(terms.node(args[0]), Node::Var(_));
            last |= !matches!(terms.node(args[arity - 1]), Node::Var(_));
        }
    }
    if first && !last {
        Checked::First
    } else {
        Checked::Last
    }
}

/// The primitive a unary property names.
pub fn primitive(name: &str, arity: usize) -> Option<Primitive> {
    if arity != 1 {
        return None;
    }
    Some(match name {
        "term" | "any" => Primitive::Any,
        "int" | "integer" => Primitive::Int,
        "nnegint" => Primitive::Nnegint,
        "flt" | "float" => Primitive::Flt,
        "num" | "number" => Primitive::Num,
        "atm" | "atom" => Primitive::Atm,
        "struct" | "compound" => Primitive::Struct,
        "gnd" | "ground" => Primitive::Ground,
        "gndstr" => Primitive::GroundStruct,
        "constant" | "atomic" => Primitive::Constant,
        "callable" | "cgoal" => Primitive::Callable,
        "character_code" => Primitive::CharacterCode,
        "num_code" => Primitive::NumCode,
        "nonvar" => Primitive::Nonvar,
        "var" | "free" => Primitive::Var,
        _ => return None,
    })
}

fn is_built_in(name: &str, arity: usize) -> bool {
    matches!(
        (name, arity),
        ("list", 1 | 2)
            | ("nlist" | "sequence", 2)
            | (
                "string" | "bytelist" | "atm_or_atm_list" | "predname" | "operator_specifier",
                1
            )
    )
}

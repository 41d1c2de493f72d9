//! Tree automata over cells: the states of [`Automata`] with functors and constants as machine words.

use super::cache::MAX_STATES;
use crate::cell::Cell;
use crate::cell::{MAX_SMALL, MIN_SMALL};
use stet_prolog::assertions::regtypes::{Automata, Constant, Primitive, State, StateId};
use stet_prolog::atom;

#[derive(Debug, Default)]
pub(crate) struct CellState {
    /// A bit per [`Primitive`].
    pub(crate) primitives: u32,
    /// States of head and tail, if lists are accepted.
    pub(crate) list: Option<(StateId, StateId)>,
    /// Atoms and small integers.
    pub(crate) constants: Vec<u64>,
    /// Big integers and floats.
    pub(crate) boxed: Vec<Constant>,
    /// Functor header and where the states of the arguments start.
    pub(crate) structs: Vec<(u64, u32)>,
    /// Worth caching: looks below the top of a term and answers hold under further binding.
    pub(crate) cacheable: bool,
}

/// The state of the arguments of ground terms: they are ground.
pub(crate) const GROUND_STATE: StateId = 0;

/// All states; the first is [`GROUND_STATE`].
#[derive(Debug)]
pub(crate) struct Types {
    pub(crate) states: Vec<CellState>,
    pub(crate) args: Vec<StateId>,
}

/// The bit of a primitive.
pub(crate) const fn bit(primitive: Primitive) -> u32 {
    1 << primitive as u32
}

/// Sets that accept every compound term as it is.
pub(crate) const ANY_COMPOUND: u32 = bit(Primitive::Any)
    | bit(Primitive::Struct)
    | bit(Primitive::Callable)
    | bit(Primitive::Nonvar);
/// Sets that accept compound terms without variables.
pub(crate) const GROUND_COMPOUND: u32 = bit(Primitive::Ground) | bit(Primitive::GroundStruct);
/// Sets that accept every atom.
pub(crate) const ANY_ATOM: u32 = bit(Primitive::Any)
    | bit(Primitive::Atm)
    | bit(Primitive::Ground)
    | bit(Primitive::Constant)
    | bit(Primitive::Callable)
    | bit(Primitive::Nonvar);
/// Sets that accept every integer.
pub(crate) const ANY_INTEGER: u32 = bit(Primitive::Any)
    | bit(Primitive::Int)
    | bit(Primitive::Num)
    | bit(Primitive::Ground)
    | bit(Primitive::Constant)
    | bit(Primitive::Nonvar);
/// Sets that accept unbound variables.
pub(crate) const ANY_VARIABLE: u32 = bit(Primitive::Any) | bit(Primitive::Var);

impl Default for Types {
    fn default() -> Self {
        let ground = CellState {
            primitives: bit(Primitive::Ground),
            cacheable: true,
            ..CellState::default()
        };
        Types {
            states: vec![ground],
            args: Vec::new(),
        }
    }
}

impl Types {
    /// Takes over the states of a module's automata made since the last time; `map` holds where each went.
    pub(crate) fn add(&mut self, automata: &Automata, map: &mut Vec<StateId>) {
        let known = map.len();
        let first = self.states.len();
        let new = &automata.states()[known..];
        map.extend((0..new.len()).map(|i| (first + i) as StateId));
        debug_assert_eq!(
            map.len(),
            automata.states().len(),
            "every state has a place"
        );
        for state in new {
            let lowered = self.lower(state, map);
            self.states.push(lowered);
        }
        for id in first..self.states.len() {
            self.states[id].cacheable = self.is_cacheable(id as StateId);
        }
    }

    fn lower(&mut self, state: &State, map: &[StateId]) -> CellState {
        let mut lowered = CellState {
            primitives: state.primitives.iter().fold(0, |mask, &p| mask | bit(p)),
            ..CellState::default()
        };
        for constant in &state.constants {
            match constant {
                Constant::Atom(name) => lowered.constants.push(Cell::atom(*name).0),
                Constant::Int(value) if (MIN_SMALL..=MAX_SMALL).contains(value) => {
                    lowered.constants.push(Cell::small(*value).0);
                }
                other => lowered.boxed.push(other.clone()),
            }
        }
        for rule in &state.rules {
            let args = rule.args.iter().map(|&arg| map[arg as usize]);
            if rule.name == atom::DOT && rule.args.len() == 2 {
                lowered.list = Some((map[rule.args[0] as usize], map[rule.args[1] as usize]));
                continue;
            }
            let first = self.args.len() as u32;
            self.args.extend(args);
            let header = Cell::functor(rule.name, rule.args.len());
            debug_assert_eq!(
                self.args.len(),
                first as usize + rule.args.len(),
                "a state for every argument"
            );
            lowered.structs.push((header.0, first));
        }
        lowered
    }

    /// Not cached are types that are decided without going below a term's arguments, which takes no longer than
    /// a look into the cache, and types with tests for unbound variables.
    fn is_cacheable(&self, id: StateId) -> bool {
        let state = &self.states[id as usize];
        debug_assert!((id as usize) < self.states.len(), "a state of this machine");
        let deep = state.primitives & GROUND_COMPOUND != 0
            || self.targets(state).any(|target| self.is_open(target));
        deep && id < MAX_STATES && state.primitives & ANY_COMPOUND == 0 && !self.reaches_var(id)
    }

    /// Whether a check in this state may look at the arguments of a compound term.
    fn is_open(&self, id: StateId) -> bool {
        let state = &self.states[id as usize];
        state.list.is_some() || !state.structs.is_empty() || state.primitives & GROUND_COMPOUND != 0
    }

    /// The states of all arguments.
    fn targets<'a>(&'a self, state: &'a CellState) -> impl Iterator<Item = StateId> + 'a {
        let list = state.list.iter().flat_map(|&(head, tail)| [head, tail]);
        let args = state.structs.iter().flat_map(move |&(header, first)| {
            let arity = Cell(header).arity() as u32;
            (first..first + arity).map(move |at| self.args[at as usize])
        });
        list.chain(args)
    }

    /// Whether a test for unbound variables is part of the type: such answers end with a binding.
    fn reaches_var(&self, id: StateId) -> bool {
        let mut seen = vec![id];
        let mut next = 0;
        while next < seen.len() {
            let state = &self.states[seen[next] as usize];
            next += 1;
            if state.primitives & bit(Primitive::Var) != 0 {
                return true;
            }
            for target in self.targets(state) {
                if !seen.contains(&target) {
                    seen.push(target);
                }
            }
        }
        false
    }
}

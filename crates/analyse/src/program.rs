//! The program as the analysis sees it: clauses over small terms, goals with resolved callees, and the conditions of
//! assertions over types.

use crate::builtins::{self, Effect};
use crate::types::{Const, Node, TOP, Type, Types, prim};
use std::sync::Arc;
use stet_prolog::assertions::regtypes::{Constant, Primitive, State, StateId};
use stet_prolog::{Atom, AtomTable, atom};

/// A term of a clause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// A variable of the clause.
    Var(usize),
    /// An atom or small integer.
    Const(Const),
    /// Another atomic term, of these primitive sets.
    Prim(u16),
    /// A compound term.
    Compound(Atom, Vec<Arc<Term>>),
    /// A term that is too large to look at, with its variables.
    Unknown(Vec<usize>),
}

/// A clause as loaded.
#[derive(Clone, Debug)]
pub struct RawClause {
    /// The module goals of the body are called in.
    pub module: Atom,
    /// How many variables there are.
    pub variables: usize,
    /// The arguments of the head.
    pub head: Vec<Arc<Term>>,
    pub body: Arc<Term>,
}

/// A clause with its goals resolved.
#[derive(Clone, Debug)]
pub struct Clause {
    /// How many variables there are.
    pub variables: usize,
    /// The arguments of the head.
    pub head: Vec<Arc<Term>>,
    pub body: Goal,
}

#[derive(Clone, Debug)]
pub enum Goal {
    True,
    /// Fails, or raises an exception.
    Fail,
    /// One after the other.
    And(Vec<Goal>),
    Or(Box<Goal>, Box<Goal>),
    /// `( C -> T ; E )` and `( C *-> T ; E )`.
    IfThenElse(Box<Goal>, Box<Goal>, Box<Goal>),
    /// Run for its effects; no binding survives: `\+ G`, `forall(G, H)`.
    Aside(Box<Goal>),
    /// `findall(Template, G, List)`.
    Findall(Arc<Term>, Box<Goal>, Arc<Term>),
    /// `catch(G, Ball, Recovery)`.
    Catch(Box<Goal>, Arc<Term>, Box<Goal>),
    /// `A = B`.
    Unify(Arc<Term>, Arc<Term>),
    /// `X is E`.
    Is(Arc<Term>, Arc<Term>),
    /// A builtin whose answers are known to be of some types.
    Known(Effect, Vec<Arc<Term>>),
    /// A predicate of the program.
    Call {
        pred: usize,
        args: Vec<Arc<Term>>,
        /// The number of the call in its clause.
        site: usize,
    },
    /// Anything else: may bind the variables of its arguments.
    Unknown(Vec<Arc<Term>>),
}

/// What a goal calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A predicate of the program.
    User(usize),
    /// A predicate of the system or of a library, known by its name.
    System,
    Opaque,
}

/// Finds what `module:name/arity` calls.
pub type Resolver<'a> = dyn Fn(Atom, Atom, usize) -> Callee + 'a;

/// A condition on one argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Literal {
    /// The argument is in a type.
    In {
        arg: usize,
        /// A superset of what is asked for.
        over: Type,
        /// A subset of it.
        under: Type,
    },
    /// The argument is an unbound variable.
    Free(usize),
    /// Not decided here.
    Unknown,
}

/// A success condition.
#[derive(Clone, Debug)]
pub struct SuccessSpec {
    /// It only matters if this precondition held; `None` always.
    pub pre: Option<usize>,
    /// What holds on success.
    pub post: Vec<Vec<Literal>>,
}

/// Calls that are let through: the precondition one satisfies, and what it says.
pub type Assumption = (usize, Vec<Literal>);

/// The conditions of a predicate.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The distinct preconditions.
    pub pres: Vec<Vec<Vec<Literal>>>,
    /// Each calls condition: one of these preconditions holds.
    pub calls: Vec<Vec<usize>>,
    /// The success conditions.
    pub success: Vec<SuccessSpec>,
    /// Success conditions of `trust` assertions.
    pub trusted: Vec<SuccessSpec>,
}

/// A predicate of the program.
#[derive(Clone, Debug)]
pub struct Pred {
    /// `module:name/arity`.
    pub name: String,
    pub arity: usize,
    pub clauses: Vec<Clause>,
    /// Whether goals outside the program call it.
    pub external: bool,
    pub spec: Spec,
}

/// Everything to be analysed.
#[derive(Debug, Default)]
pub struct Program {
    pub preds: Vec<Pred>,
    /// The types conditions mention.
    pub types: Types,
}

/// The goal a body stands for.
pub fn goal_of(
    clause: &RawClause,
    atoms: &AtomTable,
    resolve: &Resolver<'_>,
) -> (Goal, Vec<(usize, Atom, Atom, usize)>) {
    let mut builder = GoalBuilder {
        atoms,
        resolve,
        sites: Vec::new(),
    };
    let goal = builder.goal(clause.module, &clause.body, 0);
    (goal, builder.sites)
}

/// Control constructs nested deeper than this are not looked into.
const MAX_DEPTH: usize = 200;

struct GoalBuilder<'a> {
    atoms: &'a AtomTable,
    resolve: &'a Resolver<'a>,
    /// For each site the predicate, and module, name and arity as called.
    sites: Vec<(usize, Atom, Atom, usize)>,
}

impl GoalBuilder<'_> {
    fn goal(&mut self, module: Atom, term: &Arc<Term>, depth: usize) -> Goal {
        let none = Vec::new();
        let (name, args) = match &**term {
            Term::Const(Const::Atom(name)) => (*name, &none),
            Term::Compound(name, args) => (*name, args),
            _ => return Goal::Unknown(vec![term.clone()]),
        };
        if depth > MAX_DEPTH {
            return Goal::Unknown(vec![term.clone()]);
        }
        let down = depth + 1;
        if let (atom::COLON, [qualifier, inner]) = (name, &args[..]) {
            return match &**qualifier {
                Term::Const(Const::Atom(module)) => self.goal(*module, inner, down),
                _ => Goal::Unknown(vec![term.clone()]),
            };
        }
        match (self.atoms.text(name), &args[..]) {
            ("true" | "!" | "otherwise", []) => Goal::True,
            ("fail" | "false", []) => Goal::Fail,
            ("throw" | "halt", _) => Goal::Fail,
            (",", [a, b]) => {
                let mut goals = vec![self.goal(module, a, down)];
                match self.goal(module, b, down) {
                    Goal::And(more) => goals.extend(more),
                    other => goals.push(other),
                }
                Goal::And(goals)
            }
            (";" | "|", [a, b]) => match &**a {
                Term::Compound(arrow, parts)
                    if parts.len() == 2 && matches!(self.atoms.text(*arrow), "->" | "*->") =>
                {
                    Goal::IfThenElse(
                        Box::new(self.goal(module, &parts[0], down)),
                        Box::new(self.goal(module, &parts[1], down)),
                        Box::new(self.goal(module, b, down)),
                    )
                }
                _ => Goal::Or(
                    Box::new(self.goal(module, a, down)),
                    Box::new(self.goal(module, b, down)),
                ),
            },
            ("->" | "*->", [a, b]) => {
                Goal::And(vec![self.goal(module, a, down), self.goal(module, b, down)])
            }
            ("\\+" | "not", [g]) => Goal::Aside(Box::new(self.goal(module, g, down))),
            ("forall", [g, h]) => Goal::Aside(Box::new(Goal::And(vec![
                self.goal(module, g, down),
                self.goal(module, h, down),
            ]))),
            ("once" | "call", [g]) => self.goal(module, g, down),
            ("ignore", [g]) => Goal::Or(Box::new(self.goal(module, g, down)), Box::new(Goal::True)),
            ("findall", [t, g, l]) => {
                Goal::Findall(t.clone(), Box::new(self.goal(module, g, down)), l.clone())
            }
            ("catch", [g, ball, recovery]) => Goal::Catch(
                Box::new(self.goal(module, g, down)),
                ball.clone(),
                Box::new(self.goal(module, recovery, down)),
            ),
            ("=", [a, b]) => Goal::Unify(a.clone(), b.clone()),
            ("is", [a, b]) => Goal::Is(a.clone(), b.clone()),
            (text, _) => self.call(module, (name, text), args),
        }
    }

    fn call(&mut self, module: Atom, (name, text): (Atom, &str), args: &[Arc<Term>]) -> Goal {
        match (self.resolve)(module, name, args.len()) {
            Callee::User(pred) => {
                let site = self.sites.len();
                self.sites.push((pred, module, name, args.len()));
                Goal::Call {
                    pred,
                    args: args.to_vec(),
                    site,
                }
            }
            Callee::System => match builtins::effect(text, args.len()) {
                Some(effect) => Goal::Known(effect, args.to_vec()),
                None => Goal::Unknown(args.to_vec()),
            },
            Callee::Opaque => Goal::Unknown(args.to_vec()),
        }
    }
}

/// The types of a checker's state: a superset and a subset of what it accepts. They differ only where a type has no
/// exact counterpart here.
pub fn automaton_type(types: &mut Types, states: &[State], id: StateId) -> (Type, Type) {
    let over: Vec<Node> = states.iter().map(|state| node_of(state, true)).collect();
    let under: Vec<Node> = states.iter().map(|state| node_of(state, false)).collect();
    let over = types.make(&over, id as usize);
    let under = types.make(&under, id as usize);
    // A grammar that was widened is no subset any more.
    if under != TOP && !types.is_subset(under, over) {
        return (over, crate::types::BOTTOM);
    }
    (over, under)
}

fn node_of(state: &State, over: bool) -> Node {
    let mut node = Node::default();
    for primitive in &state.primitives {
        match primitive {
            Primitive::Any => node.top = true,
            Primitive::Var => node.top |= over,
            Primitive::Int => node.prims |= prim::INTEGER,
            Primitive::Nnegint => node.prims |= prim::NATURAL,
            Primitive::Flt => node.prims |= prim::FLOAT,
            Primitive::Num => node.prims |= prim::NUMBER,
            Primitive::Atm => node.prims |= prim::ATOM,
            Primitive::Struct => node.any_compound = true,
            Primitive::Ground => {
                node.prims |= prim::ATOMIC;
                node.ground_compound = true;
            }
            Primitive::GroundStruct => node.ground_compound = true,
            Primitive::Constant => node.prims |= prim::NUMBER | prim::ATOM,
            Primitive::Callable => {
                node.prims |= prim::ATOM;
                node.any_compound = true;
            }
            Primitive::CharacterCode => node.prims |= prim::CODE,
            Primitive::NumCode => {
                if over {
                    node.prims |= prim::CODE;
                }
            }
            Primitive::StringObject => node.prims |= prim::STRING,
            Primitive::Nonvar => {
                node.prims |= prim::ATOMIC;
                node.any_compound = true;
            }
        }
    }
    for constant in &state.constants {
        match constant {
            Constant::Atom(name) => {
                node.consts.insert(Const::Atom(*name));
            }
            Constant::Int(value) => {
                node.consts.insert(Const::Int(*value));
            }
            Constant::Big(_) if over => node.prims |= prim::LARGE | prim::NEGATIVE,
            Constant::Float(_) if over => node.prims |= prim::FLOAT,
            _ => {}
        }
    }
    if node.ground_compound && !state.rules.is_empty() {
        node.any_compound |= over;
    } else {
        for rule in &state.rules {
            let args = rule.args.iter().map(|&arg| arg as usize).collect();
            node.rules.insert((rule.name, rule.args.len()), args);
        }
    }
    // Too many constants become a primitive set, which is no subset.
    if !over && node.consts.len() > 20 {
        node.consts.clear();
    }
    node
}

//! Types: regular sets of terms that are closed under instantiation, each as a minimal deterministic grammar.
//!
//! A [`Type`] is interned, so equal sets of terms (of the grammars we build) have equal ids. [`TOP`] is every term,
//! unbound variables included; any other type holds terms that are not variables and stay in it however their
//! variables are bound later. That is what makes an analysis without sharing information sound.
//!
//! A node accepts a term if it is one of its constants or primitives, or if the rule of its functor accepts every
//! argument; compound terms without a rule are accepted if the node admits all of them, or those without variables.
//!
//! **Invariant:** a node that admits ground compound terms has only rules whose arguments admit all ground terms.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stet_base::FastMap;
use stet_prolog::{Atom, AtomTable, atom};

/// An interned type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Type(pub(crate) u32);

pub const TOP: Type = Type(0);
pub const BOTTOM: Type = Type(1);

/// Sets of atomic terms, one bit each and disjoint.
pub mod prim {
    /// Integers that are character codes.
    pub const CODE: u16 = 1;
    pub const LARGE: u16 = 2;
    /// Integers below zero.
    pub const NEGATIVE: u16 = 4;
    pub const FLOAT: u16 = 8;
    pub const ATOM: u16 = 16;
    pub const STRING: u16 = 32;
    /// Any other atomic term.
    pub const OTHER: u16 = 64;
    /// Integers from zero on.
    pub const NATURAL: u16 = CODE | LARGE;
    pub const INTEGER: u16 = NATURAL | NEGATIVE;
    pub const NUMBER: u16 = INTEGER | FLOAT;
    pub const ATOMIC: u16 = NUMBER | ATOM | STRING | OTHER;
}

/// A constant that a type can name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Const {
    Atom(Atom),
    /// A small integer.
    Int(i64),
}

impl Const {
    /// The primitive set it belongs to.
    pub fn prim(self) -> u16 {
        match self {
            Const::Atom(_) => prim::ATOM,
            Const::Int(value) if value < 0 => prim::NEGATIVE,
            Const::Int(value) if value <= 0x10_ffff => prim::CODE,
            Const::Int(_) => prim::LARGE,
        }
    }
}

/// Name and arity of a compound term.
pub type Functor = (Atom, usize);

/// One node of a grammar.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Node {
    /// Every term; nothing else is set then.
    pub top: bool,
    pub prims: u16,
    /// All compound terms.
    pub any_compound: bool,
    /// All compound terms without variables.
    pub ground_compound: bool,
    /// Constants outside the primitive sets.
    pub consts: BTreeSet<Const>,
    /// At most one rule per functor.
    pub rules: BTreeMap<Functor, Vec<usize>>,
}

impl Node {
    fn is_empty(&self) -> bool {
        !self.top
            && self.prims == 0
            && !self.any_compound
            && !self.ground_compound
            && self.consts.is_empty()
            && self.rules.is_empty()
    }

    fn has_const(&self, value: Const) -> bool {
        self.top || self.prims & value.prim() != 0 || self.consts.contains(&value)
    }

    pub(crate) fn top() -> Node {
        Node {
            top: true,
            ..Node::default()
        }
    }

    pub(crate) fn ground() -> Node {
        Node {
            prims: prim::ATOMIC,
            ground_compound: true,
            ..Node::default()
        }
    }
}

/// Grammars larger than this are widened.
const MAX_NODES: usize = 60;
/// More constants than this in one node become primitive sets.
const MAX_CONSTS: usize = 24;

/// All types of an analysis.
#[derive(Debug)]
pub struct Types {
    graphs: Vec<Arc<[Node]>>,
    index: FastMap<Arc<[Node]>, Type>,
    unions: FastMap<(Type, Type), Type>,
    meets: FastMap<(Type, Type), Type>,
    subsets: FastMap<(Type, Type), bool>,
    parts: FastMap<(Type, Functor), Option<Arc<[Type]>>>,
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Types {
            graphs: Vec::new(),
            index: FastMap::default(),
            unions: FastMap::default(),
            meets: FastMap::default(),
            subsets: FastMap::default(),
            parts: FastMap::default(),
        };
        let top = types.intern(vec![Node::top()]);
        let bottom = types.intern(vec![Node::default()]);
        debug_assert_eq!((top, bottom), (TOP, BOTTOM));
        types
    }
}

impl Types {
    /// The canonical grammar, root first.
    pub fn graph(&self, of: Type) -> &Arc<[Node]> {
        &self.graphs[of.0 as usize]
    }

    fn intern(&mut self, nodes: Vec<Node>) -> Type {
        debug_assert!(
            nodes
                .iter()
                .flat_map(|node| node.rules.values().flatten())
                .all(|&arg| arg < nodes.len()),
            "rules lead to nodes of the grammar"
        );
        debug_assert!(
            nodes
                .iter()
                .flat_map(|node| &node.rules)
                .all(|(functor, args)| functor.1 == args.len()),
            "a rule has an argument for each of its functor"
        );
        debug_assert!(
            nodes.iter().all(|node| is_consistent(node, &nodes)),
            "rules beside all ground compound terms admit these"
        );
        let nodes: Arc<[Node]> = nodes.into();
        if let Some(&known) = self.index.get(&nodes) {
            return known;
        }
        let id = Type(self.graphs.len() as u32);
        self.graphs.push(nodes.clone());
        self.index.insert(nodes, id);
        id
    }

    /// A set of atomic terms.
    pub fn prims(&mut self, prims: u16) -> Type {
        self.make(
            &[Node {
                prims,
                ..Node::default()
            }],
            0,
        )
    }

    pub fn constant(&mut self, value: Const) -> Type {
        self.constants(&[value])
    }

    pub fn constants(&mut self, values: &[Const]) -> Type {
        self.make(
            &[Node {
                consts: values.iter().copied().collect(),
                ..Node::default()
            }],
            0,
        )
    }

    /// The terms without variables.
    pub fn ground(&mut self) -> Type {
        self.make(&[Node::ground()], 0)
    }

    /// Everything but unbound variables.
    pub fn nonvar(&mut self) -> Type {
        self.with_compounds(prim::ATOMIC)
    }

    /// These atomic terms and all compound terms.
    pub fn with_compounds(&mut self, prims: u16) -> Type {
        self.make(
            &[Node {
                prims,
                any_compound: true,
                ..Node::default()
            }],
            0,
        )
    }

    /// Lists of elements of a type.
    pub fn list(&mut self, of: Type) -> Type {
        let mut nodes = vec![Node::default()];
        let element = append(&mut nodes, &self.graphs[of.0 as usize]);
        nodes[0].consts.insert(Const::Atom(atom::NIL));
        nodes[0].rules.insert((atom::DOT, 2), vec![element, 0]);
        self.make(&nodes, 0)
    }

    /// Compound terms with these arguments.
    pub fn compound(&mut self, functor: Functor, args: &[Type]) -> Type {
        debug_assert_eq!(functor.1, args.len());
        let mut nodes = vec![Node::default()];
        let args = args
            .iter()
            .map(|&arg| append(&mut nodes, &self.graphs[arg.0 as usize]))
            .collect();
        nodes[0].rules.insert(functor, args);
        self.make(&nodes, 0)
    }

    /// The canonical type of a node in a grammar.
    pub fn make(&mut self, nodes: &[Node], root: usize) -> Type {
        let canonical = self::canonical(nodes, root);
        if canonical.len() > MAX_NODES {
            let folded = self::canonical(&crate::widen::folded(&canonical), 0);
            if folded.len() > MAX_NODES {
                return TOP;
            }
            return self.intern(folded);
        }
        self.intern(canonical)
    }

    /// A superset from a finite choice, for widening.
    pub fn folded(&mut self, of: Type) -> Type {
        let graph = self.graph(of).clone();
        let folded = self.make(&crate::widen::folded(&graph), 0);
        debug_assert!(self.is_subset(of, folded), "widening loses no term");
        folded
    }

    /// Whether every term of `small` is in `large`.
    pub fn is_subset(&mut self, small: Type, large: Type) -> bool {
        if small == large || large == TOP || small == BOTTOM {
            return true;
        }
        if small == TOP || large == BOTTOM {
            return false;
        }
        if let Some(&known) = self.subsets.get(&(small, large)) {
            return known;
        }
        let found = simulates(self.graph(small), self.graph(large));
        self.subsets.insert((small, large), found);
        found
    }

    /// A type that holds both.
    pub fn union(&mut self, a: Type, b: Type) -> Type {
        if self.is_subset(a, b) {
            return b;
        }
        if self.is_subset(b, a) {
            return a;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let mut nodes: Vec<Node> = Vec::new();
        let left = append(&mut nodes, &self.graphs[a.0 as usize]);
        let right = append(&mut nodes, &self.graphs[b.0 as usize]);
        let joined = united(nodes, &[left, right]);
        let found = match joined {
            Some(nodes) => self.make(&nodes, 0),
            None => TOP,
        };
        debug_assert!(
            self.is_subset(a, found) && self.is_subset(b, found),
            "a union holds both"
        );
        self.unions.insert(key, found);
        found
    }

    /// A type that holds what is in both; [`BOTTOM`] only if nothing is.
    pub fn meet(&mut self, a: Type, b: Type) -> Type {
        if self.is_subset(a, b) {
            return a;
        }
        if self.is_subset(b, a) {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.meets.get(&key) {
            return known;
        }
        let mut nodes: Vec<Node> = Vec::new();
        let left = append(&mut nodes, &self.graphs[a.0 as usize]);
        let right = append(&mut nodes, &self.graphs[b.0 as usize]);
        let found = match intersection(nodes, left, right) {
            Some(nodes) => self.make(&nodes, 0),
            None => a,
        };
        // A grammar that was widened on the way may have grown: either operand is an upper bound.
        let found = if self.is_subset(found, a) { found } else { a };
        self.meets.insert(key, found);
        found
    }

    /// The types of the arguments of the terms with this functor; `None` if there are none.
    pub fn arguments(&mut self, of: Type, functor: Functor) -> Option<Arc<[Type]>> {
        if let Some(known) = self.parts.get(&(of, functor)) {
            return known.clone();
        }
        let graph = self.graph(of).clone();
        let root = &graph[0];
        let found: Option<Arc<[Type]>> = if let Some(args) = root.rules.get(&functor) {
            let args: Vec<Type> = args.iter().map(|&arg| self.make(&graph, arg)).collect();
            Some(args.into())
        } else if root.top || root.any_compound {
            Some(vec![TOP; functor.1].into())
        } else if root.ground_compound {
            let ground = self.ground();
            Some(vec![ground; functor.1].into())
        } else {
            None
        };
        debug_assert!(
            found.as_ref().is_none_or(|args| args.len() == functor.1),
            "a type for every argument"
        );
        self.parts.insert((of, functor), found.clone());
        found
    }

    /// Whether a union of two types holds nothing but what is in one of them.
    pub fn is_exact_union(&self, a: Type, b: Type, union: Type) -> bool {
        if union == a || union == b {
            return true;
        }
        let (x, y) = (&self.graph(a)[0], &self.graph(b)[0]);
        let shared = x.rules.keys().any(|functor| y.rules.contains_key(functor));
        let mixed = (x.ground_compound && !y.rules.is_empty())
            || (y.ground_compound && !x.rules.is_empty());
        let widened = self.graph(union)[0].consts.len() < x.consts.len().max(y.consts.len());
        !shared && !mixed && !widened && union != TOP
    }

    /// A type for people: `int`, `[]|[int|…]`.
    pub fn text(&self, of: Type, atoms: &AtomTable) -> String {
        let graph = self.graph(of);
        self.node_text(graph, 0, atoms, 0)
    }

    fn node_text(&self, graph: &[Node], at: usize, atoms: &AtomTable, depth: usize) -> String {
        let node = &graph[at];
        if node.top {
            return "term".to_owned();
        }
        if node.prims == prim::ATOMIC && node.any_compound {
            return "nonvar".to_owned();
        }
        if node.prims == prim::ATOMIC && node.ground_compound && node.rules.is_empty() {
            return "gnd".to_owned();
        }
        if depth > 2 {
            return "…".to_owned();
        }
        let mut parts: Vec<String> = Vec::new();
        let mut prims = node.prims;
        for (set, name) in [
            (prim::NUMBER, "num"),
            (prim::INTEGER, "int"),
            (prim::NATURAL, "nnegint"),
            (prim::CODE, "character_code"),
            (prim::LARGE, "int"),
            (prim::NEGATIVE, "int"),
            (prim::FLOAT, "flt"),
            (prim::ATOM, "atm"),
            (prim::STRING, "string"),
            (prim::OTHER, "constant"),
        ] {
            if prims & set == set {
                parts.push(name.to_owned());
                prims &= !set;
            }
        }
        if node.any_compound {
            parts.push("struct".to_owned());
        }
        if node.ground_compound {
            parts.push("gndstr".to_owned());
        }
        let mut rest: Vec<String> = node
            .consts
            .iter()
            .map(|value| match value {
                Const::Atom(name) => stet_prolog::quote_atom(atoms.text(*name)),
                Const::Int(value) => value.to_string(),
            })
            .collect();
        for (&(name, arity), args) in &node.rules {
            let is_list = name == atom::DOT
                && arity == 2
                && args[1] == at
                && node.consts.contains(&Const::Atom(atom::NIL));
            if is_list {
                rest.retain(|text| text != "[]");
                let element = self.node_text(graph, args[0], atoms, depth + 1);
                rest.push(format!("list({element})"));
                continue;
            }
            let args: Vec<String> = args
                .iter()
                .map(|&arg| match arg == at {
                    true => "…".to_owned(),
                    false => self.node_text(graph, arg, atoms, depth + 1),
                })
                .collect();
            let name = stet_prolog::quote_atom(atoms.text(name));
            rest.push(format!("{name}({})", args.join(",")));
        }
        rest.sort();
        parts.extend(rest);
        match parts.is_empty() {
            true => "none".to_owned(),
            false => parts.join("|"),
        }
    }

    /// Whether a constant is in a type.
    pub fn has_constant(&self, of: Type, value: Const) -> bool {
        self.graph(of)[0].has_const(value)
    }

    /// Whether some atomic term of these sets may be in a type.
    pub fn meets_prims(&self, of: Type, prims: u16) -> bool {
        let root = &self.graph(of)[0];
        root.top || root.prims & prims != 0 || root.consts.iter().any(|c| c.prim() & prims != 0)
    }
}

/// Adds a grammar to another; returns where its root went.
pub(crate) fn append(nodes: &mut Vec<Node>, graph: &[Node]) -> usize {
    let base = nodes.len();
    nodes.extend(graph.iter().map(|node| {
        let mut node = node.clone();
        for args in node.rules.values_mut() {
            args.iter_mut().for_each(|arg| *arg += base);
        }
        node
    }));
    base
}

/// Drops what a node says twice.
fn simplified(node: &mut Node) {
    if node.top {
        *node = Node::top();
        return;
    }
    if node.any_compound {
        node.rules.clear();
        node.ground_compound = false;
    }
    let atoms = |c: &&Const| matches!(c, Const::Atom(_));
    if node.consts.iter().filter(atoms).count() > MAX_CONSTS {
        node.prims |= prim::ATOM;
    }
    if node.consts.len() - node.consts.iter().filter(atoms).count() > MAX_CONSTS {
        node.prims |= prim::INTEGER;
    }
    let prims = node.prims;
    node.consts.retain(|c| c.prim() & prims == 0);
}

/// Whether a node that admits ground compound terms has only rules whose arguments admit all ground terms.
fn is_consistent(node: &Node, nodes: &[Node]) -> bool {
    let admits_ground = |node: &Node| {
        node.top || node.prims == prim::ATOMIC && (node.any_compound || node.ground_compound)
    };
    let mut args = node.rules.values().flatten();
    !node.ground_compound || args.all(|&arg| admits_ground(&nodes[arg]))
}
/// The minimal grammar of what the root accepts, numbered breadth first.
fn canonical(nodes: &[Node], root: usize) -> Vec<Node> {
    let mut nodes = nodes.to_vec();
    nodes.iter_mut().for_each(simplified);
    // A rule with an argument that nothing can be is no rule. Infinite terms count as something.
    loop {
        let empty: Vec<bool> = nodes.iter().map(Node::is_empty).collect();
        let mut changed = false;
        for node in &mut nodes {
            let before = node.rules.len();
            node.rules
                .retain(|_, args| args.iter().all(|&arg| !empty[arg]));
            changed |= node.rules.len() != before;
        }
        if !changed {
            break;
        }
    }
    debug_assert!(root < nodes.len(), "the root is a node of the grammar");
    let classes = classes(&nodes);
    let mut number: FastMap<usize, usize> = FastMap::default();
    let mut order = vec![root];
    number.insert(classes[root], 0);
    let mut result = Vec::new();
    let mut next = 0;
    while next < order.len() {
        let mut node = nodes[order[next]].clone();
        next += 1;
        for args in node.rules.values_mut() {
            for arg in args.iter_mut() {
                let class = classes[*arg];
                let fresh = order.len();
                let at = *number.entry(class).or_insert(fresh);
                if at == fresh {
                    order.push(*arg);
                }
                *arg = at;
            }
        }
        result.push(node);
    }
    result
}

/// Equivalence classes of nodes by partition refinement.
fn classes(nodes: &[Node]) -> Vec<usize> {
    let mut class = vec![0; nodes.len()];
    let mut count = 1;
    loop {
        let mut index: FastMap<(usize, Node), usize> = FastMap::default();
        let mut next = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let mut key = node.clone();
            for args in key.rules.values_mut() {
                args.iter_mut().for_each(|arg| *arg = class[*arg]);
            }
            let fresh = index.len();
            next.push(*index.entry((class[at], key)).or_insert(fresh));
        }
        let found = index.len();
        class = next;
        if found == count {
            return class;
        }
        count = found;
    }
}

fn simulates(small: &[Node], large: &[Node]) -> bool {
    debug_assert!(
        !small.is_empty() && !large.is_empty(),
        "a grammar has a root"
    );
    let ground = [Node::ground()];
    // The third: whether the second node is that of all ground terms.
    let mut seen: BTreeSet<(usize, usize, bool)> = BTreeSet::new();
    let mut work = vec![(0, 0, false)];
    while let Some(item @ (x, y, in_ground)) = work.pop() {
        if !seen.insert(item) {
            continue;
        }
        let x = &small[x];
        let y = if in_ground { &ground[y] } else { &large[y] };
        if y.top {
            continue;
        }
        let covered = !x.top
            && x.prims & !y.prims == 0
            && x.consts.iter().all(|&c| y.has_const(c))
            && (!x.any_compound || y.any_compound)
            && (!x.ground_compound || y.any_compound || y.ground_compound);
        if !covered {
            return false;
        }
        if y.any_compound {
            continue;
        }
        for (functor, args) in &x.rules {
            match y.rules.get(functor) {
                Some(wanted) => {
                    work.extend(args.iter().zip(wanted).map(|(&a, &b)| (a, b, in_ground)));
                }
                None if y.ground_compound => work.extend(args.iter().map(|&a| (a, 0, true))),
                None => return false,
            }
        }
    }
    true
}

/// The union of some nodes, by sets of nodes; `None` if there are too many.
fn united(mut nodes: Vec<Node>, roots: &[usize]) -> Option<Vec<Node>> {
    let ground = nodes.len();
    nodes.push(Node::ground());
    let mut number: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
    let mut order: Vec<BTreeSet<usize>> = vec![roots.iter().copied().collect()];
    number.insert(order[0].clone(), 0);
    let mut result: Vec<Node> = Vec::new();
    while result.len() < order.len() {
        if order.len() > 4 * MAX_NODES {
            return None;
        }
        let members = order[result.len()].clone();
        let mut node = Node::default();
        let mut functors: BTreeSet<Functor> = BTreeSet::new();
        for &member in &members {
            let member = &nodes[member];
            node.top |= member.top;
            node.prims |= member.prims;
            node.any_compound |= member.any_compound;
            node.ground_compound |= member.ground_compound;
            node.consts.extend(member.consts.iter().copied());
            functors.extend(member.rules.keys().copied());
        }
        if !node.top && !node.any_compound {
            for functor in functors {
                let mut args = Vec::new();
                for position in 0..functor.1 {
                    let mut set = BTreeSet::new();
                    for &member in &members {
                        match nodes[member].rules.get(&functor) {
                            Some(args) => {
                                set.insert(args[position]);
                            }
                            None if nodes[member].ground_compound => {
                                set.insert(ground);
                            }
                            None => {}
                        }
                    }
                    let fresh = order.len();
                    let at = *number.entry(set.clone()).or_insert(fresh);
                    if at == fresh {
                        order.push(set);
                    }
                    args.push(at);
                }
                node.rules.insert(functor, args);
            }
        }
        result.push(node);
    }
    Some(result)
}

/// The product of two nodes; `None` if it is too large.
fn intersection(mut nodes: Vec<Node>, left: usize, right: usize) -> Option<Vec<Node>> {
    let top = nodes.len();
    nodes.push(Node::top());
    let ground = nodes.len();
    nodes.push(Node::ground());
    let mut number: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut order = vec![(left, right)];
    number.insert((left, right), 0);
    let mut result: Vec<Node> = Vec::new();
    while result.len() < order.len() {
        if order.len() > 4 * MAX_NODES {
            return None;
        }
        let (a, b) = order[result.len()];
        let (x, y) = (&nodes[a], &nodes[b]);
        let all_x = x.top || x.any_compound;
        let all_y = y.top || y.any_compound;
        let mut node = Node {
            top: x.top && y.top,
            prims: match (x.top, y.top) {
                (true, true) => 0,
                (true, false) => y.prims,
                (false, true) => x.prims,
                (false, false) => x.prims & y.prims,
            },
            any_compound: all_x && all_y && !(x.top && y.top),
            ground_compound: (x.ground_compound && (all_y || y.ground_compound))
                || (y.ground_compound && all_x),
            consts: x
                .consts
                .iter()
                .chain(&y.consts)
                .copied()
                .filter(|&c| x.has_const(c) && y.has_const(c))
                .collect(),
            rules: BTreeMap::new(),
        };
        let functors: BTreeSet<Functor> = x.rules.keys().chain(y.rules.keys()).copied().collect();
        for functor in functors {
            let side = |node: &Node, all: bool| -> Option<Vec<usize>> {
                match node.rules.get(&functor) {
                    Some(args) => Some(args.clone()),
                    None if all => Some(vec![top; functor.1]),
                    None if node.ground_compound => Some(vec![ground; functor.1]),
                    None => None,
                }
            };
            let (Some(from_x), Some(from_y)) = (side(x, all_x), side(y, all_y)) else {
                continue;
            };
            let mut args = Vec::new();
            for pair in from_x.into_iter().zip(from_y) {
                let fresh = order.len();
                let at = *number.entry(pair).or_insert(fresh);
                if at == fresh {
                    order.push(pair);
                }
                args.push(at);
            }
            node.rules.insert(functor, args);
        }
        result.push(node);
    }
    // Rules beside all ground compound terms must admit them, or the node would lose some.
    let keeps = result
        .iter()
        .all(|node| !node.ground_compound || node.rules.is_empty());
    keeps.then_some(result)
}

//! Functions of literals: `Fact(5)` and `Length(Cons(1, Nil))` are computed by their definitions.
//!
//! Such a call gets as many layers as its arguments are deep. A layer more than is needed changes no value, so how deep a value
//! is need not be known exactly.

use crate::cx::{Cx, Env, Instance};
use crate::functions::fuel;
use crate::tree::*;
use crate::walk;
use stet_dafny::tree::{ExprKind, Function, MemberId};

/// Larger literals are not computed.
const MAX_LITERAL_LAYERS: u32 = 24;

impl Cx<'_> {
    /// How many layers the definition of a function needs to be computed for arguments that are literals, or variables that
    /// were given literals; nothing if one is not. More layers than needed do no harm to what is proved.
    fn literal_depth(&self, args: &[B]) -> Option<u32> {
        let mut deepest = 0;
        for arg in args {
            deepest = deepest.max(self.depth_of_literal(arg)?);
        }
        Some(deepest.min(MAX_LITERAL_LAYERS))
    }

    /// The same for a call: if the program says what decreases, only arguments for parameters in that need be literals.
    pub(crate) fn computed_depth(
        &mut self,
        member: MemberId,
        receiver: Option<&B>,
        actuals: &[B],
    ) -> Option<u32> {
        if self.reads_heap(member) {
            return None;
        }
        let f = self.function(member)?;
        let mut measured = Vec::new();
        for &e in f.decreases.exprs.iter().filter(|_| !f.decreases.inferred) {
            walk::walk(self.p, e, &mut |e| {
                if let ExprKind::Var(v) = self.p.exprs[e].kind {
                    measured.push(v);
                }
                true
            });
        }
        if measured.is_empty() {
            let args: Vec<B> = receiver.into_iter().chain(actuals).cloned().collect();
            return self.literal_depth(&args);
        }
        let args = f.ins.iter().zip(actuals);
        let args = args.filter(|(v, _)| measured.contains(v));
        let args: Vec<B> = args.map(|(_, actual)| actual.clone()).collect();
        self.literal_depth(&args)
    }

    /// A function that calls recursive ones, of literals: its definition is said once more, so that those are computed.
    pub(crate) fn compute_literals(
        &mut self,
        instance: &Instance,
        f: &Function,
        has_receiver: bool,
        actuals: &[B],
        callee: &Env,
        out: &mut Vec<S>,
    ) {
        let Some(body) = f.body.filter(|_| f.scc < callee.scc && !f.recursive) else {
            return;
        };
        let member = &self.p.members[instance.member];
        if has_receiver || f.twostate || f.extreme.is_some() || member.opaque {
            return;
        }
        let is_computed = self.literal_depth(actuals).is_some_and(|depth| depth > 0);
        if !is_computed || !self.has_layers(body) || self.reads_heap(instance.member) {
            return;
        }
        let callee = callee.with_fuel(fuel(1));
        let call = self.apply_function(instance, None, actuals.to_vec(), &callee);
        let value = self.expr(body, &callee);
        let ty = self.subst(&callee.subst, f.result);
        let rep = self.rep(ty);
        out.push(S::Assume(self.plain_equal(rep, call, value)));
    }

    pub(crate) fn depth_of_literal(&self, e: &B) -> Option<u32> {
        match &**e {
            Node::Bool(_) | Node::Real(..) | Node::Bv(..) => Some(0),
            Node::Int(n) => Some(u32::try_from(n).unwrap_or(0).min(MAX_LITERAL_LAYERS)),
            Node::Neg(inner) => self.depth_of_literal(inner).map(|_| 0),
            Node::Var(name) if is_empty_collection(name) => Some(0),
            Node::Var(name) => self.literals.get(name).copied(),
            // A function as an argument is computed by its body.
            Node::App(name, _) if name.starts_with("$lambda.") => Some(0),
            Node::Bin(BinaryOp::Add, a, b) => {
                Some(self.depth_of_literal(a)? + self.depth_of_literal(b)?)
            }
            Node::Bin(BinaryOp::Sub, a, b) => {
                self.depth_of_literal(b)?;
                self.depth_of_literal(a)
            }
            // A function of literals is computed, too. How large its value is can only be guessed.
            Node::App(name, args) if is_function_name(name) => {
                let mut all = 0;
                for arg in args.iter().filter(|arg| !is_layer(arg)) {
                    all += self.depth_of_literal(arg)?;
                }
                Some((2 * all).min(MAX_LITERAL_LAYERS))
            }
            Node::App(name, args) => {
                let is_constructor = name.starts_with("$Seq.push$")
                    || name.starts_with("$make.")
                    || name.starts_with("$char.of")
                    || is_constructor_name(name);
                if !is_constructor {
                    return None;
                }
                let mut deepest = 0;
                for arg in args {
                    deepest = deepest.max(self.depth_of_literal(arg)?);
                }
                Some(deepest + 1)
            }
            _ => None,
        }
    }
}

fn is_empty_collection(name: &str) -> bool {
    let prefixes = [
        "$Seq.empty$",
        "$Set.empty$",
        "$MultiSet.empty$",
        "$Map.empty",
    ];
    prefixes.iter().any(|p| name.starts_with(p))
}

/// Whether it is a function of the program: names of others have marks.
fn is_function_name(name: &str) -> bool {
    !name.starts_with('$') && !name.contains('#')
}

fn is_layer(e: &B) -> bool {
    match &**e {
        Node::Var(name) => &**name == "$LZ",
        Node::App(name, _) => &**name == "$LS",
        _ => false,
    }
}

/// Constructors are marked when they are made.
fn is_constructor_name(name: &str) -> bool {
    name.contains(CTOR_MARK)
}

/// What distinguishes the names of constructors.
pub(crate) const CTOR_MARK: &str = ".#";

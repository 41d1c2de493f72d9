//! Functions whose bodies a proof hides (`hide f;`, `hide *;`, `{:fuel f, 0}` on a method) and shows again (`reveal f;`).
//!
//! The definition of a function that some statement of the program hides is guarded by `$shown.f`, as that of one that export
//! sets hide. An implementation assumes the guard where it first uses the function while its body is visible
//! ([`known`](crate::known)); what is visible changes at [`S::Visible`] and is what it was at the end of a block. A guard that was
//! assumed stays so on its path: hiding what was used before has no effect there, which only proves more.

use crate::cx::{Cx, Env};
use crate::tree::S;
use num_bigint::Sign;
use std::collections::BTreeSet;
use std::rc::Rc;
use stet_dafny::tree::{Attribute, ExprId, ExprKind, MemberId, Program, RevealTarget, StmtKind};

/// Which functions are hidden: the named ones, or all but the named ones.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Hidden {
    all: bool,
    named: BTreeSet<MemberId>,
}

impl Hidden {
    /// Whether the body of a function is hidden.
    pub(crate) fn hides(&self, function: MemberId) -> bool {
        self.all != self.named.contains(&function)
    }

    fn set(&mut self, target: &RevealTarget, hide: bool) {
        match target {
            RevealTarget::All => {
                self.all = hide;
                self.named.clear();
            }
            RevealTarget::Member(member) if self.all == hide => {
                self.named.remove(member);
            }
            RevealTarget::Member(member) => {
                self.named.insert(*member);
            }
            RevealTarget::Label(_) => {}
        }
    }
}

/// What some statement of the program hides.
pub(crate) fn hidden_somewhere(p: &Program) -> Hidden {
    let mut found = Hidden::default();
    for (_, stmt) in p.stmts.iter() {
        if let StmtKind::Hide(targets) = &stmt.kind {
            for target in targets {
                match target {
                    RevealTarget::All => {
                        found.all = true;
                        found.named.clear();
                    }
                    target if !found.all => found.set(target, true),
                    _ => {}
                }
            }
        }
    }
    if !found.all {
        for (_, member) in p.members.iter() {
            for target in without_fuel(p, &member.attributes) {
                found.set(&target, true);
            }
        }
    }
    found
}

/// The functions that `{:fuel f, 0}` and `{:fuel f, 0, 0}` name.
pub(crate) fn without_fuel(p: &Program, attributes: &[Attribute]) -> Vec<RevealTarget> {
    let is_none =
        |arg: &ExprId| matches!(&p.exprs[*arg].kind, ExprKind::Int(n) if n.sign() == Sign::NoSign);
    let fuels = attributes.iter().filter(|a| p.text(a.name) == "fuel");
    let functions = fuels.filter_map(|a| match &a.args[..] {
        [function, layers @ ..] if !layers.is_empty() && layers.iter().all(is_none) => {
            match p.exprs[*function].kind {
                ExprKind::FunctionValue { function, .. } => Some(RevealTarget::Member(function)),
                _ => None,
            }
        }
        _ => None,
    });
    functions.collect()
}

/// What a proof shows is visible in the check that it belongs to.
pub(crate) fn keep_visible(proof: &mut Vec<S>) {
    if let Some(S::Visible(_)) = proof.last() {
        proof.pop();
    }
}

impl Cx<'_> {
    /// `hide …` or `reveal …`: what is visible from here.
    pub(crate) fn change_visible(
        &self,
        targets: &[RevealTarget],
        hide: bool,
        env: &mut Env,
        out: &mut Vec<S>,
    ) {
        let mut hidden = (*env.hidden).clone();
        for target in targets {
            hidden.set(target, hide);
        }
        self.make_visible(Rc::new(hidden), env, out);
    }

    /// Makes visible what was visible elsewhere: at the beginning of a block that ends.
    pub(crate) fn make_visible(&self, hidden: Rc<Hidden>, env: &mut Env, out: &mut Vec<S>) {
        if hidden != env.hidden {
            env.hidden = hidden;
            out.push(S::Visible(env.hidden.clone()));
        }
    }
}

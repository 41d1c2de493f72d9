//! That there are values for `x :| P(x)`.
//!
//! Beside the quantifier, some values are tried: the default of the type, the bounds of a range, what the variable is equal
//! to. The prover looks for witnesses only among terms that the program mentions.

use crate::cx::{Cx, Env};
use crate::functions::fuel;
use crate::tree::*;
use stet_dafny::tree::{ExprId, TyKind, VarBound, VarId};

/// How many combinations of values are tried.
const MAX_GUESSES: usize = 8;

impl Cx<'_> {
    /// That some values of the variables satisfy a condition.
    pub(crate) fn some_values(
        &mut self,
        vars: &[VarId],
        condition: ExprId,
        bounds: &[Option<VarBound>],
        env: &Env,
    ) -> B {
        let mut inner = env.clone();
        let (names, typing) = self.bound_vars(vars, &mut inner);
        let holds = and(typing, self.expr(condition, &inner));
        let triggers = crate::trigger::choose(&holds, &names);
        let found = exists(names, triggers, holds);
        let mut guesses = vec![(env.with_fuel(fuel(2)), tt())];
        for (i, &v) in vars.iter().enumerate() {
            let bound = bounds.get(i).and_then(Option::as_ref);
            let mut next = Vec::new();
            for (env, typing) in &guesses {
                let ty = self.subst(&env.subst, self.p.vars[v].ty);
                for value in self.guesses(v, bound, env) {
                    let typed = self.typed(ty, &value, &env.heap);
                    let mut env = env.clone();
                    env.vars.insert(v, value);
                    next.push((env, and(typing.clone(), typed)));
                }
            }
            next.truncate(MAX_GUESSES);
            guesses = next;
        }
        let mut all = Vec::new();
        for (env, typing) in &guesses {
            all.push(and(typing.clone(), self.expr(condition, env)));
        }
        or(disj(all), found)
    }

    /// Values to try for a variable.
    fn guesses(&mut self, v: VarId, bound: Option<&VarBound>, env: &Env) -> Vec<B> {
        let mut values = Vec::new();
        let ty = self.subst(&env.subst, self.p.vars[v].ty);
        match bound {
            Some(VarBound::Range(low, high)) => {
                values.extend(low.map(|e| self.expr(e, env)));
                values.extend(high.map(|e| sub(self.expr(e, env), int(1))));
            }
            Some(VarBound::Exact(e)) => values.push(self.expr(*e, env)),
            _ => {}
        }
        let rep = self.rep(ty);
        let is_number = matches!(&*self.p.types.kind(rep), TyKind::Int);
        if !is_number && !values.is_empty() && !matches!(bound, Some(VarBound::Exact(_))) {
            values.clear();
        }
        if let Some((value, _)) = self.default_value(ty) {
            values.push(value);
        }
        if rep == self.p.types.bool_ {
            values.push(tt());
        }
        values
    }
}

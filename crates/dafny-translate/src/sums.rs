//! Quantifiers whose terms to match hold sums: `forall i :: … s[i..i + n] …`.
//!
//! The prover matches a sum only as it is written, and it rewrites sums. So each sum in a term becomes a variable of its own,
//! and the quantifier says what that variable equals: `forall i, e :: {take(s, e)} e == i + n ==> …`, which is the same formula.
//! A variable that occurs in sums only is computed from one of them, `i` as `e - n`, and is no longer bound.
//! Nothing is done if a variable can neither be matched nor be computed: `f(2 * i)`.

use crate::collections::replace;
use crate::tree::{
    B, BinaryOp as Op, Name, Node, Sort, TypedName, and, app, children, eq, imp, mentions, neg,
    quant, sub, tt,
};

/// A quantifier without sums in the terms it is matched by.
pub(crate) struct Matched {
    pub(crate) formula: B,
    /// The variables that stand for sums.
    pub(crate) added: Vec<TypedName>,
}

/// A sum that mentions bound variables, and the variable that stands for it.
struct Replaced {
    sum: B,
    by: TypedName,
}

/// The quantifier, matched by one of `triggers`, which hold sums; nothing if none of them will do.
pub(crate) fn without_sums(
    is_forall: bool,
    vars: &[TypedName],
    triggers: &[Vec<B>],
    body: &B,
) -> Option<Matched> {
    triggers
        .iter()
        .find_map(|terms| matched(is_forall, vars, terms, body))
}

fn matched(is_forall: bool, vars: &[TypedName], terms: &[B], body: &B) -> Option<Matched> {
    let mut replaced = Vec::new();
    let terms: Vec<B> = terms
        .iter()
        .map(|term| take_out(term, vars, &mut replaced))
        .collect::<Option<_>>()?;
    let is_matched = |(name, _): &TypedName| terms.iter().any(|t| mentions(t, name));
    let (mut bound, mut missing): (Vec<TypedName>, Vec<TypedName>) =
        vars.iter().cloned().partition(is_matched);
    let (mut solved, mut values) = (Vec::new(), Vec::new());
    let (mut condition, mut added) = (tt(), Vec::new());
    for Replaced { sum, by } in replaced {
        let sum = replace(&sum, &solved, &values);
        let value: B = Node::Var(by.0.clone()).into();
        let mut unknown = (0..missing.len()).filter(|&i| mentions(&sum, &missing[i].0));
        match (unknown.next(), unknown.next()) {
            // The sum says what the one variable is that is still missing.
            (Some(i), None) => {
                values.push(solve(&sum, &missing[i].0, value)?);
                solved.push(missing.remove(i));
            }
            (None, _) => condition = and(condition, eq(value, sum)),
            _ => return None,
        }
        added.push(by);
    }
    if !missing.is_empty() {
        return None;
    }
    bound.extend(added.iter().cloned());
    let body = replace(body, &solved, &values);
    if added.is_empty() {
        return None;
    }
    let body = match is_forall {
        true => imp(condition, body),
        false => and(condition, body),
    };
    Some(Matched {
        formula: quant(is_forall, bound, vec![terms], body),
        added,
    })
}

/// The term with variables in place of the sums in it; nothing if something else in it cannot be matched.
fn take_out(e: &B, vars: &[TypedName], replaced: &mut Vec<Replaced>) -> Option<B> {
    let is_bound = vars.iter().any(|(name, _)| mentions(e, name));
    if !is_bound {
        return Some(e.clone());
    }
    if is_sum(e) {
        if let Some(known) = replaced.iter().find(|r| r.sum == *e) {
            return Some(Node::Var(known.by.0.clone()).into());
        }
        let (of, sort) = leaf(e, vars)?;
        let by: TypedName = (format!("{of}.{}", replaced.len()).into(), sort);
        replaced.push(Replaced {
            sum: e.clone(),
            by: by.clone(),
        });
        return Some(Node::Var(by.0).into());
    }
    let mut again = |x: &B| take_out(x, vars, replaced);
    Some(match &**e {
        Node::Var(_) => e.clone(),
        Node::App(name, args) => {
            let args = args.iter().map(&mut again).collect::<Option<Vec<B>>>()?;
            app(name, args)
        }
        Node::Select(map, at) => {
            let map = again(map)?;
            let at = at.iter().map(&mut again).collect::<Option<Vec<B>>>()?;
            Node::Select(map, at).into()
        }
        _ => return None,
    })
}

/// Whether the prover computes it.
fn is_sum(e: &B) -> bool {
    match &**e {
        Node::Bin(Op::Add | Op::Sub | Op::Mul, ..) | Node::Neg(_) => true,
        Node::App(name, _) => matches!(&**name, "$Mul" | "$Div" | "$Mod"),
        _ => false,
    }
}

/// A number among the bound variables that is a term of a sum: what is computed from it has its sort.
fn leaf<'a>(e: &B, vars: &'a [TypedName]) -> Option<(&'a Name, Sort)> {
    if let Node::Var(name) = &**e {
        let (name, sort) = vars.iter().find(|(n, _)| n == name)?;
        return matches!(sort.name(), "int" | "real").then(|| (name, sort.clone()));
    }
    match is_sum(e) {
        true => children(e).into_iter().find_map(|c| leaf(c, vars)),
        false => None,
    }
}

/// What a variable is if a sum has this value; nothing unless the variable is one of its terms, once.
fn solve(sum: &B, name: &Name, value: B) -> Option<B> {
    match &**sum {
        Node::Var(v) if v == name => Some(value),
        Node::Neg(a) => solve(a, name, neg(value)),
        Node::Bin(op @ (Op::Add | Op::Sub), a, b) => {
            match (mentions(a, name), mentions(b, name), op) {
                (true, false, Op::Add) => solve(a, name, sub(value, b.clone())),
                (true, false, _) => solve(a, name, crate::tree::add(value, b.clone())),
                (false, true, Op::Add) => solve(b, name, sub(value, a.clone())),
                (false, true, _) => solve(b, name, sub(a.clone(), value)),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::without_sums;
    use crate::tree::{B, Sort, TypedName, add, app, eq, int, sub, var};

    fn number(name: &str) -> TypedName {
        (name.into(), Sort::named("int"))
    }

    fn f(args: &[B]) -> B {
        app("f", args.to_vec())
    }

    fn matched(vars: &[&str], term: B) -> Option<String> {
        let vars: Vec<TypedName> = vars.iter().map(|v| number(v)).collect();
        let body = eq(term.clone(), int(0));
        let found = without_sums(true, &vars, &[vec![term]], &body)?;
        Some(format!("{:?}", found.formula))
    }

    #[test]
    fn a_variable_in_a_sum_only_is_computed() {
        // f(i + n) == 0 for all i: f(e) == 0 for e with i == e - n, so i + n == (e - n) + n.
        let given = f(&[add(var("i"), var("n"))]);
        let vars = vec![number("i.0")];
        let term = f(&[var("i.0")]);
        let computed = add(sub(var("i.0"), var("n")), var("n"));
        let body = eq(f(&[computed]), int(0));
        let expected = crate::tree::forall(vars, vec![vec![term]], body);
        assert_eq!(matched(&["i"], given), Some(format!("{expected:?}")));
    }

    #[test]
    fn a_variable_that_is_matched_stays_and_the_sum_is_a_condition() {
        let given = f(&[var("i"), add(var("i"), int(1))]);
        let vars = vec![number("i"), number("i.0")];
        let term = f(&[var("i"), var("i.0")]);
        let condition = eq(var("i.0"), add(var("i"), int(1)));
        let body = crate::tree::imp(condition, eq(given.clone(), int(0)));
        let expected = crate::tree::forall(vars, vec![vec![term]], body);
        assert_eq!(matched(&["i"], given), Some(format!("{expected:?}")));
    }

    #[test]
    fn what_cannot_be_computed_is_left() {
        let product = crate::tree::bin(crate::tree::BinaryOp::Mul, int(2), var("i"));
        assert_eq!(matched(&["i"], f(&[product])), None);
        assert_eq!(matched(&["i"], f(&[add(var("i"), var("i"))])), None);
        let two = f(&[add(var("i"), var("j"))]);
        assert_eq!(matched(&["i", "j"], two), None);
        assert_eq!(matched(&["i"], f(&[var("i")])), None);
    }
}

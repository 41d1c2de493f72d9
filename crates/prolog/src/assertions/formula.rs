//! Conditions: formulas over property literals, brought into disjunctive normal form.
//!
//! `,` and `;` are the connectives. The star form `int * list(int)` gives one property per argument of the head;
//! a property without any variable stands for star form when the head has one argument; `{int, nonvar}` are several of
//! one argument. The checked argument is
//! added last: `list(int)` for `X` is `list(int, X)`.

use super::{Builder, Dnf};
use crate::ast::{Node, SyntaxError, TermId, Terms};
use crate::atoms::atom;

/// More conjunctions than this in one condition are refused.
const MAX_CONJUNCTIONS: usize = 256;

impl Builder<'_> {
    /// Normalises a condition.
    pub(crate) fn condition(&mut self, id: TermId) -> Result<Dnf, SyntaxError> {
        let starred = self.star_elements(id);
        if starred.len() > 1 || (self.out.head.len() == 1 && self.is_closed(id)) {
            return self.star(id, &starred);
        }
        self.formula(id)
    }

    fn star_elements(&self, id: TermId) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut at = id;
        while self.out.terms.functor(at) == Some((atom::STAR, 2)) {
            let args = self.out.terms.args(at);
            found.push(args[1]);
            at = args[0];
        }
        found.push(at);
        found.reverse();
        found
    }

    fn star(&mut self, id: TermId, elements: &[TermId]) -> Result<Dnf, SyntaxError> {
        if elements.len() != self.out.head.len() {
            let message = format!(
                "{} properties in star form for {} arguments",
                elements.len(),
                self.out.head.len()
            );
            return Err(self.error(id, &message));
        }
        let mut result = super::truth();
        for (index, &element) in elements.iter().enumerate() {
            let var = self.out.head[index];
            let mut part: Dnf = Vec::new();
            for alternative in alternatives(&self.out.terms, element) {
                let mut literals = Vec::new();
                for property in braced(&self.out.terms, alternative) {
                    literals.push(self.apply_property(property, var)?);
                }
                part.push(literals);
            }
            conjoin(&mut result, &part);
        }
        self.bounded(id, result)
    }

    /// `property` with the variable added as last argument.
    pub(crate) fn apply_property(
        &mut self,
        property: TermId,
        var: u32,
    ) -> Result<TermId, SyntaxError> {
        let place = self.out.terms.place(property);
        let argument = self.out.terms.add(Node::Var(var), place);
        match self.out.terms.functor(property) {
            Some((name, _)) => {
                let mut args = self.out.terms.args(property).to_vec();
                args.push(argument);
                Ok(self.out.terms.compound(name, &args, place))
            }
            None => match *self.out.terms.node(property) {
                // A property that is itself a variable, in a mode definition.
                Node::Var(_) => {
                    Ok(self
                        .out
                        .terms
                        .compound(atom::CALL, &[property, argument], place))
                }
                _ => Err(self.error(property, "expected the name of a property")),
            },
        }
    }

    fn is_closed(&self, id: TermId) -> bool {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if matches!(self.out.terms.node(id), Node::Var(_)) {
                return false;
            }
            if self.out.terms.functor(id) == Some((atom::TRUE, 0)) {
                return false;
            }
            stack.extend_from_slice(self.out.terms.args(id));
        }
        true
    }

    /// `,`/`;` formulas, evaluated over an explicit stack.
    fn formula(&mut self, id: TermId) -> Result<Dnf, SyntaxError> {
        enum Work {
            Visit(TermId),
            And,
            Or,
        }
        let mut work = vec![Work::Visit(id)];
        let mut values: Vec<Dnf> = Vec::new();
        while let Some(item) = work.pop() {
            match item {
                Work::Visit(at) => match self.out.terms.functor(at) {
                    Some((name @ (atom::COMMA | atom::SEMICOLON), 2)) => {
                        let args = self.out.terms.args(at).to_vec();
                        work.push(if name == atom::COMMA {
                            Work::And
                        } else {
                            Work::Or
                        });
                        work.push(Work::Visit(args[1]));
                        work.push(Work::Visit(args[0]));
                    }
                    Some((atom::TRUE, 0)) => values.push(super::truth()),
                    Some((atom::CURLY, 1)) => work.push(Work::Visit(self.out.terms.args(at)[0])),
                    Some(_) => values.push(vec![vec![at]]),
                    None => return Err(self.error(at, "expected a property")),
                },
                Work::And | Work::Or => {
                    let right = values.pop().expect("two values per connective");
                    let left = values.last_mut().expect("two values per connective");
                    if matches!(item, Work::And) {
                        conjoin(left, &right);
                    } else {
                        left.extend(right);
                    }
                    if left.len() > MAX_CONJUNCTIONS {
                        return Err(self.error(id, "the condition has too many alternatives"));
                    }
                }
            }
        }
        let value = values.pop().expect("one value per formula");
        self.bounded(id, value)
    }

    fn bounded(&self, id: TermId, value: Dnf) -> Result<Dnf, SyntaxError> {
        if value.len() > MAX_CONJUNCTIONS {
            return Err(self.error(id, "the condition has too many alternatives"));
        }
        Ok(value)
    }
}

/// The properties in `{a, b}`, which must all hold, or the property itself.
fn braced(terms: &Terms, id: TermId) -> Vec<TermId> {
    match terms.functor(id) {
        Some((atom::CURLY, 1)) => super::comma_list(terms, terms.args(id)[0]),
        _ => vec![id],
    }
}

/// The disjuncts of `a ; b` in star form.
fn alternatives(terms: &Terms, id: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut stack = vec![id];
    while let Some(at) = stack.pop() {
        if terms.functor(at) == Some((atom::SEMICOLON, 2)) {
            stack.push(terms.args(at)[1]);
            stack.push(terms.args(at)[0]);
        } else {
            found.push(at);
        }
    }
    found
}

/// `left := left ∧ right`, distributed; literals already there are not repeated.
pub(crate) fn conjoin(left: &mut Dnf, right: &Dnf) {
    let mut result = Vec::with_capacity(left.len() * right.len());
    for a in left.iter() {
        for b in right {
            let mut both = a.clone();
            both.extend(b.iter().filter(|literal| !a.contains(literal)));
            result.push(both);
        }
    }
    *left = result;
}

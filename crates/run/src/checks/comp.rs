//! The computational properties (`+`) of the assertion language, and how far each is checked.

use stet_prolog::assertions::Assertion;
use stet_prolog::{AtomTable, Node, TermId, Terms, atom};

/// What becomes of a computational property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comp {
    /// Checked while the program runs.
    Checked,
    /// True of every computation.
    Trivial,
    /// An option of a test, without meaning elsewhere.
    TestOption,
    /// Documented, but nothing here decides it.
    Unchecked,
}

const CHECKED: &[(&str, &[usize])] = &[
    ("det", &[0]),
    ("is_det", &[0]),
    ("semidet", &[0]),
    ("multi", &[0]),
    ("not_fails", &[0]),
    ("succeeds", &[0]),
    ("non_det", &[0]),
    ("fails", &[0]),
    ("num_solutions", &[1, 2]),
    ("relations", &[1]),
    ("cardinality", &[2]),
    ("solutions", &[1]),
    ("exception", &[0, 1]),
    ("throws", &[1]),
    ("no_exception", &[0, 1]),
    ("exceptions", &[1]),
    ("possible_exceptions", &[1]),
    ("not_further_inst", &[1, 2]),
    ("no_choicepoints", &[0]),
    ("leave_choicepoints", &[0]),
    ("leaves_choicepoints", &[0]),
    ("user_output", &[1]),
    ("user_error", &[1]),
];

const TRIVIAL: &[(&str, &[usize])] = &[
    ("nondet", &[0]),
    ("possibly_nondet", &[0]),
    ("possibly_fails", &[0]),
    ("equiv", &[1]),
    ("native", &[0, 1]),
    ("regtype", &[0]),
    ("iso", &[0]),
    ("prop", &[0]),
];

const TEST_OPTIONS: &[(&str, &[usize])] = &[
    ("setup", &[1]),
    ("cleanup", &[1]),
    ("times", &[1]),
    ("try_sols", &[1]),
    ("timeout", &[1]),
    ("generate_from_calls_n", &[1]),
];

const UNCHECKED: &[(&str, &[usize])] = &[
    ("mut_exclusive", &[0]),
    ("not_mut_exclusive", &[0]),
    ("covered", &[0]),
    ("not_covered", &[0]),
    ("possibly_not_covered", &[0]),
    ("possibly_not_mut_exclusive", &[0]),
    ("test_type", &[1, 2]),
    ("finite_solutions", &[0]),
    ("sideff", &[1]),
    ("sideff_pure", &[0]),
    ("sideff_soft", &[0]),
    ("sideff_hard", &[0]),
    ("terminates", &[0]),
    ("steps", &[1]),
    ("steps_ub", &[1]),
    ("steps_lb", &[1]),
    ("steps_o", &[1]),
    ("size", &[2, 3]),
    ("size_ub", &[2]),
    ("size_lb", &[2]),
    ("size_o", &[2]),
    ("size_metric", &[2, 3]),
    ("rsize", &[2]),
    ("cost", &[3, 4, 5, 6, 7]),
    ("costb", &[3]),
    ("resource", &[2, 3]),
    ("head_cost", &[2, 3]),
    ("literal_cost", &[2, 3]),
    ("trust_default", &[0]),
    ("signal", &[0, 1]),
    ("no_signal", &[0, 1]),
    ("signals", &[1]),
    ("possible_signals", &[1]),
    ("eval", &[0]),
    ("memo", &[1]),
    ("pe_type", &[1]),
    ("bind_ins", &[0]),
    ("no_rtcheck", &[0]),
    ("no_acceptable_exception", &[0]),
    ("indep", &[1, 2]),
    ("mshare", &[1, 2]),
    ("linear", &[1]),
    ("nonground", &[1]),
    ("clique", &[1, 2]),
    ("clique_1", &[1]),
    ("constraint", &[1]),
    ("tau", &[1]),
    ("user_interaction", &[0]),
    ("foreign", &[0, 1, 2]),
    ("foreign_low", &[0, 1, 2]),
    ("returns", &[1]),
    ("do_not_free", &[1]),
    ("size_of", &[2]),
    ("tabled", &[0]),
];

/// What becomes of `name/arity` after `+`; `None` if there is no such property.
pub(crate) fn known(name: &str, arity: usize) -> Option<Comp> {
    let tables = [
        (CHECKED, Comp::Checked),
        (TRIVIAL, Comp::Trivial),
        (TEST_OPTIONS, Comp::TestOption),
        (UNCHECKED, Comp::Unchecked),
    ];
    tables.into_iter().find_map(|(table, comp)| {
        table
            .iter()
            .any(|(found, arities)| *found == name && arities.contains(&arity))
            .then_some(comp)
    })
}

/// What is wrong with the arguments of a checked property; it could not be checked with them.
pub(crate) fn wrong_argument(
    atoms: &AtomTable,
    assertion: &Assertion,
    property: TermId,
) -> Option<&'static str> {
    let terms = &assertion.terms;
    let (name, arity) = terms.functor(property)?;
    let args = terms.args(property);
    let is_count = |id: TermId| matches!(terms.node(id), Node::Int(0..));
    let is_no_limit = |id: TermId| matches!(terms.node(id), Node::Atom(name) if matches!(atoms.text(*name), "inf" | "infinite"));
    let is_closure = |id: TermId| terms.functor(id).is_some_and(|f| f.0 != atom::NIL);
    let wrong = match (atoms.text(name), arity) {
        ("num_solutions", 1) => !is_count(args[0]) && !is_closure(args[0]),
        ("num_solutions", 2) => !args.iter().all(|&id| is_count(id)),
        ("relations", 1) => !is_count(args[0]),
        ("cardinality", 2) => !is_count(args[0]) || !(is_count(args[1]) || is_no_limit(args[1])),
        ("solutions" | "exceptions" | "possible_exceptions", 1) => {
            return (!is_list(terms, args[0])).then_some("a list");
        }
        ("user_output" | "user_error", 1) => {
            let is_text = matches!(terms.node(args[0]), Node::Str(_) | Node::Atom(_));
            return (!is_text && !is_list(terms, args[0])).then_some("a text");
        }
        _ => false,
    };
    wrong.then_some(match name {
        _ if atoms.text(name) == "num_solutions" && arity == 1 => {
            "a number of answers, or a property of it"
        }
        _ => "a number of answers",
    })
}

/// Whether a term is a list with a known end.
fn is_list(terms: &Terms, id: TermId) -> bool {
    let mut at = id;
    while terms.functor(at) == Some((atom::DOT, 2)) {
        at = terms.args(at)[1];
    }
    terms.functor(at) == Some((atom::NIL, 0))
}

/// Whether a computation that ends in an exception does not have the property: it has no answer, and it did not end by
/// failing.
pub(crate) fn excludes_exceptions(name: &str, arity: usize) -> bool {
    arity == 0 && matches!(name, "det" | "multi" | "not_fails" | "succeeds" | "fails")
}

/// The numbers of answers a property admits, if that is what it is about; a maximum of -1 is no limit.
pub(crate) fn answers(
    atoms: &AtomTable,
    assertion: &Assertion,
    property: TermId,
) -> Option<(i64, i64)> {
    let terms = &assertion.terms;
    let (name, _) = terms.functor(property)?;
    let number = |index: usize| match *terms.node(*terms.args(property).get(index)?) {
        Node::Int(value) if value >= 0 => Some(value),
        _ => None,
    };
    Some(match (atoms.text(name), terms.args(property).len()) {
        ("det", 0) => (1, 1),
        ("is_det" | "semidet", 0) => (0, 1),
        ("multi" | "not_fails" | "succeeds", 0) => (1, -1),
        ("non_det", 0) => (2, -1),
        ("fails", 0) => (0, 0),
        ("num_solutions" | "relations", 1) => (number(0)?, number(0)?),
        ("num_solutions", 2) => (number(0)?, number(1)?),
        ("cardinality", 2) => (number(0)?, number(1).unwrap_or(-1)),
        _ => return None,
    })
}

//! The wrapper in Prolog of a predicate whose conditions automata alone cannot decide: one clause in the shape of
//! [RTC §4], with the machine's own predicates for evaluating and reporting.
//!
//! Truth values are 3 (holds), 0 (does not) and 1 (unknown, the property raised an exception): `/\` and `\/` on them
//! are Kleene's connectives, and a condition is violated if its value is 0. A property that is a predicate may write, loop
//! or raise an exception. So it is called only if its answer matters, else its value is 1: it does not if a type in the
//! same conjunction does not hold, or if it stands in postconditions whose preconditions did not hold.

use super::plan::{Formula, Plan, Prop};
use stet_prolog::quote_atom;

/// States of the properties that automata decide, on entry, on exit and for compatibility.
pub(crate) type States = (Vec<Option<u32>>, Vec<Option<u32>>, Vec<Option<u32>>);

/// `checked(X…) :- entry checks, plain(X…), exit checks`, without the full stop.
pub(crate) fn wrapper_clause(
    plan: &Plan,
    index: usize,
    (checked, plain): (&str, &str),
    module: &str,
    states: &States,
) -> String {
    let args: Vec<String> = (1..=plan.arity).map(|i| format!("A{i}")).collect();
    let list = format!("[{}]", args.join(","));
    let mut goals = vec![format!("'$rtc_count'({index},0)")];
    let entry = |i: usize| format!("{index},{i}");
    let exit = |i: usize| format!("{index},-{}", i + 1);
    evaluations(
        &mut goals,
        &plan.entry_props,
        &states.0,
        ("E", module, &list, index),
        &Evaluated {
            counted: &entry,
            matters: &|i| matters(plan.pres.iter().map(|f| (None, f)), &states.0, "E", i),
            assertion: &|i| plan.assertion_on_entry(i),
        },
    );
    compatibilities(&mut goals, plan, &states.2, ("K", module, index), |_| true);
    for (i, formula) in plan.pres.iter().enumerate() {
        goals.push(format!("P{i} is {}", bits(formula, "E")));
    }
    for (i, condition) in plan.calls.iter().enumerate() {
        let any: Vec<String> = condition.any_of.iter().map(|p| format!("P{p}")).collect();
        goals.push(require(
            &any.join("\\/"),
            index,
            ("calls", i),
            (&list, "[]"),
        ));
    }
    for (i, (formula, _)) in plan.compat.iter().enumerate() {
        goals.push(require(
            &bits(formula, "K"),
            index,
            ("compat", i),
            (&list, "[]"),
        ));
    }
    goals.push(body(plan, index, plain, module, &args));
    if plan.has_exit() {
        goals.push(format!("'$rtc_count'({index},1)"));
    }
    // What was compatible on entry still is.
    let kept = |i: usize| plan.compat_kept.get(i).copied().unwrap_or(true);
    let again = |prop: usize| {
        let of = plan.compat.iter().enumerate().filter(|&(i, _)| kept(i));
        of.flat_map(|(_, (formula, _))| formula)
            .any(|conjunction| conjunction.contains(&prop))
    };
    compatibilities(&mut goals, plan, &states.2, ("J", module, index), again);
    for (i, (formula, _)) in plan.compat.iter().enumerate().filter(|&(i, _)| kept(i)) {
        let value = format!("xor(({}),3)\\/({})", bits(formula, "K"), bits(formula, "J"));
        goals.push(require(&value, index, ("compat", i), (&list, "[]")));
    }
    evaluations(
        &mut goals,
        &plan.exit_props,
        &states.1,
        ("S", module, &list, index),
        &Evaluated {
            counted: &exit,
            matters: &|i| {
                matters(
                    plan.success.iter().map(|c| (c.pre, &c.post)),
                    &states.1,
                    "S",
                    i,
                )
            },
            assertion: &|i| plan.assertion_on_exit(i),
        },
    );
    let values: Vec<String> = (0..plan.exit_props.len())
        .map(|i| format!("S{i}"))
        .collect();
    let values = format!("[{}]", values.join(","));
    for (i, condition) in plan.success.iter().enumerate() {
        let post = bits(&condition.post, "S");
        let value = match condition.pre {
            Some(pre) => format!("xor(P{pre},3)\\/({post})"),
            None => post,
        };
        goals.push(require(&value, index, ("success", i), (&list, &values)));
    }
    format!("{} :- {}", call(checked, &args), goals.join(", "))
}

/// The compatibility properties that `wanted` names, as variables of this letter.
fn compatibilities(
    goals: &mut Vec<String>,
    plan: &Plan,
    states: &[Option<u32>],
    (letter, module, index): (&str, &str, usize),
    wanted: impl Fn(usize) -> bool,
) {
    for (i, prop) in plan.compat_props.iter().enumerate() {
        if !wanted(i) {
            continue;
        }
        goals.push(match (states[i], prop.argument()) {
            (Some(state), Some(argument)) => {
                format!("'$rtc_compat_type'({state},A{},{letter}{i})", argument + 1)
            }
            _ => format!(
                "'$rtc_compat'({module}:({}),{index},{letter}{i})",
                prop.canonical
            ),
        });
    }
}

/// What is asked about a property by its number.
struct Evaluated<'a> {
    /// Where it is counted.
    counted: &'a dyn Fn(usize) -> String,
    /// The condition under which its answer matters, if not always.
    matters: &'a dyn Fn(usize) -> Option<String>,
    /// The assertion it is from.
    assertion: &'a dyn Fn(usize) -> usize,
}

/// Evaluates the properties of one side: types first, which the conditions of the others look at.
fn evaluations(
    goals: &mut Vec<String>,
    props: &[Prop],
    states: &[Option<u32>],
    (letter, module, list, index): (&str, &str, &str, usize),
    asked: &Evaluated<'_>,
) {
    let mut called = Vec::new();
    for (i, prop) in props.iter().enumerate() {
        if let (Some(state), Some(argument)) = (states[i], prop.argument()) {
            let counted = (asked.counted)(i);
            goals.push(format!(
                "'$rtc_type'({state},A{},{letter}{i},{counted})",
                argument + 1
            ));
            continue;
        }
        let (goal, assertion) = (&prop.canonical, (asked.assertion)(i));
        let evaluate =
            format!("'$rtc_reify'({list},{module}:({goal}),p({index},{assertion}),{letter}{i})");
        called.push(match (asked.matters)(i) {
            Some(condition) => format!("(({condition})->{evaluate};{letter}{i}=1)"),
            None => evaluate,
        });
    }
    goals.append(&mut called);
}

/// When the answer of property `i` matters for formulas that hold under preconditions; `None` if always.
fn matters<'a>(
    formulas: impl Iterator<Item = (Option<usize>, &'a Formula)>,
    states: &[Option<u32>],
    letter: &str,
    i: usize,
) -> Option<String> {
    let mut ways = Vec::new();
    for (pre, formula) in formulas {
        for conjunction in formula.iter().filter(|c| c.contains(&i)) {
            let mut tests: Vec<String> = pre.iter().map(|pre| format!("P{pre}=:=3")).collect();
            let types = conjunction.iter().filter(|&&prop| states[prop].is_some());
            tests.extend(types.map(|prop| format!("{letter}{prop}=\\=0")));
            if tests.is_empty() {
                return None;
            }
            ways.push(tests.join(","));
        }
    }
    (!ways.is_empty()).then(|| ways.join(";"))
}

fn require(
    value: &str,
    index: usize,
    (kind, condition): (&str, usize),
    (list, values): (&str, &str),
) -> String {
    format!("'$rtc_require'({value},{index},{kind},{condition},{list},{values})")
}

/// The plain call, with exceptions noticed where a property excludes them.
fn caught(plan: &Plan, index: usize, goal: String) -> String {
    let mut noticed = Vec::new();
    for condition in &plan.comp {
        let status = condition
            .pre
            .map_or("3".to_string(), |pre| format!("P{pre}"));
        let properties = condition.canonical.iter().zip(&condition.no_exceptions);
        for (property, _) in properties.filter(|(_, excluded)| **excluded) {
            noticed.push(format!(
                "c({status},v({index},{},{property}))",
                condition.assertion
            ));
        }
    }
    if noticed.is_empty() {
        return goal;
    }
    format!("catch({goal},B,'$rtc_threw'(B,[{}]))", noticed.join(","))
}

/// The plain call inside the checks of the computation. Bounds on the number of answers are goals around the call;
/// other properties go through `'$rtc_comp'`.
fn body(plan: &Plan, index: usize, plain: &str, module: &str, args: &[String]) -> String {
    let mut counters = 0;
    let innermost = caught(plan, index, call(plain, args));
    plan.comp.iter().fold(innermost, |goal, condition| {
        let status = condition
            .pre
            .map_or("3".to_string(), |pre| format!("P{pre}"));
        let assertion = condition.assertion;
        let mut goal = goal;
        let mut others = Vec::new();
        for (property, answers) in condition.canonical.iter().zip(&condition.answers) {
            let Some((min, max)) = answers else {
                others.push(property.as_str());
                continue;
            };
            let c = format!("C{counters}");
            counters += 1;
            goal = format!(
                "'$rtc_counter'({c}),('$rtc_mark'({c}),{goal},\
                 '$rtc_answer'({c},{status},{min},{max},{index},{assertion},{property})\
                 ;'$rtc_no_more'({c},{status},{min},{index},{assertion},{property}))"
            );
        }
        if others.is_empty() {
            return goal;
        }
        format!(
            "'$rtc_comp'({status},[{}],{index},{assertion},{module}:({goal}))",
            others.join(",")
        )
    })
}

fn bits(formula: &Formula, letter: &str) -> String {
    let parts: Vec<String> = formula
        .iter()
        .map(|conjunction| {
            let names: Vec<String> = conjunction.iter().map(|p| format!("{letter}{p}")).collect();
            format!("({})", names.join("/\\"))
        })
        .collect();
    parts.join("\\/")
}

fn call(name: &str, args: &[String]) -> String {
    let name = quote_atom(name);
    if args.is_empty() {
        name
    } else {
        format!("{name}({})", args.join(","))
    }
}

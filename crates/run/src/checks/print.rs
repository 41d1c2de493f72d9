//! The program as transformed, in the shape of [RTC Example 1].
//!
//! Each predicate with checks gets the wrapper `p(X) :- p_c(X,R…), p'(X), p_s(X,R…).`; its clauses become clauses of
//! `p'`. `reify_check/2` evaluates a property to 1 or 0, preconditions and conditions are bit expressions over the
//! results. What is trivial is left out: without `p_s` the call of `p'` is a last call.

use super::plan::{Formula, Plan};
use std::fmt::Write as _;
use stet_prolog::{
    AstView, AtomTable, Clause, Ops, TermId, WriteOptions, atom, quote_atom, write_term,
};

/// The wrapper, `_c` and `_s` clauses of a plan.
pub(crate) fn wrapper_text(plan: &Plan) -> String {
    let names = Names::new(plan);
    let kept = plan.kept_pres();
    let mut statuses: Vec<String> = Vec::new();
    for &pre in &kept {
        if !statuses.contains(&names.pres[pre]) {
            statuses.push(names.pres[pre].clone());
        }
    }
    let needs_entry = !plan.calls.is_empty() || !statuses.is_empty() || !plan.compat.is_empty();
    let mut goals = Vec::new();
    if needs_entry {
        goals.push(atom_with(
            &format!("{}_c", plan.name),
            &plan.vars,
            &statuses,
        ));
    }
    let body = atom_with(&format!("{}'", plan.name), &plan.vars, &[]);
    goals.push(comp_wrapped(plan, &names, body));
    if plan.has_exit() {
        goals.push(atom_with(
            &format!("{}_s", plan.name),
            &plan.vars,
            &statuses,
        ));
    }
    let head = atom_with(&plan.name, &plan.vars, &[]);
    let mut out = clause(&head, &goals);
    if needs_entry {
        out.push('\n');
        out.push_str(&entry_clause(plan, &names, &statuses));
    }
    if plan.has_exit() {
        out.push('\n');
        out.push_str(&exit_clause(plan, &names, &statuses));
    }
    out
}

/// The wrappers of all plans, then the program's clauses with checked predicates renamed.
pub(crate) fn program_text(
    plans: &[&Plan],
    clauses: &[Clause],
    atoms: &AtomTable,
    ops: &Ops,
) -> String {
    let mut out = String::new();
    for plan in plans {
        out.push_str(&wrapper_text(plan));
        out.push('\n');
    }
    let mut last = None;
    for clause in clauses {
        let key = super::install::clause_key(clause);
        if last.is_some() && last != key {
            out.push('\n');
        }
        last = key;
        let checked = plans.iter().any(|plan| {
            key.is_some_and(|(name, arity)| atoms.text(name) == plan.name && arity == plan.arity)
        });
        out.push_str(&clause_text(clause, checked, atoms, ops));
    }
    out
}

fn clause_text(clause: &Clause, renamed: bool, atoms: &AtomTable, ops: &Ops) -> String {
    let terms = &clause.terms;
    let (head, body) = match terms.functor(clause.root) {
        Some((atom::NECK, 2)) => {
            let args = terms.args(clause.root);
            (args[0], Some(args[1]))
        }
        _ => (clause.root, None),
    };
    let view = AstView {
        terms,
        variables: &clause.variables,
    };
    let text = |id: TermId, priority: u16| {
        let options = WriteOptions {
            priority,
            ..WriteOptions::WRITEQ
        };
        write_term(&view, id, atoms, ops, &options)
    };
    let mut out = if renamed {
        let args: Vec<String> = terms.args(head).iter().map(|&arg| text(arg, 999)).collect();
        let name = terms.functor(head).map_or("", |(name, _)| atoms.text(name));
        atom_with(&format!("{name}'"), &args, &[])
    } else {
        text(head, 1199)
    };
    if let Some(body) = body {
        out.push_str(" :-");
        let mut at = body;
        while terms.functor(at) == Some((atom::COMMA, 2)) {
            let args = terms.args(at);
            let _ = write!(out, "\n    {},", text(args[0], 999));
            at = args[1];
        }
        let _ = write!(out, "\n    {}", text(at, 999));
    }
    out.push_str(".\n");
    out
}

/// Names of the status variables.
struct Names {
    entry: Vec<String>,
    /// A precondition of one property has that property's name.
    pres: Vec<String>,
    compat: Vec<String>,
    exit: Vec<String>,
}

impl Names {
    fn new(plan: &Plan) -> Names {
        let mut next = 0;
        let mut fresh = || {
            next += 1;
            format!("R{}", next - 1)
        };
        let entry: Vec<String> = plan.entry_props.iter().map(|_| fresh()).collect();
        let pres = plan
            .pres
            .iter()
            .map(|formula| match &formula[..] {
                [single] if single.len() == 1 => entry[single[0]].clone(),
                _ => fresh(),
            })
            .collect();
        let compat = plan.compat_props.iter().map(|_| fresh()).collect();
        let exit = plan.exit_props.iter().map(|_| fresh()).collect();
        Names {
            entry,
            pres,
            compat,
            exit,
        }
    }
}

fn entry_clause(plan: &Plan, names: &Names, statuses: &[String]) -> String {
    let mut goals: Vec<String> = plan
        .entry_props
        .iter()
        .zip(&names.entry)
        .map(|(prop, r)| format!("reify_check({},{r})", prop.text))
        .collect();
    goals.extend(
        plan.compat_props
            .iter()
            .zip(&names.compat)
            .map(|(prop, r)| format!("reify_compat({},{r})", prop.text)),
    );
    for (formula, r) in plan.pres.iter().zip(&names.pres) {
        if formula.len() != 1 || formula[0].len() != 1 {
            goals.push(format!("{r} is {}", bits(formula, &names.entry)));
        }
    }
    let mut conditions: Vec<String> = plan
        .calls
        .iter()
        .map(|condition| {
            let any: Vec<&str> = condition
                .any_of
                .iter()
                .map(|&pre| names.pres[pre].as_str())
                .collect();
            any.join("\\/")
        })
        .collect();
    conditions.extend(
        plan.compat
            .iter()
            .map(|(formula, _)| bits(formula, &names.compat)),
    );
    error_goals("Rc", &conditions, &mut goals);
    clause(
        &atom_with(&format!("{}_c", plan.name), &plan.vars, statuses),
        &goals,
    )
}

fn exit_clause(plan: &Plan, names: &Names, statuses: &[String]) -> String {
    let mut goals: Vec<String> = plan
        .exit_props
        .iter()
        .zip(&names.exit)
        .map(|(prop, r)| format!("reify_check({},{r})", prop.text))
        .collect();
    let conditions: Vec<String> = plan
        .success
        .iter()
        .map(|condition| {
            let post = bits(&condition.post, &names.exit);
            match condition.pre {
                Some(pre) => format!("({}#1\\/({post}))", names.pres[pre]),
                None => format!("({post})"),
            }
        })
        .collect();
    error_goals("Rs", &[conditions.join(" /\\ ")], &mut goals);
    clause(
        &atom_with(&format!("{}_s", plan.name), &plan.vars, statuses),
        &goals,
    )
}

fn error_goals(result: &str, conditions: &[String], goals: &mut Vec<String>) {
    for (index, condition) in conditions.iter().enumerate() {
        let name = match index {
            0 => result.to_string(),
            _ => format!("{result}{index}"),
        };
        if condition.starts_with('R') && condition.chars().all(char::is_alphanumeric) {
            goals.push(format!("error_if_false({condition})"));
        } else {
            goals.push(format!("{name} is {condition}"));
            goals.push(format!("error_if_false({name})"));
        }
    }
}

fn bits(formula: &Formula, names: &[String]) -> String {
    let conjunctions: Vec<String> = formula
        .iter()
        .map(|conjunction| {
            let parts: Vec<&str> = conjunction.iter().map(|&p| names[p].as_str()).collect();
            parts.join("/\\")
        })
        .collect();
    match &conjunctions[..] {
        [single] => single.clone(),
        several => {
            let parts: Vec<String> = several.iter().map(|c| format!("({c})")).collect();
            parts.join("\\/")
        }
    }
}

/// The body call inside the checks of the computation, one layer per assertion.
fn comp_wrapped(plan: &Plan, names: &Names, body: String) -> String {
    plan.comp.iter().fold(body, |goal, condition| {
        let pre = match condition.pre {
            Some(pre) => names.pres[pre].clone(),
            None => "1".to_string(),
        };
        format!("check_comp({pre},[{}],{goal})", condition.texts.join(","))
    })
}

fn atom_with(name: &str, vars: &[String], more: &[String]) -> String {
    let name = quote_atom(name);
    let args: Vec<&str> = vars.iter().chain(more).map(String::as_str).collect();
    if args.is_empty() {
        return name;
    }
    format!("{name}({})", args.join(","))
}

fn clause(head: &str, goals: &[String]) -> String {
    let mut out = format!("{head} :-\n");
    for (index, goal) in goals.iter().enumerate() {
        let end = if index + 1 == goals.len() { "." } else { "," };
        let _ = writeln!(out, "    {goal}{end}");
    }
    out
}

//! The differences from SWI-Prolog that are accepted, each with a name and a reason.
//!
//! A rule sees the goal and both lines, and must be as narrow as its reason. A difference without a rule makes the
//! campaign fail.

use super::rational;

/// A difference in the line of one test.
#[derive(Clone, Copy, Debug)]
pub struct Difference<'a> {
    /// The goal of the test.
    pub goal: &'a str,
    /// What SWI-Prolog printed.
    pub peer: &'a str,
    /// What Stet printed.
    pub own: &'a str,
    /// Whether SWI-Prolog stopped loading at a directive that threw.
    pub stopped: bool,
}

/// An accepted kind of difference.
pub struct Rule {
    /// Its name, for counts.
    pub name: &'static str,
    /// Why both may be right, or why Stet is.
    pub reason: &'static str,
    applies: fn(&Difference<'_>) -> bool,
}

/// The rules, in the order they are tried.
pub const RULES: &[Rule] = &[
    Rule {
        name: "float-exponent",
        reason: "in traditional mode SWI-Prolog writes 1.0e+100; both read back as the same number",
        applies: |d| d.peer.replace("e+", "e") == d.own,
    },
    Rule {
        name: "newer-functions",
        reason: "this SWI-Prolog does not know the function cot/1, which later ones document",
        // a directive shows its error on the other stream
        applies: |d| {
            d.goal.contains("cot(")
                && (d.peer.is_empty() || d.peer.contains("type_error(evaluable,cot/1)"))
        },
    },
    Rule {
        name: "order-of-evaluation",
        reason: "SWI-Prolog evaluates the second operand first, so of two errors it meets the other one; the standard leaves it open",
        applies: |d| {
            let arithmetic = |line: &str| {
                [
                    "type_error(integer,",
                    "type_error(evaluable,",
                    "evaluation_error(",
                ]
                .iter()
                .any(|error| line.starts_with(&format!("error {error}")))
            };
            arithmetic(d.peer) && arithmetic(d.own)
        },
    },
    Rule {
        name: "clause-body",
        reason: "the standard has type_error(callable, Body) for a body of clause/2 that no clause can have; SWI-Prolog fails",
        applies: |d| {
            d.goal.contains("clause(")
                && d.own.starts_with("error type_error(callable,")
                && d.peer == "no"
        },
    },
    Rule {
        name: "cyclic-clause",
        reason: "clauses may hold cyclic terms",
        applies: |d| {
            d.goal.contains("assert") && d.peer == "error representation_error(cyclic_term)"
        },
    },
    Rule {
        name: "prefix-operator-space",
        reason: "`\\+ 2` and `\\+2` are the same text; a space is needed after `-` and `+` only",
        applies: |d| {
            let plain = |text: &str| text.replace("\\+ ", "\\+").replace("\\ ", "\\");
            plain(d.peer) == plain(d.own)
        },
    },
    Rule {
        name: "non-terminal-declaration",
        reason: "SWI-Prolog adds a directive for its listing to the clause of a grammar rule",
        applies: |d| d.goal.contains("expand_term(") && d.peer.contains(":-non_terminal("),
    },
    Rule {
        name: "grammar-unifications",
        reason: "the two sides of the unifications in a translated grammar rule are exchanged",
        applies: |d| {
            d.goal.contains("dcg_translate_rule(")
                && d.peer.len() == d.own.len()
                && d.peer.contains(":-")
        },
    },
    Rule {
        name: "residual-conjunction",
        reason: "the residual goal of `when((A, B), G)` is `when(A, when(B, G))` here",
        applies: |d| {
            d.goal.contains("when((nonvar")
                && d.peer.contains("[when((nonvar")
                && d.own.contains("[when(nonvar")
        },
    },
    Rule {
        name: "residual-order",
        reason: "the residual goals of an answer are a set; they come in the order of the answer's variables here, in that of their creation in SWI-Prolog",
        applies: |d| {
            let suspends = d.peer.contains("]-[freeze(") || d.peer.contains("]-[dif(");
            let (peer, own) = (with_sorted_goals(d.peer), with_sorted_goals(d.own));
            suspends && peer.is_some() && peer == own
        },
    },
    Rule {
        name: "order-of-unbound",
        reason: "the order of unbound variables is left to the implementation (ISO 7.2.1), and with it that of sets and groups",
        applies: |d| {
            let sorted = |text: &str| {
                let mut chars: Vec<char> = text.chars().collect();
                chars.sort_unstable();
                chars
            };
            let groups = d.goal.contains("setof(") || d.goal.contains("bagof(");
            groups && (sorted(d.peer) == sorted(d.own) || result_is_free(d.goal))
        },
    },
    Rule {
        name: "bagof-attributes",
        reason: "SWI-Prolog leaves constraints of one answer of bagof/3 on the variables of the next",
        applies: |d| {
            d.goal.contains("bagof(")
                && d.peer.contains("]-[dif(")
                && without_goals(d.peer) == without_goals(d.own)
        },
    },
    Rule {
        name: "cyclic-equations",
        reason: "one rational tree has several systems of equations",
        applies: |d| {
            d.peer.starts_with("@(")
                && d.own.starts_with("@(")
                && (equations(d.peer) == equations(d.own)
                    || rational::unfolded(d.peer)
                        .is_some_and(|tree| rational::unfolded(d.own) == Some(tree)))
        },
    },
    Rule {
        name: "last-answer-of-atom-concat",
        reason: "`atom_concat(A, A, abab)` looks for more answers after the one; the cleanup comes when there are none",
        applies: |d| {
            d.goal.contains("cleanup(")
                && d.goal.contains("atom_concat(A, A,")
                && d.peer.replace("<c>", "") == d.own.replace("<c>", "")
        },
    },
    Rule {
        name: "ball-of-a-directive",
        reason: "a directive that throws something other than error(_, _) ends the loading of a file in SWI-Prolog; here the next clause is read, as after any other exception",
        applies: |d| d.stopped && d.peer == "(nothing)",
    },
    Rule {
        name: "tabled-attributes",
        reason: "a tabled goal may have attributed variables here, which are constrained by its answers; SWI-Prolog refuses them",
        applies: |d| d.peer.starts_with("error type_error(free_of_attvar,"),
    },
    Rule {
        name: "residual-dif",
        reason: "residual goals of dif/2 show the terms as given; SWI-Prolog shows what is left to decide",
        applies: |d| d.goal.contains("dif(f(") && d.peer.contains("dif(") && d.own.contains("dif("),
    },
    Rule {
        name: "result-is-a-list",
        reason: "findall/3 and its like check that the result may be a list, as the standard says",
        applies: |d| {
            // `p/2` may call findall/3 with its second argument, which its first one has bound.
            let bound = calls_of(d.goal, "p").any(|args| has_twice(&args));
            d.own.contains("error type_error(list,") || bound && is_refused_directive(d)
        },
    },
    Rule {
        name: "operators-of-the-module",
        reason: "SWI-Prolog writes with the operators of `user`, Stet with those of the module that writes",
        applies: |d| {
            d.peer.replace("=>>(p,q)", "p=>>q") == d.own
                || d.peer.replace("=:(1,2)", "1=:2") == d.own
                || d.goal.contains("op(200, xf, ++)") && d.peer.replace("++(a)", "a++") == d.own
        },
    },
    Rule {
        name: "context-module",
        reason: "limitation: `Goal@Module` does not change the context of Goal",
        applies: |d| d.goal.contains("@(m"),
    },
    Rule {
        name: "sub-atom-shared-variable",
        reason: "SWI-Prolog answers `sub_atom(abc, X, L, X, bc)` although the two positions differ",
        applies: |d| calls_of(d.goal, "sub_atom").any(|args| has_twice(&args)),
    },
    Rule {
        name: "maximum-of-equals",
        reason: "the maximum of 1 and 1.0 is either, as the standard says",
        applies: |d| {
            (d.goal.contains("max(") || d.goal.contains("min("))
                && d.peer.replace(".0", "") == d.own.replace(".0", "")
        },
    },
    Rule {
        name: "float-power",
        reason: "a power with a float is a float; SWI-Prolog answers 1 for `0.0 ** 0`",
        applies: |d| {
            d.goal.contains(".0 ** ") && d.peer.replace(".0", "") == d.own.replace(".0", "")
        },
    },
    Rule {
        name: "copysign",
        reason: "copysign/2 of integers is an integer in SWI-Prolog, a float here",
        applies: |d| {
            d.goal.contains("copysign(") && d.peer.replace(".0", "") == d.own.replace(".0", "")
        },
    },
    Rule {
        name: "log-of-zero",
        reason: "the standard asks for evaluation_error(undefined); SWI-Prolog says float_overflow",
        applies: |d| d.goal.contains("log(0)") && d.own.contains("evaluation_error(undefined)"),
    },
    Rule {
        name: "integer-power",
        reason: "2 ^ -1 is type_error(float, 2) by the standard; traditional mode computes a float",
        applies: |d| {
            d.goal.contains("2 ^ -1")
                && (d.own.contains("type_error(float,2)") || d.peer == "after")
        },
    },
    Rule {
        name: "univ-compound-name",
        reason: "`T =.. [f(a), b]` is type_error(atomic, f(a)) by the standard",
        applies: |d| {
            d.goal.contains("=..")
                && d.peer.replace("type_error(atom,", "type_error(atomic,") == d.own
        },
    },
    Rule {
        name: "no-empty-compounds",
        reason: "compound terms without arguments do not exist here; making one is an error",
        applies: |d| {
            d.goal.contains("compound_name_arit")
                && (d.own.contains("representation_error(max_arity)") || is_refused_directive(d))
        },
    },
    Rule {
        name: "clause-moved-unification",
        reason: "SWI-Prolog compiles `A, B = A` into the head, and clause/2 shows it so",
        applies: |d| d.goal.contains(" :- A, B = A)") && d.peer.contains("true>"),
    },
    Rule {
        name: "module-name-type",
        reason: "a module that is no atom: the standard knows no type `module`",
        applies: |d| {
            d.goal.contains("4:e0(")
                && (d.peer.contains("type_error(") && d.own.contains("type_error(")
                    // As a directive, SWI-Prolog refuses the clause when it compiles it.
                    || d.peer == "(nothing)" && d.own.is_empty())
        },
    },
    Rule {
        name: "aggregate-of-terms",
        reason: "max(X) compares terms by standard order if they are no numbers, as later versions of SWI-Prolog do",
        applies: |d| {
            d.goal.contains("aggregate_all(max(A-B)")
                && (d.peer.contains("type_error(evaluable,")
                    || d.own == "after"
                    // The goal catches what SWI-Prolog raises.
                    || d.goal.contains("error(type_error(") && d.peer == "no")
        },
    },
    Rule {
        name: "depth-of-lists",
        reason: "what max_depth(N) leaves of a list is up to the implementation",
        applies: |d| {
            d.goal.contains("max_depth(") && d.peer.contains("|...") && d.own.contains("|...")
        },
    },
    Rule {
        name: "text-type",
        reason: "what is no text is reported as not atomic; there is no type `text` in the standard",
        applies: |d| d.peer.replace("type_error(text,", "type_error(atomic,") == d.own,
    },
];

/// The arguments of each call of a predicate in a goal.
fn calls_of<'a>(goal: &'a str, name: &'a str) -> impl Iterator<Item = Vec<&'a str>> {
    goal.match_indices(name).filter_map(move |(at, _)| {
        let inside = goal[at + name.len()..].strip_prefix('(')?;
        let (mut depth, mut start, mut args) = (0_u32, 0, Vec::new());
        for (index, c) in inside.char_indices() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' if depth == 0 => {
                    args.push(inside[start..index].trim());
                    return Some(args);
                }
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    args.push(inside[start..index].trim());
                    start = index + 1;
                }
                _ => {}
            }
        }
        None
    })
}

/// Whether a plain directive raised an error here and succeeded there.
fn is_refused_directive(d: &Difference<'_>) -> bool {
    d.peer == "after" && d.own.is_empty()
}

/// Whether the result of bagof/3 or setof/3 is also a free variable of the goal.
fn result_is_free(goal: &str) -> bool {
    let names = |args: &[&str]| {
        let [_, goal, result] = args else {
            return false;
        };
        let mut words = goal.split(|c: char| !c.is_alphanumeric());
        result.starts_with(|c: char| c.is_ascii_uppercase()) && words.any(|word| word == *result)
    };
    let mut calls = calls_of(goal, "bagof").chain(calls_of(goal, "setof"));
    calls.any(|args| names(&args))
}

/// The answers of a line, without residual goals.
fn without_goals(line: &str) -> Vec<&str> {
    let answers = line.split(" ; ");
    answers
        .map(|answer| answer.split("]-[").next().unwrap_or(answer))
        .collect()
}

/// The shapes of the terms and equations of an answer with cyclic terms, each once.
fn equations(line: &str) -> std::collections::BTreeSet<String> {
    let mut plain = line.replace(",[S_", ",S_");
    for number in 1..9 {
        plain = plain.replace(&format!("S_{number}"), "S");
    }
    plain
        .split(",S=")
        .map(|part| part.trim_end_matches("]) ; no").to_owned())
        .collect()
}

/// A line with the residual goals of each answer (the list after `]-[`) sorted, each once; `None` without such a list.
fn with_sorted_goals(line: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("]-[") {
        let (before, list) = rest.split_at(at + 3);
        text.push_str(before);
        let (mut goals, mut depth, mut start) = (Vec::new(), 0_u32, 0);
        let mut end = list.len();
        for (index, c) in list.char_indices() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ']' if depth == 0 => {
                    end = index;
                    break;
                }
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    goals.push(&list[start..index]);
                    start = index + 1;
                }
                _ => {}
            }
        }
        goals.push(&list[start..end]);
        goals.sort_unstable();
        goals.dedup();
        text.push_str(&goals.join(","));
        rest = &list[end..];
    }
    text.push_str(rest);
    (rest.len() < line.len()).then_some(text)
}

/// Whether a variable stands at two places.
fn has_twice(args: &[&str]) -> bool {
    let is_variable = |arg: &str| arg.starts_with(|c: char| c.is_ascii_uppercase());
    args.iter()
        .enumerate()
        .any(|(index, arg)| is_variable(arg) && args[index + 1..].contains(arg))
}

/// The rule that accepts a difference.
pub fn accepted(difference: &Difference<'_>) -> Option<&'static Rule> {
    RULES.iter().find(|rule| (rule.applies)(difference))
}

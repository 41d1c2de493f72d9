//! Programs under edit, as trees: how they are made at random, edited and printed.

use super::Choices;
use super::strange::{self, Strange};
use std::fmt::Write;

#[derive(Clone, Debug)]
enum Statement {
    Assert(String, &'static str),
    Assume(String),
    Assign(&'static str, String),
    /// `m[index] := value`.
    Store(String, String),
    Havoc(&'static str),
    /// Leaves the innermost loop.
    Break,
    /// What the result is assigned to, which procedure, and its argument.
    Call(&'static str, usize, String),
    /// Something without a translation.
    Async,
    If(String, Vec<Statement>, Vec<Statement>),
    /// Guard, invariants (with whether they are free) and body.
    While(String, Vec<(bool, String)>, Vec<Statement>),
}

/// A procedure with its body.
#[derive(Clone, Debug)]
struct Proc {
    requires: Vec<(bool, String)>,
    ensures: Vec<(bool, String)>,
    modifies: [bool; 3],
    local_where: Option<String>,
    extra_local: bool,
    body: Vec<Statement>,
}

/// A program under edit.
#[derive(Clone, Debug)]
pub struct Subject {
    unique: bool,
    constant_type: bool,
    axioms: Vec<String>,
    function_body: Option<String>,
    function_inline: bool,
    predicate_body: String,
    parameter_type: bool,
    /// The prover's function that `b` is, and its type that `T` is.
    built_in: [Option<&'static str>; 2],
    fields_swapped: bool,
    second_constructor: bool,
    ordered: bool,
    global_where: Option<String>,
    procs: Vec<Proc>,
    /// What the program speaks of as `sx(…)`, if it does.
    pub(super) strange: Option<Strange>,
    is_reversed: bool,
}

const INTS: [&str; 6] = ["x", "y", "g", "h", "r", "k"];

fn term(random: &mut Choices) -> String {
    if random.is_strange && random.below(24) == 0 {
        return format!("sx({})", random.pick(&INTS));
    }
    match random.below(12) {
        9 => format!("b({})", random.pick(&INTS)),
        10 => format!("i#C(C({}, {}))", random.pick(&INTS), random.pick(&INTS)),
        11 => format!(
            "(lambda z: int :: b(z) + {})[{}]",
            random.below(2),
            random.pick(&INTS)
        ),
        0 => format!("f({})", random.pick(&INTS)),
        1 => format!("u({})", random.pick(&INTS)),
        2 => "c".to_owned(),
        3 => format!("{} + {}", random.pick(&INTS), random.below(4)),
        4 => format!("{} - {}", random.pick(&INTS), random.pick(&INTS)),
        5 => format!("{}", random.below(5)),
        6 => format!("m[{}]", random.pick(&INTS)),
        _ => random.pick(&INTS).to_owned(),
    }
}

fn condition(random: &mut Choices) -> String {
    if random.is_strange && random.below(24) == 0 {
        let (one, two) = (random.pick(&INTS), random.pick(&INTS));
        return format!("sx({one}) {} sx({two})", random.pick(&["==", "!="]));
    }
    let op = random.pick(&["<", "<=", "==", "!=", ">=", ">"]);
    let simple = format!("{} {op} {}", term(random), term(random));
    match random.below(11) {
        8 => "t0 == t1 || t1 == t2 || t2 == t0".to_owned(),
        9 => "o1 <: o0".to_owned(),
        10 => format!("is#C(a0) || i#C(a0) == {}", term(random)),
        0 => format!("p({}) || {simple}", random.pick(&INTS)),
        1 => format!("{simple} && {} <= {}", term(random), term(random)),
        2 => format!("{} < {} ==> {simple}", term(random), term(random)),
        3 => "true".to_owned(),
        _ => simple,
    }
}

/// A condition without locals, for specifications; `old` only where allowed.
fn spec(random: &mut Choices, with_old: bool) -> String {
    let text = condition(random);
    let text = text.replace('k', "y");
    if with_old && random.below(3) == 0 {
        return format!("{text} || g == old(g) + {}", random.below(3));
    }
    text
}

fn precondition(random: &mut Choices) -> String {
    spec(random, false).replace('r', "x")
}

fn statement(random: &mut Choices, depth: usize) -> Statement {
    if random.is_strange && random.below(60) == 0 {
        return Statement::Async;
    }
    match random.below(if depth == 0 { 12 } else { 16 }) {
        0..=2 => {
            let attribute = random.pick(&["", "", "", "{:subsumption 0} "]);
            Statement::Assert(condition(random), attribute)
        }
        3 => Statement::Assume(condition(random)),
        4..=6 => Statement::Assign(random.pick(&["g", "h", "r", "k"]), term(random)),
        7 => Statement::Havoc(random.pick(&["g", "h", "r", "k", "m"])),
        8 | 9 => {
            let target = if random.is_strange {
                random.pick(&["r", "g", "h"])
            } else {
                "r"
            };
            Statement::Call(target, random.below(2), term(random))
        }
        10 => Statement::Store(term(random), term(random)),
        11 if random.below(3) == 0 => Statement::Break,
        11 => Statement::Assert(condition(random), ""),
        12..=14 => Statement::If(
            condition(random),
            statements(random, depth - 1),
            statements(random, depth - 1),
        ),
        _ => Statement::While(
            condition(random),
            (0..random.below(3)).map(|_| invariant(random)).collect(),
            statements(random, depth - 1),
        ),
    }
}

fn invariant(random: &mut Choices) -> (bool, String) {
    (random.below(6) == 0, condition(random))
}

fn statements(random: &mut Choices, depth: usize) -> Vec<Statement> {
    (0..1 + random.below(2))
        .map(|_| statement(random, depth))
        .collect()
}

impl Subject {
    /// A random program.
    pub fn new(random: &mut Choices) -> Self {
        let procs = (0..2)
            .map(|_| Proc {
                requires: (0..random.below(2))
                    .map(|_| (random.below(4) == 0, precondition(random)))
                    .collect(),
                ensures: (0..random.below(3))
                    .map(|_| (random.below(4) == 0, spec(random, true)))
                    .collect(),
                modifies: [true, true, true],
                local_where: None,
                extra_local: false,
                body: statements(random, 2),
            })
            .collect();
        Subject {
            unique: false,
            constant_type: false,
            axioms: vec![
                "c > 1".to_owned(),
                "(forall z: int :: {u(z)} u(z) >= 0)".to_owned(),
            ],
            function_body: Some("z + 1".to_owned()),
            function_inline: false,
            predicate_body: "z > 2".to_owned(),
            parameter_type: false,
            built_in: [Some("abs"), Some("Bool")],
            fields_swapped: false,
            second_constructor: false,
            ordered: true,
            global_where: None,
            procs,
            strange: random.is_strange.then(|| Strange::any(random)),
            is_reversed: false,
        }
    }

    pub fn edit(&mut self, random: &mut Choices) {
        if random.is_strange && random.below(3) == 0 {
            return self.strange_edit(random);
        }
        let which = random.below(self.procs.len());
        match random.below(29) {
            24 => self.built_in[0] = [None, Some("abs"), Some("-")][random.below(3)],
            25 => self.built_in[1] = [None, Some("Bool"), Some("Int")][random.below(3)],
            26 => self.fields_swapped ^= true,
            27 => self.second_constructor ^= true,
            28 => self.ordered ^= true,
            20 => self.function_inline ^= true,
            21 => self.parameter_type ^= true,
            22 => match self.axioms.len() {
                2 => self.axioms.push(
                    random
                        .pick(&[
                            "(forall z: int :: {f(z)} f(z) >= z)",
                            "(forall z: int :: {f(z), u(z)} f(z) != u(z))",
                            "d >= c",
                            "(forall z: int :: {p(z)} p(z) ==> z >= 0)",
                        ])
                        .to_owned(),
                ),
                _ => self.axioms.truncate(2),
            },
            0 => self.unique ^= true,
            1 => self.constant_type ^= true,
            2 => self.axioms[0] = format!("c > {}", random.below(4)),
            3 => {
                let bound = random.below(3);
                self.axioms[1] = format!("(forall z: int :: {{u(z)}} u(z) >= {bound})");
            }
            4 => {
                let body = random.pick(&["z + 1", "z + 2", "z", "g0(z) + 1", ""]);
                self.function_body = (!body.is_empty()).then(|| body.to_owned());
            }
            5 => self.predicate_body = random.pick(&["z > 2", "z > 3", "f(z) > 2"]).to_owned(),
            6 => {
                self.global_where = match random.below(3) {
                    0 => None,
                    _ => Some(format!("g >= {}", random.below(3))),
                }
            }
            7 => self.procs[which].modifies[random.below(3)] ^= true,
            8 => {
                self.procs[which].local_where = match random.below(3) {
                    0 => None,
                    _ => Some(format!("k <= {}", 3 + random.below(9))),
                }
            }
            9 => self.procs[which].extra_local ^= true,
            10 | 11 => edit_clauses(random, &mut self.procs[which].ensures, |random| {
                spec(random, true)
            }),
            12 => edit_clauses(random, &mut self.procs[which].requires, precondition),
            _ => edit_body(random, &mut self.procs[which].body, 2),
        }
    }

    /// An edit that puts something without a translation in, or takes it out.
    fn strange_edit(&mut self, random: &mut Choices) {
        let which = random.below(self.procs.len());
        match random.below(8) {
            0 | 1 => self.strange = Some(Strange::any(random)),
            2 | 3 if self.axioms.len() < 4 => self.axioms.push(strange::axiom(random)),
            2 | 3 => self.axioms.truncate(2),
            4 => {
                let body = random.pick(&["sx(z) + 1", "sx(z)", "z + 1"]);
                self.function_body = Some(body.to_owned());
            }
            5 => self.predicate_body = random.pick(&["z > sx(2)", "sx(z) > 2", "z > 2"]).to_owned(),
            6 => self.global_where = Some(random.pick(&["g >= sx(0)", "g >= 0"]).to_owned()),
            _ => {
                let clause = random.pick(&["k <= sx(3)", "k <= 3"]);
                self.procs[which].local_where = Some(clause.to_owned());
            }
        }
    }

    /// The same program with its procedures in another order.
    pub(super) fn reversed(&self) -> Subject {
        let mut other = self.clone();
        other.is_reversed = true;
        other
    }

    /// The same program with nothing strange in it.
    pub(super) fn weakened(&self) -> String {
        let weaker = Subject {
            strange: self.strange.map(|_| Strange::Nothing),
            ..self.clone()
        };
        weaker.text().replace("async call N();", "assume true;")
    }

    /// The program as text.
    pub fn text(&self) -> String {
        let text = self.plain_text();
        match self.strange {
            Some(strange) => strange.put_into(&text),
            None => text,
        }
    }

    fn plain_text(&self) -> String {
        let mut out = String::new();
        let constant = if self.constant_type { "N" } else { "int" };
        let unique = if self.unique { "unique " } else { "" };
        let _ = writeln!(
            out,
            "type N = int;\nconst {unique}c: {constant};\nconst {unique}d: {constant};"
        );
        for axiom in &self.axioms {
            let _ = writeln!(out, "axiom {axiom};");
        }
        self.print_built_in(&mut out);
        let _ = writeln!(out, "function g0(z: int): int {{ z }}");
        let _ = writeln!(out, "function u(z: int): int;");
        let body = match &self.function_body {
            Some(body) => format!(" {{ {body} }}"),
            None => ";".to_owned(),
        };
        let inline = if self.function_inline {
            "{:inline} "
        } else {
            ""
        };
        let _ = writeln!(out, "function {inline}f(z: int): int{body}");
        let _ = writeln!(
            out,
            "function p(z: int): bool {{ {} }}",
            self.predicate_body
        );
        let clause = match &self.global_where {
            Some(clause) => format!(" where {clause}"),
            None => String::new(),
        };
        let _ = writeln!(out, "var g: int{clause};\nvar h: int;\nvar m: [int]int;");
        let parameter = if self.parameter_type { "N" } else { "int" };
        let mut procs: Vec<(usize, &Proc)> = self.procs.iter().enumerate().collect();
        if self.is_reversed {
            procs.reverse();
        }
        for (number, procedure) in procs {
            procedure.print(number, parameter, &mut out);
        }
        out
    }
}

impl Subject {
    /// What the prover knows by itself, and an order.
    fn print_built_in(&self, out: &mut String) {
        let [function, sort] = self.built_in.map(|name| match name {
            Some(name) => format!("{{:builtin \"{name}\"}} "),
            None => String::new(),
        });
        let fields = if self.fields_swapped {
            "j: int, i: int"
        } else {
            "i: int, j: int"
        };
        let second = if self.second_constructor {
            "function {:constructor} E(): A;\n"
        } else {
            ""
        };
        let parent = if self.ordered { " extends o0" } else { "" };
        let _ = write!(
            out,
            "function {function}b(z: int): int;\n\
             type {sort}T;\nconst t0: T;\nconst t1: T;\nconst t2: T;\n\
             type {{:datatype}} A;\nfunction {{:constructor}} C({fields}): A;\n{second}const a0: A;\n\
             type O;\nconst o0: O;\nconst o1: O{parent};\n"
        );
    }
}

fn edit_clauses(
    random: &mut Choices,
    clauses: &mut Vec<(bool, String)>,
    make: impl Fn(&mut Choices) -> String,
) {
    match random.below(4) {
        0 => clauses.push((random.below(4) == 0, make(random))),
        1 if !clauses.is_empty() => {
            let at = random.below(clauses.len());
            clauses.remove(at);
        }
        2 if !clauses.is_empty() => {
            let at = random.below(clauses.len());
            clauses[at].0 ^= true;
        }
        _ if !clauses.is_empty() => {
            let at = random.below(clauses.len());
            clauses[at].1 = make(random);
        }
        _ => clauses.push((false, make(random))),
    }
    clauses.truncate(4);
}

fn edit_body(random: &mut Choices, body: &mut Vec<Statement>, depth: usize) {
    if body.is_empty() {
        return body.push(statement(random, depth));
    }
    let at = random.below(body.len());
    if random.below(2) == 0 {
        match &mut body[at] {
            Statement::If(condition_text, yes, no) => {
                return match random.below(3) {
                    0 => *condition_text = condition(random),
                    1 => edit_body(random, yes, depth.saturating_sub(1)),
                    _ => edit_body(random, no, depth.saturating_sub(1)),
                };
            }
            Statement::While(guard, invariants, inner) => {
                return match random.below(4) {
                    0 => *guard = condition(random),
                    1 if invariants.len() < 3 => invariants.push(invariant(random)),
                    2 if !invariants.is_empty() && random.below(2) == 0 => {
                        let at = random.below(invariants.len());
                        invariants[at] = invariant(random);
                    }
                    2 => {
                        invariants.pop();
                    }
                    _ => edit_body(random, inner, depth.saturating_sub(1)),
                };
            }
            _ => {}
        }
    }
    match random.below(5) {
        0 | 1 => body.insert(at, statement(random, depth)),
        2 => {
            body.remove(at);
        }
        3 if body.len() > 1 => {
            let other = random.below(body.len());
            body.swap(at, other);
        }
        _ => body[at] = statement(random, depth),
    }
    body.truncate(5);
}

impl Proc {
    fn print(&self, number: usize, parameter: &str, out: &mut String) {
        let _ = writeln!(
            out,
            "procedure P{number}(x: {parameter}, y: int) returns (r: int)"
        );
        for (free, clause) in &self.requires {
            let _ = writeln!(
                out,
                "  {}requires {clause};",
                if *free { "free " } else { "" }
            );
        }
        let globals = ["g", "h", "m"];
        let named: Vec<&str> = (0..3)
            .filter(|&i| self.modifies[i])
            .map(|i| globals[i])
            .collect();
        if !named.is_empty() {
            let _ = writeln!(out, "  modifies {};", named.join(", "));
        }
        for (free, clause) in &self.ensures {
            let _ = writeln!(
                out,
                "  {}ensures {clause};",
                if *free { "free " } else { "" }
            );
        }
        let clause = match &self.local_where {
            Some(clause) => format!(" where {clause}"),
            None => String::new(),
        };
        let _ = writeln!(out, "{{\n  var k: int{clause};");
        if self.extra_local {
            let _ = writeln!(out, "  var q: int where q > 0;");
        }
        print_statements(&self.body, 1, out);
        out.push_str("}\n");
    }
}

fn print_statements(statements: &[Statement], depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    for statement in statements {
        let _ = match statement {
            Statement::Assert(e, attribute) => writeln!(out, "{pad}assert {attribute}{e};"),
            Statement::Assume(e) => writeln!(out, "{pad}assume {e};"),
            Statement::Assign(var, e) => writeln!(out, "{pad}{var} := {e};"),
            Statement::Store(index, value) => writeln!(out, "{pad}m[{index}] := {value};"),
            Statement::Havoc(var) => writeln!(out, "{pad}havoc {var};"),
            Statement::Async => writeln!(out, "{pad}async call N();"),
            Statement::Break => writeln!(out, "{pad}break;"),
            Statement::Call(target, callee, e) => {
                writeln!(out, "{pad}call {target} := P{callee}({e}, k);")
            }
            Statement::If(guard, yes, no) => {
                let _ = writeln!(out, "{pad}if ({guard}) {{");
                print_statements(yes, depth + 1, out);
                let _ = writeln!(out, "{pad}}} else {{");
                print_statements(no, depth + 1, out);
                writeln!(out, "{pad}}}")
            }
            Statement::While(guard, invariants, inner) => {
                let _ = writeln!(out, "{pad}while ({guard})");
                for (free, invariant) in invariants {
                    let free = if *free { "free " } else { "" };
                    let _ = writeln!(out, "{pad}  {free}invariant {invariant};");
                }
                let _ = writeln!(out, "{pad}{{");
                print_statements(inner, depth + 1, out);
                writeln!(out, "{pad}}}")
            }
        };
    }
}

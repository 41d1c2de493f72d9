//! Random programs: a main file, modules beside it, directives, and tests that print one line each.

use super::templates::SUBJECTS;
use std::fmt::Write as _;
use stet_testkit::Random;

/// A program: the file to load first, the modules beside it.
#[derive(Clone, Debug)]
pub struct Program {
    /// Names and texts; the first is loaded.
    pub files: Vec<(String, String)>,
    /// The goals by the label of the line they print.
    pub goals: Vec<(String, String)>,
}

/// How many tests a program has.
const TESTS: usize = 10;

/// Helpers of every program. `t/3` prints up to four answers with residual goals, then how the goal ended.
const HEADER: &str = "\
:- set_prolog_flag(double_quotes, codes).
:- use_module(library(lists)).
:- use_module(library(apply)).
:- use_module(library(aggregate)).
:- use_module(library(error)).
:- use_module(library(yall)).
:- use_module(library(dcg/basics), []).
t(N, Vs, G) :- nl, write(N), write(': '), catch(run(Vs, G), E, caught(E)), nl.
run(Vs, G) :- S = s(0),
    ( call(G), copy_term(Vs, Vs1, Gs), out(Vs1-Gs), write(' ; '),
      arg(1, S, K0), K is K0 + 1, nb_setarg(1, S, K), K >= 4 -> write(enough) ; write(no) ).
out(T) :- \\+ \\+ ( copy_term_nat(T, U), numbervars(U, 0, _), write_term(U, [quoted(true), numbervars(true)]) ).
caught(E) :- ( nonvar(E), E = error(F, _) -> write('error '), out(F) ; write('ball '), out(E) ).
note(T) :- write(<), out(T), write(>).
c(G, R) :- catch(G, E, ( nonvar(E), E = error(F, _) -> R = F ; R = E )).
";

/// Predicates the templates call.
const LIBRARY: &str = "\
h(X, u-X).
add(X, Y, Z) :- Z is X + Y.
even(X) :- 0 is X mod 2.
pair(X, Y, S, f(X, Y, S)).
ord(O, A, B) :- compare(O, A, B).
cmp2(C, X) :- compare(C, X, 2).
cut(X) :- member(X, [1,2,3]), X >= 2, !.
cut(9).
cut2(X) :- ( member(X, [1,2]), ! ; X = 3 ).
cut2(8).
soft(X) :- ( member(X, [1,2]) *-> true ; X = none ).
ite(X, Y) :- ( var(X) -> Y = var ; atom(X) -> Y = atom ; number(X), X > 1 -> Y = big ; Y = other ).
neg(X) :- \\+ X = a, \\+ \\+ X = X.
greeting(X) --> [hello], [X].
digits([D|T]) --> digit(D), digits(T).
digits([D]) --> digit(D).
digit(D) --> [D], { D >= 0'0, D =< 0'9 }.
as(0) --> [].
as(N) --> [a], as(M), { N is M + 1 }.
anbn --> [].
anbn --> [a], anbn, [b].
look(X), [X] --> [X], [_].
neg_a --> \\+ [a], [_].
cut_alt(X) --> [X], !.
cut_alt(none) --> [].
call_it(X) --> call(take, X).
take(X, [X|T], T).
curly(S) --> [A, B], { S is A + B }.
push, [x, y] --> [a].
choice(X) --> ( [q], { X = 1 } ; [p], { X = 2 } ; [p], { X = 3 } ).
expr(X) --> term(A), ( [+] -> expr(B), { X = A + B } ; { X = A } ).
term(X) --> factor(A), ( [*] -> term(B), { X = A * B } ; { X = A } ).
factor(X) --> [X], { number(X) }.
factor(X) --> ['('], expr(X), [')'].
:- table path/2.
path(X, Y) :- path(X, Z), edge(Z, Y).
path(X, Y) :- edge(X, Y).
edge(1, 2). edge(2, 3). edge(3, 1). edge(3, 4).
:- table fib/2.
fib(0, 0).
fib(1, 1).
fib(N, F) :- N > 1, N1 is N - 1, N2 is N - 2, fib(N1, F1), fib(N2, F2), F is F1 + F2.
:- table conn/1.
conn(1).
conn(Y) :- conn(X), edge(X, Y).
:- table short(_, min).
short(1, 0).
short(Y, D) :- short(X, D0), edge(X, Y), D is D0 + 1.
:- table even_t/1, odd_t/1.
even_t(0).
even_t(X) :- odd_t(Y), Y < 6, X is Y + 1.
odd_t(X) :- even_t(Y), Y < 6, X is Y + 1.
:- table mutual_a/1, mutual_b/1.
mutual_a(X) :- mutual_b(X).
mutual_a(1).
mutual_b(X) :- mutual_a(Y), Y < 3, X is Y + 1.
mutual_b(0).
";

/// The classical finite domain by attributes, as a module of its own.
const DOMAIN: &str = "\
:- module(domain, [domain/2]).
:- use_module(library(ordsets)).
domain(X, Dom) :- var(Dom), !, get_attr(X, domain, Dom).
domain(X, List) :- list_to_ord_set(List, Domain), put_attr(Y, domain, Domain), X = Y.
attr_unify_hook(Domain, Y) :-
    ( get_attr(Y, domain, Dom2)
    ->  ord_intersection(Domain, Dom2, NewDomain),
        ( NewDomain == [] -> fail
        ; NewDomain = [Value] -> Y = Value
        ; put_attr(Y, domain, NewDomain) )
    ; var(Y) -> put_attr(Y, domain, Domain)
    ; ord_memberchk(Y, Domain) ).
attribute_goals(X) --> { get_attr(X, domain, List) }, [domain(X, List)].
";

/// The choices of one program.
struct Generator {
    random: Random,
    modules: usize,
}

impl Generator {
    fn variable(&mut self) -> &'static str {
        self.random.pick(&["X", "Y", "Z"])
    }

    fn term(&mut self) -> String {
        if self.random.below(2) == 0 {
            return self.variable().to_owned();
        }
        self.small().to_owned()
    }

    fn small(&mut self) -> &'static str {
        self.random.pick(&[
            "a",
            "b",
            "two",
            "[]",
            "f(0)",
            "f(Y)",
            "\"ab\"",
            "g(X, Y)",
            "[1,2]",
            "[a|X]",
            "1.5",
            "0",
            "1",
            "2",
            "3",
            "-1",
            "'A b'",
            "k-v",
            "(a,b)",
            "{z}",
            "- 1",
            "100000000000000000000",
        ])
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(3) == 0 {
            let plain = [
                "1",
                "2",
                "3",
                "7",
                "-4",
                "2.5",
                "0",
                "100000000000",
                "-0.5",
                "1",
            ];
            return self.random.pick(&plain).to_owned();
        }
        let (l, r) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.random.below(14) {
            0 => format!("({l} + {r})"),
            1 => format!("({l} - {r})"),
            2 => format!("({l} * {r})"),
            3 => format!("({l} // {r})"),
            4 => format!("({l} mod {r})"),
            5 => format!("max({l}, {r})"),
            6 => format!("abs({l})"),
            7 => format!("({l} rem {r})"),
            8 => format!("min({l}, {r})"),
            9 => format!("({l} >> 1)"),
            10 => format!("sign({l})"),
            11 => format!("({l} / {r})"),
            12 => format!("- {l}"),
            _ => format!("({l} /\\ {r})"),
        }
    }

    /// A goal of one of the subjects; `number` is the test's.
    fn goal(&mut self, depth: usize, number: usize) -> String {
        let (_, templates) = SUBJECTS[self.random.below(SUBJECTS.len())];
        let template = self.random.pick(templates);
        let nests = template.contains("$G") || template.contains("$H");
        if nests && depth == 0 {
            return format!("{} = {}", self.variable(), self.small());
        }
        self.filled(template, depth, number)
    }

    /// The template with its holes filled.
    fn filled(&mut self, template: &str, depth: usize, number: usize) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find('$') {
            text.push_str(&rest[..at]);
            let hole = rest[at + 1..].chars().next().unwrap_or(' ');
            match hole {
                'V' | 'W' => text.push_str(self.variable()),
                'T' | 'U' => text.push_str(&self.term()),
                'A' if !rest[at..].starts_with("$AR") => {
                    text.push_str(self.random.pick(&["a", "b", "abc", "k"]));
                }
                'N' => text.push_str(self.random.pick(&["0", "1", "2", "3"])),
                'E' => text.push_str(&self.expression(2)),
                'M' => text.push_str(&self.random.below(self.modules).to_string()),
                'I' => text.push_str(&number.to_string()),
                'G' | 'H' => {
                    let inner = self.goal(depth - 1, number);
                    let _ = write!(text, "({inner})");
                }
                // `$VAR` and the like are the program's own.
                other => {
                    text.push('$');
                    text.push(other);
                }
            }
            rest = &rest[at + 1 + hole.len_utf8()..];
        }
        text.push_str(rest);
        text
    }

    fn module_text(&mut self, number: usize) -> String {
        let mut text = format!(
            ":- module(m{number}, [e{number}/1, ap/3, w/1, run_it/1, keep/1, kept/1, throw_it/1, op(700, xfx, =>>)]).\n\
             :- use_module(library(apply)).\n:- use_module(library(lists)).\n:- use_module(library(yall)).\n"
        );
        if self.random.below(2) == 0 {
            text.push_str(":- meta_predicate ap(2, ?, ?).\n");
        }
        if self.random.below(2) == 0 {
            text.push_str(":- meta_predicate run_it(0), keep(:).\n");
        }
        match self.random.below(3) {
            0 => text.push_str(":- op(700, xfx, ==>).\nrule(a ==> b).\n"),
            _ => text.push_str("rule(none).\n"),
        }
        text.push_str(
            "ap(G, X, Y) :- call(G, X, Y).\nrun_it(G) :- call(G).\nthrow_it(T) :- throw(t(T)).\n",
        );
        text.push_str(":- dynamic kept/1.\nkeep(G) :- assertz(kept(G)).\nhidden(secret).\n");
        let _ = writeln!(text, "h(X, m{number}-X).\nadd(X, Y, Z) :- Z is X * 10 + Y.");
        let _ = writeln!(
            text,
            "w(X) :- put_attr(X, m{number}, v).\nattr_unify_hook(v, Y) :- Y \\== a."
        );
        text.push_str("attribute_goals(_) --> [].\n");
        for e in 0..4 {
            let body = match self.random.below(7) {
                0 => "maplist(h, [1], X)".to_owned(),
                1 => "findall(Y, (member(A, [1,2]), h(A, Y)), X)".to_owned(),
                2 => "rule(R), X = r(R)".to_owned(),
                3 => format!("foldl(add, [1,2], {}, X)", self.random.below(3)),
                4 => "maplist([A,B]>>h(A, B), [7], X)".to_owned(),
                5 => "X = (p =>> q)".to_owned(),
                _ => format!("m{}:h(9, X)", self.random.below(self.modules)),
            };
            let _ = writeln!(text, "e{e}(X) :- {body}.");
        }
        text
    }

    /// Clauses of `p/2` (static), `q/1` and `r/2` (dynamic), and the facts of each test.
    fn clauses(&mut self, text: &mut String) {
        text.push_str(":- dynamic q/1, r/2.\n:- discontiguous p/2.\n");
        for _ in 0..2 + self.random.below(2) {
            let head = self.term();
            let cut = self.random.pick(&["", "!, ", "", "\\+ fail, "]);
            let body = self.random.pick(&[
                "Y = 1",
                "member(Y, [a,b])",
                "( X = a -> Y = 1 ; Y = 2 )",
                "h(X, Y)",
                "true",
                "dif(Y, a)",
                "fail",
                "findall(A, q(A), Y)",
                "e0(Y)",
                "Y = X, ( var(Y) ; Y = 3 )",
            ]);
            let _ = writeln!(text, "p({head}, Y) :- {cut}{body}.");
        }
        let _ = writeln!(text, "q({}).\nq({}).", self.small(), self.small());
        text.push_str(
            "r(1, a).\nr(X, Y) :- X = 2, ( Y = b ; Y = c ), \\+ X = 3.\nr(3, Y) :- !, Y = d.\n",
        );
        for number in 0..TESTS {
            let _ = writeln!(
                text,
                ":- dynamic d{number}/1, r{number}/1.\nd{number}(1). d{number}(two).\nr{number}(X) :- X = 1, true."
            );
        }
    }

    fn directives(&mut self, text: &mut String, goals: &mut Vec<(String, String)>) {
        match self.random.below(4) {
            0 => text.push_str(
                "term_expansion(gen(X), [made(X), made(f(X))]).\ngen(1).\n:- t(gen, [X], made(X)).\n",
            ),
            1 => text.push_str(
                "goal_expansion(short(X), X = long).\nex(X) :- short(X).\n:- t(ge, [X], ex(X)).\n",
            ),
            2 => text.push_str("oops(a b).\n:- t(after_error, [X], member(X, [1])).\n"),
            _ => text.push_str(
                ":- if(current_op(700, xfx, ==>)).\ne7(op).\n:- elif(fail).\ne7(never).\n:- else.\ne7(no_op).\n:- endif.\n\
                 :- t(cond, [X], e7(X)).\n",
            ),
        }
        for number in 0..self.random.below(3) {
            let goal = self.goal(1, number);
            let label = format!("r{number}");
            let _ = writeln!(
                text,
                ":- nl, write('{label}: '), ({goal}), write(after), nl.\n:- nl."
            );
            goals.push((label, goal));
        }
        if self.random.below(2) == 0 {
            text.push_str(":- initialization((nl, write('init: '), write(early), nl)).\n");
        }
    }

    fn imports(&mut self, text: &mut String) {
        for number in 0..self.modules {
            // One of them gives ap/3 and w/1, so that names do not clash.
            let imports = match (number, self.random.below(4)) {
                (0, 0) => ", [w/1, e0/1]",
                (0, 1) => ", except([e0/1])",
                (0, 2) => ", [ap/3 as apply_it, w/1]",
                (0, _) => "",
                _ => ", []",
            };
            let _ = writeln!(text, ":- use_module(m{number}{imports}).");
        }
        text.push_str(":- use_module(domain).\n");
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let modules = 1 + random.below(3);
    let mut generator = Generator { random, modules };
    let mut files = Vec::new();
    let mut goals = Vec::new();
    let mut text = HEADER.to_owned();
    if generator.random.below(4) == 0 {
        text = format!(":- module(top, []).\n{text}");
    }
    generator.imports(&mut text);
    for number in 0..modules {
        files.push((format!("m{number}.pl"), generator.module_text(number)));
    }
    files.push(("domain.pl".to_owned(), DOMAIN.to_owned()));
    text.push_str(LIBRARY);
    generator.clauses(&mut text);
    generator.directives(&mut text, &mut goals);
    text.push_str(":- initialization(main).\nmain :-\n");
    for number in 0..TESTS {
        let goal = generator.goal(2, number);
        let _ = writeln!(
            text,
            "    t({number}, [X{number},Y{number},Z{number}], ({})),",
            renamed(&goal, number)
        );
        goals.push((number.to_string(), goal));
    }
    text.push_str("    nl.\n");
    files.insert(0, ("main.pl".to_owned(), text));
    Program { files, goals }
}

/// Tests are in one clause: their variables are kept apart.
fn renamed(goal: &str, number: usize) -> String {
    let mut text = String::with_capacity(goal.len() + 16);
    let mut quote = None;
    let mut before = ' ';
    let mut rest = goal.chars().peekable();
    while let Some(c) = rest.next() {
        let inside_word = before.is_alphanumeric() || before == '_' || before == '$';
        // `0'x` is a character.
        let character = before == '0' && c == '\'';
        match quote {
            Some(q) if c == q => quote = None,
            None if !character && (c == '\'' || c == '"') => quote = Some(c),
            _ => {}
        }
        text.push(c);
        before = c;
        if quote.is_none() && !inside_word && c.is_ascii_uppercase() {
            while let Some(&next) = rest.peek() {
                if !(next.is_alphanumeric() || next == '_') {
                    break;
                }
                text.push(next);
                before = next;
                rest.next();
            }
            text.push_str(&number.to_string());
        }
        if character && let Some(next) = rest.next() {
            text.push(next);
            before = next;
        }
    }
    text
}

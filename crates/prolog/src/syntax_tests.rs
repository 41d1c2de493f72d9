//! Reading and writing: small cases, round trips, size, and random token soup.

use crate::*;
use expect_test::{Expect, expect};
use stet_testkit::Random;

struct World {
    atoms: AtomTable,
    ops: Ops,
    flags: ReadFlags,
}

impl World {
    fn new() -> Self {
        let mut atoms = AtomTable::new();
        let ops = Ops::standard(&mut atoms);
        World {
            atoms,
            ops,
            flags: ReadFlags::STANDARD,
        }
    }

    fn read_all(&mut self, text: &str) -> Vec<Result<Clause, SyntaxError>> {
        let mut at = 0;
        let mut found = Vec::new();
        loop {
            let mut context = ReadContext {
                atoms: &mut self.atoms,
                ops: &self.ops,
                flags: self.flags,
            };
            let (result, next) = read_clause(&mut context, text, at);
            assert!(next > at || matches!(result, Ok(None)) || next == text.len());
            at = next;
            match result {
                Ok(None) => return found,
                Ok(Some(clause)) => found.push(Ok(clause)),
                Err(error) => {
                    found.push(Err(error));
                    if at >= text.len() {
                        return found;
                    }
                }
            }
        }
    }

    fn write(&self, clause: &Clause, options: &WriteOptions) -> String {
        let view = AstView {
            terms: &clause.terms,
            variables: &clause.variables,
        };
        write_term(&view, clause.root, &self.atoms, &self.ops, options)
    }
}

/// Each clause in canonical form and as `writeq/1` prints it, errors with their place.
fn check(text: &str, expect: Expect) {
    let mut world = World::new();
    let mut out = String::new();
    for result in world.read_all(text) {
        match result {
            Ok(clause) => {
                let canonical = world.write(&clause, &WriteOptions::CANONICAL);
                let quoted = world.write(&clause, &WriteOptions::WRITEQ);
                out.push_str(&format!("{canonical}    {quoted}\n"));
            }
            Err(error) => out.push_str(&format!(
                "{}..{}: {}\n",
                error.place.start, error.place.end, error.message
            )),
        }
    }
    expect.assert_eq(&out);
}

#[test]
fn operators() {
    check(
        "a:-b,c;d->e. 1+2*3-4. - 1. -1. -(1). - a. -(-(1)). 1 - -1. \\+a. \\+(a,b). a= \\+ . - = x. [-]. [-|a]. f(:-). \
         X is 2**3^4. :- dynamic foo/1, bar/2. a:b:c. f(a:-b). -(2)^2. -2^2. - (2^2). 1.0e10. (a|b). [a|b]. {a,b}. '{}'(x). {}. \
         f(;). (;). a --> b. - - a. \\ - 1. f(- , a). [a,b|c]. (a,b). f((a,b)). f((a:-b)). 2-(3-4). (2-3)-4. -(3)*2. (:- a). \
         dynamic. - (1). a;b. p:- \\+ q, r. f(+). + + + . 'dynamic' a. (a:-b):-c.",
        expect![[r#"
            :-(a,;(','(b,c),->(d,e)))    a:-b,c;d->e
            -(+(1,*(2,3)),4)    1+2*3-4
            -(1)    - 1
            -1    -1
            -(1)    - 1
            -(a)    -a
            -(-(1))    - - 1
            -(1,-1)    1- -1
            \+(a)    \+a
            \+(a,b)    \+(a,b)
            =(a,\+)    a=(\+)
            =(-,x)    (-)=x
            [-]    [-]
            [-|a]    [-|a]
            f(:-)    f(:-)
            116..117: operator priority clash
            :-(dynamic(','(/(foo,1),/(bar,2))))    :-dynamic foo/1,bar/2
            :(a,:(b,c))    a:b:c
            f(:-(a,b))    f((a:-b))
            ^(-(2),2)    (- 2)^2
            ^(-2,2)    -2^2
            -(^(2,2))    - 2^2
            10000000000.0    10000000000.0
            '|'(a,b)    a|b
            [a|b]    [a|b]
            {}(','(a,b))    {a,b}
            {}(x)    {x}
            {}    {}
            f(;)    f(;)
            ;    ;
            -->(a,b)    a-->b
            -(-(a))    - -a
            \(-(1))    \ - 1
            f(-,a)    f(-,a)
            [a,b|c]    [a,b|c]
            ','(a,b)    a,b
            f(','(a,b))    f((a,b))
            f(:-(a,b))    f((a:-b))
            -(2,-(3,4))    2-(3-4)
            -(-(2,3),4)    2-3-4
            *(-(3),2)    - 3*2
            :-(a)    :-a
            dynamic    dynamic
            -(1)    - 1
            ;(a,b)    a;b
            :-(p,','(\+(q),r))    p:- \+q,r
            f(+)    f(+)
            +(+(+))    + + (+)
            dynamic(a)    dynamic a
            :-(:-(a,b),c)    (a:-b):-c
        "#]],
    );
}

#[test]
fn lexis() {
    check(
        "0'a. 0'\\n. 0'''. 0' . 0x1F. 0b101. 0o17. 1_000_000. 16'FF. 1.5. 1.0Inf. 123456789012345678901234567890. \
         -9223372036854775808. 9223372036854775808. 'a b'. 'it''s'. 'a\\x41\\b'. 'a\\\nb'. \"ab\". `ab`. a/*c*/. X. _. _Y. \
         'hello'(x). [](x). 'A'. é. 'a\\tb'. [a|'B'].  1e5. 0.1. 1.0e-7. 100000000000000.0. 1e22. f('[]'). '\\e'. \
         \"a\\
b\". a%c
. 'don\\'t'. 0'\\x41\\. 12r. 0b. 0xg.",
        expect![[r#"
            97    97
            10    10
            39    39
            32    32
            31    31
            5    5
            15    15
            1000000    1000000
            255    255
            1.5    1.5
            1.0Inf    1.0Inf
            123456789012345678901234567890    123456789012345678901234567890
            -9223372036854775808    -9223372036854775808
            9223372036854775808    9223372036854775808
            'a b'    'a b'
            'it\'s'    'it\'s'
            aAb    aAb
            ab    ab
            [97,98]    [97,98]
            [97,98]    [97,98]
            a    a
            X    X
            _0    _0
            _Y    _Y
            hello(x)    hello(x)
            [](x)    [](x)
            'A'    'A'
            é    é
            'a\tb'    'a\tb'
            [a|'B']    [a|'B']
            100000.0    100000.0
            0.1    0.1
            1.0e-7    1.0e-7
            100000000000000.0    100000000000000.0
            1.0e22    1.0e22
            f([])    f([])
            '\x1b\'    '\x1b\'
            [97,98]    [97,98]
            a    a
            'don\'t'    'don\'t'
            65    65
            351..352: operator expected
            355..356: operator expected
            359..361: operator expected
        "#]],
    );
}

#[test]
fn errors_have_places_and_reading_goes_on() {
    check(
        "foo(a. ok. foo) . ok2. X = = y. a b. 'unclosed. f(). ok3. [a,,b]. [a|b|c]. f(a))). ok4. a = b = c. Foo(x). \u{1}. ok5. (a",
        expect![[r#"
            5..6: unclosed `(` before end of clause
            ok    ok
            14..15: unbalanced or misplaced punctuation
            ok2    ok2
            29..30: operator expected
            34..35: operator expected
            37..38: quoted text without end
            50..51: a compound term needs an argument
            ok3    ok3
            61..62: unexpected `,`
            70..71: `|` does not fit the open `[`
            79..80: unbalanced or misplaced punctuation
            ok4    ok4
            94..95: operator priority clash
            99..102: a variable cannot be a functor
            107..108: illegal character '\u{1}'
            ok5    ok5
            117..117: unexpected end of file
        "#]],
    );
}

#[test]
fn quoting() {
    check(
        "[a, 'A', 'a b', [], '[]', '{}', {}, ;, !, ',', '|', '.', '\\\\', +, '/*', '', 'a.b', \"\", a:b, 'hello World', aB, 'é', 'É'].",
        expect![[r#"
            [a,'A','a b',[],[],{},{},;,!,',','|','.',\,+,'/*','','a.b',[],:(a,b),'hello World',aB,é,'É']    [a,'A','a b',[],[],{},{},;,!,',','|','.',\,+,'/*','','a.b',[],a:b,'hello World',aB,é,'É']
        "#]],
    );
}

#[test]
fn numbers_written_as_variables() {
    check(
        "f('$VAR'(0),'$VAR'(25),'$VAR'(26),'$VAR'(-1),'$VAR'(x)).",
        expect![[r#"
            f('$VAR'(0),'$VAR'(25),'$VAR'(26),'$VAR'(-1),'$VAR'(x))    f(A,Z,A1,'$VAR'(-1),'$VAR'(x))
        "#]],
    );
}

#[test]
fn large_terms_need_no_stack() {
    let mut world = World::new();
    let parens = format!("{}a{}.", "(".repeat(200_000), ")".repeat(200_000));
    let nested = format!("{}a{}.", "f(".repeat(200_000), ")".repeat(200_000));
    let list = format!("[{}a].", "a,".repeat(1_000_000));
    let sum = format!("{}1.", "1+".repeat(1_000_000));
    let right = format!("{}a.", "a,".repeat(1_000_000));
    let prefix = format!("{}a.", "- ".repeat(200_000));
    for text in [parens, nested, list, sum, right, prefix] {
        let found = world.read_all(&text);
        assert_eq!(found.len(), 1);
        let clause = found[0].as_ref().expect("a well-formed term");
        let written = world.write(clause, &WriteOptions::WRITEQ);
        assert!(!written.is_empty());
    }
}

#[test]
fn full_stops_are_found() {
    assert!(has_full_stop("a. ", 0));
    assert!(has_full_stop("a.", 0));
    assert!(!has_full_stop("a", 0));
    assert!(!has_full_stop("'a. ", 0));
    assert!(!has_full_stop("/* a. ", 0));
    assert!(!has_full_stop("% a.\n", 0));
    assert!(has_full_stop("\u{1}a. ", 0));
}

const SOUP: &[&str] = &[
    "a",
    "B",
    "_",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "|",
    ".",
    ". ",
    " ",
    "\n",
    "'",
    "\"",
    "`",
    "\\",
    "0'",
    "0x",
    "1",
    "1.5",
    "-",
    "+",
    ":-",
    "-->",
    "is",
    "dynamic",
    "\\+",
    "/*",
    "*/",
    "%",
    "é",
    "f(",
    "''",
    "e10",
    "_1",
    "!",
    ";",
    "->",
    "\\x41\\",
    "::",
    "\u{0}",
    "=",
    "^",
    "9999999999999999999999",
    "1.0Inf",
];

#[test]
fn token_soup_never_panics_and_reads_back() {
    let mut random = Random::new(7);
    let mut world = World::new();
    for _ in 0..20_000 {
        let length = random.below(14);
        let text: String = (0..length)
            .map(|_| SOUP[random.below(SOUP.len())])
            .collect();
        for result in world.read_all(&text) {
            let Ok(clause) = result else { continue };
            let written = world.write(&clause, &WriteOptions::WRITEQ);
            let canonical = world.write(&clause, &WriteOptions::CANONICAL);
            let again = world.read_all(&format!("{written} ."));
            let reread = again
                .first()
                .and_then(|found| found.as_ref().ok())
                .unwrap_or_else(|| panic!("{text:?} was written as {written:?}"));
            assert_eq!(
                canonical,
                world.write(reread, &WriteOptions::CANONICAL),
                "{text:?} was written as {written:?}"
            );
        }
    }
}

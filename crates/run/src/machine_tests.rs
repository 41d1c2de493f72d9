//! Behaviour of the machine through queries.

use crate::*;

fn machine() -> Machine {
    Machine::new(
        Config {
            memory: 1 << 28,
            ..Config::standard()
        },
        Box::new(MemoryHost::default()),
    )
}

/// All answers of a query, one string each.
fn answers(machine: &mut Machine, query: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut query = machine.query(query).expect("the query parses");
    for _ in 0..50 {
        let (text, more) = match machine.next_answer(&mut query) {
            Answer::True(solution) if solution.goals.is_empty() => {
                ("true".to_owned(), solution.more)
            }
            Answer::True(solution) => (solution.goals.join(", "), solution.more),
            Answer::False => ("false".to_owned(), false),
            Answer::Exception { message, .. } => (message, false),
            Answer::Halt(code) => (format!("halt({code})"), false),
        };
        found.push(text);
        if !more {
            break;
        }
    }
    found
}

#[test]
fn first_steps() {
    let mut m = machine();
    assert_eq!(answers(&mut m, "X = f(Y, a)"), ["X = f(Y, a)"]);
    assert_eq!(answers(&mut m, "X is 1 + 2 * 3"), ["X = 7"]);
    assert_eq!(answers(&mut m, "(X = 1 ; X = 2)"), ["X = 1", "X = 2"]);
    assert_eq!(answers(&mut m, "fail"), ["false"]);
    assert_eq!(answers(&mut m, "foo(1)"), ["unknown procedure: foo/1"]);
    assert_eq!(answers(&mut m, "catch(throw(a), X, true)"), ["X = a"]);
    assert_eq!(
        answers(&mut m, "findall(X, member(X, [1,2,3]), L)"),
        ["L = [1, 2, 3]"]
    );
}

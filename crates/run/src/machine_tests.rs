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

/// All answers of a query as one line each.
fn answers(machine: &mut Machine, query: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut query = machine.query(query).expect("the query parses");
    for _ in 0..50 {
        match machine.next_answer(&mut query) {
            Answer::True(solution) => {
                let more = solution.more;
                found.push(if solution.goals.is_empty() {
                    "true".to_owned()
                } else {
                    solution.goals.join(", ")
                });
                if !more {
                    return found;
                }
            }
            Answer::False => {
                found.push("false".to_owned());
                return found;
            }
            Answer::Exception { ball, .. } => {
                found.push(ball);
                return found;
            }
            Answer::Halt(code) => {
                found.push(format!("halt({code})"));
                return found;
            }
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
    assert_eq!(
        answers(&mut m, "foo(1)"),
        ["error(existence_error(procedure,foo/1),_G0)"]
    );
}

//! Programs as people write them, each with the output SWI-Prolog gives for it. `scripts/prolog-programs` runs the same
//! programs in an installed SWI-Prolog and compares.

use stet_run::{Answer, Config, MemoryHost, Quotes, Request, open};

macro_rules! programs {
    ($($name:literal)*) => {
        &[$((
            $name,
            include_str!(concat!("programs/", $name, ".pl")),
            include_str!(concat!("programs/", $name, ".out")),
        )),*]
    };
}

const PROGRAMS: &[(&str, &str, &str)] = programs! {
    "interpreter"
    "single_sided"
    "clause_layout"
    "boolean_residuals"
    "boolean_copies"
    "persistency"
    "other_systems"
    "signed_constraints"
    "json"
    "queens"
    "sudoku"
    "send_more_money"
    "booleans"
    "zebra"
    "closures"
    "crossing"
    "solutions"
    "tokens"
    "tabling"
    "well_founded"
    "answer_modes"
    "inference_limits"
    "arithmetic_functions"
    "module_clauses"
    "meta_modules"
    "minimax"
    "life"
    "shortest_path"
    "type_inference"
    "brainfuck"
    "derivatives"
    "aggregates"
    "rbtrees"
    "heaps"
    "nb_sets"
    "records"
    "rationals"
    "unit_tests"
    "format"
    "reader"
    "strings"
    "knight"
    "tables"
    "engines"
    "threads"
    "transitive_closure"
    "dates"
    "big_integers"
    "rosetta"
    "calculator"
    "meta_interpreters"
    "constraints"
    "word_frequencies"
    "exceptions"
    "tree_libraries"
    "tabled_programs"
    "static_clauses"
    "distinct"
    "trailed_values"
    "messages"
    "global_state"
    "json_grammar"
    "prover"
    "streams"
    "bank"
    "coroutines"
    "search"
    "lisp"
    "string_modes"
    "constraint_rules"
    "corner_cases"
    "more_libraries"
    "modules_of_units"
    "fresh_tables"
    "cyclic_arguments"
    "older_names"
};

#[test]
fn programs_print_what_they_print_in_swi_prolog() {
    for (name, program, expected) in PROGRAMS {
        let mut host = MemoryHost::default();
        let (output, errors) = (host.output.clone(), host.errors.clone());
        host.files
            .insert("/program.pl".to_owned(), program.as_bytes().to_vec());
        let config = Config {
            memory: 1 << 28,
            double_quotes: Quotes::String,
            ..Config::standard()
        };
        let request = Request {
            config,
            ..Request::load(&[])
        };
        let mut machine = open(&request, Box::new(host));
        let loaded = machine.run_goal("consult('/program.pl')");
        assert!(matches!(loaded, Answer::True(_)), "{name}: {loaded:?}");
        let messages = errors.lock().expect("no panic while held").clone();
        assert_eq!(messages, "", "{name}");
        let answer = machine.run_goal("main");
        assert!(matches!(answer, Answer::True(_)), "{name}: {answer:?}");
        let written = output.lock().expect("no panic while held").clone();
        assert_eq!(plain(&written), plain(expected), "{name}");
    }
}

/// The text without the numbers of variables.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        plain.push(c);
        if c == '_' {
            chars.next_if_eq(&'G');
            while chars.next_if(char::is_ascii_digit).is_some() {}
        }
    }
    plain
}

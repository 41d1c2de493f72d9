//! The rules of the language beyond names and types: one small program for each, and the messages about it.

use stet_base::SourceMap;
use stet_dafny::{NoIncludes, check};

/// Compares the errors of a program, as `line:column message`, with those expected.
#[track_caller]
fn errors(text: &str, expected: &[&str]) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.dfy", text).expect("small");
    let checked = check(&mut sources, &[file], &mut NoIncludes);
    let shown: Vec<String> = checked
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .map(|d| {
            let place = sources.start_of(d.primary.as_ref().expect("placed").span);
            format!("{}:{} {}", place.line, place.column - 1, d.message)
        })
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn compiled_code_does_not_read_ghost_variables() {
    errors(
        "method M(ghost g: int) {\n  var x := g;\n  var y := 1;\n  y := g;\n  print x;\n}",
        &[
            "4:7 ghost variables such as g are allowed only in specification contexts. g was inferred to be ghost based on its declaration or initialization.",
            "5:8 ghost variables such as x are allowed only in specification contexts. x was inferred to be ghost based on its declaration or initialization.",
        ],
    );
}

#[test]
fn ghost_code_does_not_change_compiled_state() {
    errors(
        "class C { var f: int }\nghost method M(c: C) modifies c {\n  c.f := 1;\n}\nmethod N(ghost b: bool) returns (r: int) {\n  if b { r := 2; }\n}",
        &[
            "3:6 assignment to non-ghost field is not allowed in this context, because this is a ghost method",
            "6:11 assignment to non-ghost variable is not allowed in this context, because the statement is in a ghost context; e.g., it may be guarded by a specification-only expression",
        ],
    );
}

#[test]
fn proofs_call_lemmas_only_and_change_nothing() {
    errors(
        "class C { ghost var f: int }\nghost method G() { }\nlemma L(c: C) {\n  G();\n  c.f := 3;\n}",
        &[
            "4:3 in a lemma, calls are allowed only to lemmas",
            "5:6 a lemma is not allowed to make heap updates",
        ],
    );
}

#[test]
fn ghost_functions_are_called_in_specifications_only() {
    errors(
        "ghost function G(x: int): int { x }\nfunction F(x: int): int { G(x) }",
        &[
            "2:27 a call to a ghost function is allowed only in specification contexts (consider declaring the function without the 'ghost' keyword)",
        ],
    );
}

#[test]
fn sets_are_finite_and_compiled_quantifiers_bounded() {
    errors(
        "method M() returns (b: bool) {\n  ghost var s := set x: int | x > 3;\n  b := true;\n}",
        &[
            "2:17 the result of a set comprehension must be finite, but Dafny's heuristics can't figure out how to produce a bounded set of values for 'x'",
        ],
    );
    errors(
        "method M() returns (b: bool) {\n  b := forall x: int :: x * x >= 0;\n  b := forall x: int :: 0 <= x < 9 ==> x * x < 81;\n}",
        &[
            "2:7 quantifiers in non-ghost contexts must be compilable, but Dafny's heuristics can't figure out how to produce or compile a bounded set of values for 'x'",
        ],
    );
}

#[test]
fn functions_do_not_depend_on_what_is_allocated() {
    errors(
        "class C { }\nghost predicate P() {\n  forall c: C :: c == c\n}",
        &[
            "3:2 a forall expression involved in a predicate definition is not allowed to depend on the set of allocated references, but values of 'c' (of type 'C') may contain references (see documentation for 'older' parameters)",
        ],
    );
}

#[test]
fn overrides_keep_kind_ghostness_and_signature() {
    errors(
        "trait T {\n  function F(x: int): int\n  method M()\n  var f: int\n}\nclass C extends T {\n  ghost function F(x: int): int { x }\n  lemma M() { }\n  var f: int\n}\nclass D extends T {\n  function F(x: bool): int { 1 }\n}",
        &[
            "7:17 overridden function 'F' in 'C' has different ghost/compiled status than in trait 'T'",
            "8:8 method 'M' in trait 'T' can only be overridden by a method (got lemma)",
            "9:6 field 'f' is inherited from trait 'T' and is not allowed to be re-declared",
            "12:13 the type of parameter 'x' is different from the type of the corresponding parameter in trait function ('bool' instead of 'int')",
            "11:6 class 'D' does not implement trait method 'T.M'",
        ],
    );
}

#[test]
fn refinements_do_not_change_bodies() {
    errors(
        "module A { function F(): int { 1 } type T = int }\nmodule B refines A {\n  function F(): int { 2 }\n  type T = nat\n}",
        &[
            "3:11 a refining function is not allowed to extend/change the body",
            "4:7 a type synonym (T) is not allowed to replace a type synonym from the refined module (A), even if it denotes the same type",
        ],
    );
}

#[test]
fn export_sets_hide_names_and_definitions() {
    errors(
        "module A {\n  export provides T, F\n  type T = int\n  function F(): T { 3 }\n  const c := 1\n}\nmodule B {\n  import A\n  function G(): int { A.F() }\n  const d := A.c\n}",
        &[
            "10:15 unresolved identifier: c",
            "9:11 Function body type mismatch (expected int, got T)",
        ],
    );
}

#[test]
fn errors_of_a_module_do_not_hide_those_of_another() {
    errors(
        "module A { const c: int := true }\nmodule B { method M() { print x; } }\nmodule C { import A  const d := A.c }",
        &[
            "1:17 type for constant 'c' is 'int', but its initialization value type is 'bool'",
            "2:30 unresolved identifier: x",
            "3:11 not resolving module 'C' because there were errors in resolving its import 'A'",
        ],
    );
}

#[test]
fn modules_do_not_need_themselves() {
    errors(
        "module A { import B }\nmodule B { import A }",
        &[
            "1:7 module definition contains a cycle (note: parent modules implicitly depend on submodules): module A -> import B -> module B -> import A -> module A",
        ],
    );
}

#[test]
fn type_arguments_have_the_characteristics_asked_for() {
    errors(
        "class Box<T(0)> { var t: T }\nclass C { constructor () { } }\nmethod M(b: Box<C>) { }\nmethod E<T>(x: T, y: T) returns (b: bool) { b := x == y; }",
        &[
            "3:12 type parameter (T) passed to type Box must support auto-initialization (got C)",
            "4:49 == can only be applied to expressions of types that support equality (got T) (perhaps try declaring type parameter 'T' on line 4 as 'T(==)', which says it can only be instantiated with a type that supports equality)",
        ],
    );
}

#[test]
fn loops_that_may_not_end_need_leave() {
    errors(
        "method M() {\n  while true decreases * { }\n}\nmethod N() decreases * { }\nmethod O() { N(); }",
        &[
            "2:23 a possibly infinite loop is allowed only if the enclosing method is declared (with 'decreases *') to be possibly non-terminating",
            "5:14 a call to a possibly non-terminating method is allowed only if the calling method is also declared (with 'decreases *') to be possibly non-terminating",
        ],
    );
}

#[test]
fn literals_are_named_in_places_of_other_types() {
    errors(
        "method M() returns (r: real) {\n  r := 3;\n  var b := r == true;\n}",
        &[
            "2:7 integer literal used as if it had type real",
            "3:16 boolean literal used as if it had type real",
        ],
    );
}

#[test]
fn disjunctive_patterns_bind_nothing() {
    errors(
        "datatype D = A(int) | B(int)\nfunction F(d: D): int {\n  match d\n  case A(n) | B(_) => 1\n}",
        &["4:9 Disjunctive patterns may not bind variables"],
    );
}

#[test]
fn recursive_uses_of_constants_are_shown_as_a_cycle() {
    errors(
        "const a: int := b\nconst b: int := a",
        &["1:6 const definition contains a cycle: a -> b -> a"],
    );
}

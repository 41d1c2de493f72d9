//! `older` parameters: what a predicate with them must satisfy, and what may rely on it.

mod common;
use common::{check, verify};

#[test]
fn a_predicate_that_says_nothing_of_its_older_parameter_is_wrong() {
    let text = "class C { }
predicate One(older c: C, s: set<C>)
{
  true
}
predicate Fine(older c: C, s: set<C>)
{
  c in s
}
predicate Both(older a: C, older b: C)
{
  true
}
";
    if let Some(lines) = verify(text) {
        assert_eq!(
            lines,
            [
                "(4,2): Error: a postcondition could not be proved on this return path",
                "(2,10): Related location: the 'older' parameter might be newer than the other parameter when the predicate returns 'true'",
                "(12,2): Error: a postcondition could not be proved on this return path",
                "(10,10): Related location: an 'older' parameter might be newer than all non-'older' parameters when the predicate returns 'true'",
            ]
        );
    }
}

const REACHABLE: &str = "class Node { var next: seq<Node> }
datatype Path = Empty | Extend(Path, Node)
ghost predicate Reachable(source: Node, sink: Node, S: set<Node>)
  reads S
{
  exists via: Path :: ReachableVia(source, via, sink, S)
}
ghost predicate ReachableVia(source: Node, older p: Path, sink: Node, S: set<Node>)
  reads S
  decreases p
{
  match p
  case Empty => source == sink
  case Extend(prefix, n) => n in S && sink in n.next && ReachableVia(source, prefix, n, S)
}
";

#[test]
fn what_is_bounded_by_an_older_parameter_is_a_function_of_what_it_reads() {
    check(&format!(
        "{REACHABLE}
method M(a: Node, b: Node, S: set<Node>)
  requires Reachable(a, b, S)
{{
  var c := new Node;
  assert Reachable(a, b, S);
  assert false; //! assertion could not be proved
}}"
    ));
}

#[test]
fn recursion_that_forgets_the_parameter_is_wrong() {
    check(
        "class Node { var next: seq<Node> }
datatype Path = Empty | Extend(Path, Node)
ghost predicate Via(source: Node, older p: Path, sink: Node, S: set<Node>, bound: nat)
  reads S
  decreases p
{
  bound != 0 ==> //! postcondition could not be proved
  match p
  case Empty => source == sink
  case Extend(prefix, n) => n in S && sink in n.next && Via(source, prefix, n, S, bound - 1)
}",
    );
}

#[test]
fn two_variables_do_not_bound_each_other() {
    let text = "class C { }
ghost predicate P(older a: C, b: C) { a == b }
ghost function All(): iset<C> { iset a: C, b: C | P(a, b) && P(b, a) :: a }
method M() {
  ghost var s := All();
  var d := new C;
  assert P(d, d);
  assert d in All();
  assert d !in s;
  assert false;
}
";
    if let Some(lines) = verify(text) {
        let is_refused = |l: &String| l.contains("not allowed to depend on the set of allocated");
        assert!(lines.iter().any(is_refused), "{lines:#?}");
    }
}

#[test]
fn older_is_refused_where_it_could_not_be_checked() {
    for text in [
        "predicate P<X>(older x: X, s: set<X>) { true }",
        "class C { } trait T extends object { predicate P(older c: C) }
         class D extends T { predicate P(c: C) { true } }",
    ] {
        if let Some(lines) = verify(text) {
            assert!(
                lines.iter().any(|l| l.contains("Error: ")),
                "{lines:#?} in {text}"
            );
        }
    }
}

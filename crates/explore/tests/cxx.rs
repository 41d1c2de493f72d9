//! C++: exceptions by type, base class and pointer, cleanups, rethrowing, uncaught ones; casts by run-time types.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may stop, and say why they skip"
)]

mod common;

use common::{Found, clang, compile, explore_text};
use stet_explore::{Config, ErrorKind, Outcome};

fn run(source: &str) -> Option<Vec<Found>> {
    let clang = clang()?;
    let explored = ["-O0", "-O1"].map(|level| {
        let text = compile(clang, source, &["-x", "c++", level]);
        explore_text(&text, &Config::standard())
    });
    Some(explored.into())
}

#[test]
fn exceptions_are_caught_by_type_and_cleanups_run() {
    let source = r#"
extern "C" int klee_int(const char *);
static int log_ = 0;
struct Guard { int weight; ~Guard() { log_ += weight; } };
struct Base { virtual ~Base() {} int code = 3; };
struct Other { virtual ~Other() {} int pad = 9; };
struct Derived : Other, Base { Derived() { code = 5; } };
static void act(int x) {
  Guard guard{100};
  if (x == 1) throw 42;
  if (x == 2) throw Derived();
  if (x == 3) throw "text";
  if (x == 4) throw 2.5;
}
static void middle(int x) {
  Guard guard{1000};
  try { act(x); } catch (double d) { log_ += (int)(d * 2); throw; }
}
int main() {
  int x = klee_int("x");
  try { middle(x); }
  catch (int value) { return log_ + value; }
  catch (Base &base) { return log_ + base.code; }
  catch (const char *text) { return log_ + text[0]; }
  catch (...) { return log_; }
  return log_ + 1;
}
"#;
    let Some(explored) = run(source) else { return };
    for found in explored {
        assert_eq!(found.errors(), Vec::<ErrorKind>::new(), "{:?}", found.paths);
        assert_eq!(found.exits(), [1101, 1105, 1105, 1142, 1216]);
        assert!(found.summary.is_complete(), "{:?}", found.summary.left_out);
    }
}

#[test]
fn an_uncaught_exception_is_found_with_its_type() {
    let source = r#"
extern "C" int klee_int(const char *);
struct Broken { int x; };
int main() { int x = klee_int("x"); try { if (x == 77) throw Broken{x}; } catch (int) { return 1; } return 0; }
"#;
    let Some(explored) = run(source) else { return };
    for found in explored {
        assert_eq!(found.errors(), [ErrorKind::Abort]);
        let uncaught = found.paths.iter().find_map(|end| match &end.outcome {
            Outcome::Error(_, message) => Some(message.clone()),
            _ => None,
        });
        assert!(uncaught.unwrap().contains("Broken"));
        assert_eq!(found.exits(), [0]);
    }
}

#[test]
fn dynamic_casts_and_static_constructors_work() {
    let source = r#"
struct A { virtual ~A() {} int a = 1; };
struct B { virtual ~B() {} int b = 2; };
struct C : A, B { int c = 3; };
struct D : C { int d = 4; };
static int counter = 0;
struct Start { Start() { counter = 10; } } start;
static int &lazy() { static int value = counter + 1; return value; }
int main() {
  D object; B *b = &object; A *a = dynamic_cast<A *>(b);
  if (!a || a->a != 1) return 1;
  D *d = dynamic_cast<D *>(b); if (!d || d->d != 4) return 2;
  B plain; B *p = &plain; if (dynamic_cast<C *>(p)) return 3;
  if (counter != 10 || lazy() != 11 || lazy() != 11) return 4;
  return 0;
}
"#;
    let Some(explored) = run(source) else { return };
    for found in explored {
        assert_eq!(found.errors(), Vec::<ErrorKind>::new(), "{:?}", found.paths);
        assert_eq!(found.exits(), [0]);
    }
}

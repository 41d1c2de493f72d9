//! C programs through clang: what they compute, their tests replayed natively, random programs from Csmith.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may stop and say why they skip"
)]

mod common;

use common::{clang, compile, explore_text, with_cache};
use std::process::Command;
use stet_explore::query::CacheMode;
use stet_explore::{Config, ErrorKind, KTest, Outcome};

const HASH_TABLE: &str = r#"
#include <klee/klee.h>
void *malloc(unsigned long);
struct node { struct node *next; char key[4]; int value; };
static struct node *buckets[8]; void *volatile kept;
static unsigned hash(const char *k) { unsigned h = 5381; for (int i = 0; i < 3; i++) h = h * 33 + (unsigned char)k[i]; return h & 7; }
static void put(const char *k, int v) {
  struct node *n = malloc(sizeof *n); for (int i = 0; i < 4; i++) n->key[i] = k[i];
  n->value = v; n->next = buckets[hash(k)]; buckets[hash(k)] = n;
}
static int get(const char *k) {
  for (struct node *n = buckets[hash(k)]; n; n = n->next) {
    int same = 1; for (int i = 0; i < 3; i++) if (n->key[i] != k[i]) { same = 0; break; }
    if (same) return n->value;
  }
  return -1;
}
int main(void) {
  static const char *keys[8] = { "abc", "bcd", "cde", "def", "efg", "fgh", "ghi", "hij" };
  for (int f = 0; f < FORKS; f++) {
    char c; klee_make_symbolic(&c, 1, "c");
    if (c) for (int i = 0; i <= f; i++) kept = ALLOC ? malloc(sizeof(struct node)) : 0;
  }
  for (int i = 0; i < 8; i++) put(keys[i], i);
  char k[4]; klee_make_symbolic(k, 4, "k"); k[3] = 0;
  return get(k) >= 0;
}
"#;

/// Allocations before the table change the layout, and must not change how many queries reach the solver.
#[test]
fn a_hash_table_under_many_layouts() {
    let Some(clang) = clang() else { return };
    let run = |forks: &str, alloc: &str, mode| {
        let text = compile(clang, HASH_TABLE, &["-O1", forks, alloc]);
        let found = explore_text(&text, &with_cache(mode));
        (
            found.paths.len(),
            found.summary.progress.queries.solver_queries(),
        )
    };
    let (paths, with) = run("-DFORKS=2", "-DALLOC=1", CacheMode::AddressAware);
    let (same_paths, without) = run("-DFORKS=2", "-DALLOC=0", CacheMode::AddressAware);
    let (base_paths, base) = run("-DFORKS=2", "-DALLOC=1", CacheMode::Base);
    assert_eq!((paths, paths), (same_paths, base_paths));
    assert!(with * 2 <= without * 3, "{with} <= 1.5 * {without}");
    assert!(with < base, "{with} < {base}");
    let (more_paths, more) = run("-DFORKS=3", "-DALLOC=1", CacheMode::AddressAware);
    assert_eq!(more_paths, paths * 2);
    assert!(
        more <= with + 2,
        "one more fork costs its own two queries: {more} <= {with} + 2"
    );
}

/// Every test, run natively, ends as the path did.
#[test]
fn tests_replay_natively() {
    let Some(clang) = clang() else { return };
    let source = r#"
        #include <klee/klee.h>
        #include <assert.h>
        #include <stdlib.h>
        int main(void) {
          int x; unsigned char s[3]; klee_make_symbolic(&x, sizeof x, "x"); klee_make_symbolic(s, 3, "s");
          klee_assume(x > -100);
          int r = klee_range(0, 3, "r");
          if (x * 3 == 51) return 10 + r;
          if (s[0] == 'a' && s[1] == s[2] + 1) { if (x == 77) abort(); return 20; }
          switch (x) { case 1: return 31; case 5: case 6: return 32; default: break; }
          assert(s[2] != 200 || x < 1000);
          return (x & 7) == 3 ? 41 : 42;
        }"#;
    assert!(replayed(clang, source, "-O0") >= 12);
}

/// Explores a program, runs every test natively, and compares how it ends; how many paths there were.
fn replayed(clang: &str, source: &str, level: &str) -> usize {
    let found = explore_text(&compile(clang, source, &[level]), &Config::standard());
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("p");
    std::fs::write(dir.path().join("p.c"), source).unwrap();
    let runtime = concat!(env!("CARGO_MANIFEST_DIR"), "/../../runtime");
    let built = Command::new(clang)
        .args(["-w", level, "-I", &format!("{runtime}/include"), "-o"])
        .arg(&program)
        .arg(dir.path().join("p.c"))
        .arg(format!("{runtime}/replay/replay.c"))
        .status();
    assert!(built.unwrap().success());
    for (number, end) in found.paths.iter().enumerate() {
        let test = KTest {
            args: vec!["p".into()],
            symbolic_args: (0, 0),
            objects: end.test.clone().unwrap(),
        };
        let file = dir.path().join(format!("{number}.ktest"));
        std::fs::write(&file, test.encode()).unwrap();
        let output = Command::new(&program)
            .env("KTEST_FILE", &file)
            .output()
            .unwrap();
        match &end.outcome {
            Outcome::Exit(status) => {
                assert_eq!(output.status.code(), Some(*status), "{:?}", end.test)
            }
            Outcome::Error(ErrorKind::Abort | ErrorKind::Assertion, _) => {
                assert_eq!(output.status.code(), None, "{:?}", end.test)
            }
            other => panic!("{other:?}"),
        }
    }
    found.paths.len()
}

/// All tests of all examples end natively as predicted.
#[test]
fn tests_of_the_examples_replay_natively() {
    let Some(clang) = clang() else { return };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/explore");
    let mut programs = 0;
    for folder in [folder.to_owned(), format!("{folder}/soundness")] {
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
            .collect();
        files.sort();
        for file in files {
            let source = std::fs::read_to_string(&file).unwrap();
            assert!(replayed(clang, &source, "-O1") > 1, "{}", file.display());
            programs += 1;
        }
    }
    assert!(programs >= 7, "{programs}");
}

/// Random programs compute the same natively and here. `STET_CSMITH` says how many (by default 3).
#[test]
fn csmith_programs_agree() {
    let Some(clang) = clang() else { return };
    let headers = ["/usr/include/csmith", "/usr/local/include/csmith"];
    let header = headers
        .iter()
        .find(|path| std::path::Path::new(path).join("csmith.h").exists());
    let (Some(header), true) = (
        header,
        Command::new("csmith")
            .arg("--version")
            .current_dir(std::env::temp_dir()) // it leaves a file behind
            .output()
            .is_ok(),
    ) else {
        stet_testkit::skip("csmith or its headers");
        return;
    };
    let count: u64 = std::env::var("STET_CSMITH")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(3);
    let dir = tempfile::tempdir().unwrap();
    // the checksum is the exit status, so that no C library is needed
    let main = "int printf(const char *f, ...) { return 0; } int strcmp(const char *a, const char *b) { return 1; }\n";
    for seed in 1..=count {
        let output = Command::new("timeout")
            .args([
                "10",
                "csmith",
                "--seed",
                &seed.to_string(),
                "--max-funcs",
                "4",
                "--max-block-depth",
                "3",
                "--no-argc",
                "--no-float",
                "--no-volatiles",
            ])
            .current_dir(dir.path()) // it leaves a file behind
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() || text.is_empty() {
            continue;
        }
        let text = text.replace(
            "platform_main_end(crc32_context ^ 0xFFFFFFFFUL, print_hash_value);",
            "return (crc32_context ^ 0xFFFFFFFFUL) & 0x7f;",
        );
        let file = dir.path().join("c.c");
        std::fs::write(&file, &text).unwrap();
        let program = dir.path().join("c");
        let built = Command::new(clang)
            .args(["-w", "-O1", "-I", header, "-o"])
            .arg(&program)
            .arg(&file)
            .status()
            .unwrap();
        assert!(built.success());
        let native = Command::new("timeout")
            .arg("2")
            .arg(&program)
            .output()
            .unwrap();
        if native.status.code() == Some(124) {
            continue;
        }
        let mut config = Config::standard();
        config.limits.instructions = Some(30_000_000);
        for level in ["-O0", "-O2"] {
            let whole = format!("{text}\n{main}");
            let found = explore_text(
                &compile(clang, &whole, &[level, "-I", header, "-fno-builtin"]),
                &config,
            );
            match &found.paths[0].outcome {
                Outcome::Exit(status) => {
                    assert_eq!(Some(*status), native.status.code(), "seed {seed} {level}")
                }
                Outcome::Dropped(_) => {}
                other => panic!("seed {seed} {level}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_structure_with_a_wide_member_is_aligned_among_variable_arguments() {
    let Some(clang) = clang() else { return };
    let source = "struct wide { long double d; }; struct pair { long a; char b; };\n\
        static int f(int n, ...) {\n  __builtin_va_list l; __builtin_va_start(l, n);\n  int a = __builtin_va_arg(l, int);\n  \
        struct wide w = __builtin_va_arg(l, struct wide); struct pair p = __builtin_va_arg(l, struct pair);\n  \
        long double d = __builtin_va_arg(l, long double);\n  __builtin_va_end(l); return a + (int)w.d + (int)p.a + p.b + (int)d;\n}\n\
        int main(void) { struct wide w = {30}; struct pair p = {4, 5}; return f(1, 1, w, p, 2.0L); }\n";
    for level in ["-O0", "-O1"] {
        let found = explore_text(&compile(clang, source, &[level]), &Config::standard());
        assert_eq!(found.exits(), [42], "{level}: {:?}", found.paths);
    }
}

/// A lane whose number is symbolic is any of them, and none beyond them.
#[test]
fn lanes_with_symbolic_numbers_are_all_followed() {
    let Some(clang) = clang() else { return };
    let text = "void klee_make_symbolic(void *, unsigned long, const char *); void abort(void);\n\
        typedef unsigned v4 __attribute__((vector_size(16))); typedef double d2 __attribute__((vector_size(16)));\n\
        int main(void) { unsigned i, j; klee_make_symbolic(&i, 4, \"i\"); klee_make_symbolic(&j, 4, \"j\"); i &= 3;\n\
        v4 a = {10, 20, 30, 40}; d2 d = {0.5, 1.5}; unsigned b[4] = {10, 20, 30, 40};\n\
        if (a[i] != b[i]) abort(); if (d[i & 1] != 0.5 + (i & 1)) abort();\n\
        a[i] = i; b[i] = i; for (int k = 0; k < 4; k++) if (a[k] != b[k]) abort();\n\
        return j > 2 ? a[j] : 9; }\n";
    let found = explore_text(&compile(clang, text, &["-O0"]), &Config::standard());
    assert_eq!(found.errors(), [ErrorKind::OutOfBounds]);
    assert!(
        found.summary.left_out.is_empty(),
        "{:?}",
        found.summary.left_out
    );
    assert!(found.exits().contains(&9));
}

/// KLEE's own functions that take an address or a number of choices.
#[test]
fn fixed_objects_and_choices_are_klees() {
    let Some(clang) = clang() else { return };
    let header = "#include <klee/klee.h>\nvoid abort(void);\n";
    let explore = |body: &str| {
        let text = format!("{header}int main(void) {{ {body} }}\n");
        explore_text(&compile(clang, &text, &["-O0"]), &Config::standard())
    };
    let found = explore(
        "int *p = (int *)0x80; klee_define_fixed_object(p, 8); p[1] = 7; int i = klee_range(0, 3, \"i\");\n\
         if (p[0] || (char *)p != (char *)128) abort(); return p[i];",
    );
    // behind the object there is nothing of the page that null pointers lie in
    assert_eq!(found.errors(), [ErrorKind::Null]);
    assert_eq!(found.exits().len(), 1);
    assert!(
        found.summary.left_out.is_empty(),
        "{:?}",
        found.summary.left_out
    );
    let found = explore(
        "unsigned long n = klee_choose(3); if (n > 2) abort(); if (n == 2) return 4; if (n == 1) return 5; return 6;",
    );
    assert_eq!(found.exits(), [4, 5, 6]);
    assert_eq!(found.errors(), []);
    let found = explore(
        "klee_define_fixed_object((void *)0x80, 8); klee_define_fixed_object((void *)0x80, 4); return 0;",
    );
    assert_eq!(found.errors(), [ErrorKind::User]);
    let found = explore("klee_define_fixed_object((void *)0x88, 8); return 0;");
    assert_eq!(found.errors(), [ErrorKind::Unsupported]);
}

/// The difference of two pointers into one object, added to a pointer to another: both addresses occur in the sum.
#[test]
fn a_pointer_plus_a_difference_of_pointers_is_in_the_object_it_points_to() {
    let Some(clang) = clang() else { return };
    let source = "#include <klee/klee.h>\nint main(void) {\n  unsigned char t, u; klee_make_symbolic(&t, 1, \"t\"); klee_assume(t < 4);\n\
        klee_make_symbolic(&u, 1, \"u\"); klee_assume(u < t + 1);\n  char a[64] = {0}, a2[64] = {0}, b[8] = \"bbbbbbb\", c[8] = \"ccccccc\";\n\
        char *q = t == 1 ? b : c, *r = t + u < 100 ? a : a2;\n  return q[(unsigned long)(a + t) - (unsigned long)r];\n}\n";
    let text = compile(clang, source, &["-O1"]);
    let found = explore_text(&text, &with_cache(CacheMode::AddressAware));
    assert_eq!(found.errors(), []);
    assert_eq!(found.exits(), [i32::from(b'b'), i32::from(b'c')]);
}

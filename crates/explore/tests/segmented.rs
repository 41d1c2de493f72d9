//! The segmented memory model against the forking one: the same errors and the same covered code on no more paths, whatever is
//! cached; bounds, lifetimes and sizes are those of the objects, not of their segment.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::{Found, clang, compile, explore_text};
use std::collections::BTreeSet;
use stet_explore::query::CacheMode;
use stet_explore::{Allocator, Config, ErrorKind, MemoryModel, Outcome};

/// What every program starts with.
const PRELUDE: &str = "\
extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long); extern void free(void *);\n\
extern void *realloc(void *, unsigned long); extern void *memmove(void *, const void *, unsigned long);\n\
extern void klee_make_symbolic(void *, unsigned long, const char *); extern void klee_assume(unsigned long);\n\
extern int klee_range(int, int, const char *); extern unsigned long klee_get_obj_size(void *);\n";

/// Kinds of errors with the line they are on, each once.
fn errors(found: &Found) -> BTreeSet<(ErrorKind, u32)> {
    let error = |end: &stet_explore::PathEnd| match &end.outcome {
        Outcome::Error(kind, _) => Some((*kind, end.stack.first().map_or(0, |place| place.line))),
        _ => None,
    };
    found.paths.iter().filter_map(error).collect()
}

/// The messages of errors of a kind.
fn messages(found: &Found, wanted: ErrorKind) -> Vec<String> {
    let message = |end: &stet_explore::PathEnd| match &end.outcome {
        Outcome::Error(kind, message) if *kind == wanted => Some(message.clone()),
        _ => None,
    };
    found.paths.iter().filter_map(message).collect()
}

fn config(memory: MemoryModel) -> Config {
    Config {
        memory,
        ..Config::standard()
    }
}

const SEGMENTED: MemoryModel = MemoryModel::Segmented { reuse: false };

/// Explores C code in both models and compares them; the segmented model in all cache modes, every hit validated. `None` without clang.
fn both(source: &str) -> Option<(Found, Found)> {
    let text = compile(clang()?, &format!("{PRELUDE}{source}"), &["-O0"]);
    let forking = explore_text(&text, &config(MemoryModel::Forking));
    let segmented = explore_text(&text, &config(SEGMENTED));
    compare(&forking, &segmented);
    for (allocator, mode, reuse) in [
        (Allocator::PerState, CacheMode::Off, true),
        (Allocator::Bump, CacheMode::Base, true),
        (Allocator::Bump, CacheMode::AddressAware, false),
    ] {
        let mut config = config(MemoryModel::Segmented { reuse });
        config.allocator = allocator;
        config.query.query_cache = mode;
        config.query.validate = true;
        let other = explore_text(&text, &config);
        let what = format!("{allocator:?} {mode:?} {reuse}");
        assert_eq!(other.shapes(), segmented.shapes(), "{what}");
        assert!(other.summary.mismatches.is_empty(), "{what}");
        compare(&forking, &other);
    }
    Some((forking, segmented))
}

fn compare(forking: &Found, segmented: &Found) {
    assert_eq!(errors(forking), errors(segmented));
    let exits = |found: &Found| found.exits().into_iter().collect::<BTreeSet<i32>>();
    assert_eq!(exits(forking), exits(segmented));
    let covered = |found: &Found| found.summary.progress.covered;
    assert_eq!(covered(forking), covered(segmented));
    assert!(forking.summary.is_complete() == segmented.summary.is_complete());
    let paths = (forking.paths.len(), segmented.paths.len());
    assert!(paths.1 <= paths.0, "{paths:?}");
}

fn solver(found: &Found) -> u64 {
    found.summary.progress.queries.solver_queries()
}

/// The program of [AAQC Figure 1], larger.
#[test]
fn matrix() {
    let Some((forking, segmented)) = both(
        "int main(void) { char **m = calloc(6, sizeof(char *)); for (int k = 0; k < 6; k++) m[k] = calloc(6, 1); m[2][3] = 7;\n\
         unsigned i = klee_range(0, 6, \"i\"), j = klee_range(0, 6, \"j\");\n\
         if (m[i][j] == 7) return 1; m[j][i] = 7; return m[3][2] == 7 ? 2 : 0; }",
    ) else {
        return;
    };
    assert!(segmented.paths.len() < forking.paths.len());
    assert!(
        solver(&segmented) <= solver(&forking),
        "{} <= {}",
        solver(&segmented),
        solver(&forking)
    );
}

/// A hash table with chains: lookups through buckets that a symbolic key chooses.
const HASH_TABLE: &str = "\
struct node { struct node *next; unsigned char key; int value; };\n\
static struct node **table;\n\
static void put(unsigned char key, int value) { struct node *n = malloc(sizeof *n); n->key = key; n->value = value;\n\
  n->next = table[key & 3]; table[key & 3] = n; }\n\
static int get(unsigned char key) { for (struct node *n = table[key & 3]; n; n = n->next) if (n->key == key) return n->value; return -1; }\n\
int main(void) { table = calloc(4, sizeof *table); for (int k = 0; k < 12; k++) put(k * 5, k + 1);\n\
  unsigned char a; klee_make_symbolic(&a, 1, \"a\"); int v = get(a); if (v < 0) return 100; if (v & 1) return 1;\n\
  if (get(a + 5) > 0) return 2; return 3; }";

#[test]
fn hash_table() {
    let Some((forking, segmented)) = both(HASH_TABLE) else {
        return;
    };
    assert!(segmented.paths.len() < forking.paths.len());
    assert!(
        solver(&segmented) <= solver(&forking),
        "{} <= {}",
        solver(&segmented),
        solver(&forking)
    );
}

/// Rows lie side by side in their segment, but what is past the end of one of them is in no object.
#[test]
fn the_end_of_an_object_inside_a_segment_is_an_end() {
    let Some((_, segmented)) = both(
        "int main(void) { char *a = malloc(5), *b = malloc(7); char *t[2] = { a, b }; unsigned i = klee_range(0, 2, \"i\");\n\
         t[i][1] = 9;\n\
         unsigned j = klee_range(0, 40, \"j\"); if (j == 20)\n\
           return a[j];\n\
         if (j == 21)\n\
           return t[i][j];\n\
         if (j < 8)\n\
           t[i][j] = 1;\n\
         return b[6]; }",
    ) else {
        return;
    };
    let found = messages(&segmented, ErrorKind::OutOfBounds);
    assert!(
        found.iter().any(|message| message.contains("of 5 bytes")),
        "{found:?}"
    );
    assert!(
        found.iter().all(|message| !message.contains("segment")),
        "{found:?}"
    );
}

#[test]
fn a_freed_object_of_a_segment_is_dead_and_the_others_are_not() {
    let Some((_, segmented)) = both(
        "int main(void) { int *t[3]; for (int k = 0; k < 3; k++) { t[k] = malloc(8); t[k][0] = 10 + k; }\n\
         unsigned i = klee_range(0, 3, \"i\"); t[i][1] = 5;\n\
         free(t[1]);\n\
         if (i != 1) { if (t[i][1] != 5) return 1; if (t[i][0] == 10) return 10; if (t[i][0] != 12) return 1; return 12; }\n\
         return t[i][0]; }",
    ) else {
        return;
    };
    assert_eq!(segmented.errors(), [ErrorKind::UseAfterFree]);
    assert!(!segmented.exits().contains(&1));
}

#[test]
fn freeing_through_a_choice_frees_one_object() {
    let Some((_, segmented)) = both(
        "int main(void) { char *t[2] = { malloc(3), malloc(4) }; unsigned i = klee_range(0, 2, \"i\"), j = klee_range(0, 2, \"j\");\n\
         t[i][0] = 1;\n\
         free(t[i]);\n\
         t[1 - i][0] = 2;\n\
         if (klee_get_obj_size(t[1 - i]) != (i ? 3 : 4)) return 9;\n\
         free(t[j]);\n\
         return 0; }",
    ) else {
        return;
    };
    assert_eq!(errors(&segmented).len(), 1);
    assert!(!segmented.exits().contains(&9));
}

#[test]
fn reallocation_keeps_what_was_written_through_a_choice() {
    let Some((_, segmented)) = both(
        "int main(void) { char *t[2] = { malloc(3), malloc(4) }; unsigned i = klee_range(0, 2, \"i\");\n\
         t[0][1] = 4; t[1][1] = 5; t[i][2] = 6;\n\
         char *p = realloc(t[0], 10); if (p[1] != 4) return 1; p[9] = 8; if ((p[2] == 6) != (i == 0)) return 2;\n\
         if (t[1][1] != 5 || (t[1][2] == 6) != (i == 1)) return 3;\n\
         return t[0] == p; }",
    ) else {
        return;
    };
    assert_eq!(
        segmented.exits().into_iter().collect::<BTreeSet<_>>(),
        BTreeSet::from([0])
    );
}

#[test]
fn copies_between_objects_that_are_merged_by_the_copy() {
    let Some((forking, segmented)) = both(
        "int main(void) { char *t[4]; for (int k = 0; k < 4; k++) { t[k] = malloc(4); for (int b = 0; b < 4; b++) t[k][b] = 4 * k + b; }\n\
         unsigned i = klee_range(0, 4, \"i\"), j = klee_range(0, 4, \"j\");\n\
         memmove(t[i], t[j], 3);\n\
         for (int k = 0; k < 4; k++) for (int b = 0; b < 4; b++)\n\
           if (t[k][b] != (k == i && b < 3 ? 4 * j + b : 4 * k + b)) return 1;\n\
         return 0; }",
    ) else {
        return;
    };
    assert_eq!(segmented.exits().iter().max(), Some(&0));
    assert!(segmented.paths.len() < forking.paths.len());
}

/// Pointers keep their addresses: what was compared before a merge compares alike after it.
#[test]
fn addresses_do_not_change() {
    let Some((_, segmented)) = both(
        "int main(void) { char *t[2] = { malloc(3), malloc(4) }; unsigned long a = (unsigned long)t[0], b = (unsigned long)t[1];\n\
         unsigned hash = (a >> 4) % 7, less = a < b; unsigned i = klee_range(0, 2, \"i\");\n\
         t[i][0] = 1;\n\
         if (((unsigned long)t[0] >> 4) % 7 != hash || (t[0] < t[1]) != less) return 1;\n\
         if (t[i] == t[1 - i]) return 2; if (t[i] - t[i] != 0 || &t[i][2] - t[i] != 2) return 3;\n\
         if (t[i] == t[0]) return 4; return 5; }",
    ) else {
        return;
    };
    assert_eq!(
        segmented.exits().into_iter().collect::<BTreeSet<_>>(),
        BTreeSet::from([4, 5])
    );
}

#[test]
fn read_only_members_stay_read_only() {
    let Some((_, segmented)) = both(
        "static const char fixed[4] = \"abc\"; static char open[4];\n\
         int main(void) { char *t[3] = { (char *)fixed, open, malloc(4) }; unsigned i = klee_range(0, 3, \"i\");\n\
         char c = t[i][1];\n\
         if (c == 'b' && i != 0) return 1;\n\
         t[i][1] = 'x';\n\
         return fixed[1] == 'b' && t[i][1] == 'x' ? 0 : 2; }",
    ) else {
        return;
    };
    assert_eq!(segmented.errors(), [ErrorKind::ReadOnly]);
    assert_eq!(segmented.exits(), [0]);
}

#[test]
fn segments_merge_again_and_null_is_still_an_error() {
    let Some((_, segmented)) = both(
        "int main(void) { int *t[6]; for (int k = 0; k < 5; k++) { t[k] = malloc(4 + 4 * k); *t[k] = k; } t[5] = 0;\n\
         unsigned i = klee_range(0, 2, \"i\"), j = klee_range(2, 4, \"j\"), k = klee_range(0, 6, \"k\");\n\
         *t[i] += 10; *t[j] += 20;\n\
         *t[k] += 40;\n\
         int s = 0; for (int n = 0; n < 5; n++) s += *t[n]; return s; }",
    ) else {
        return;
    };
    assert_eq!(segmented.errors(), [ErrorKind::Null]);
    assert_eq!(segmented.exits(), [80]);
}

/// A write at an unbounded index makes an array of the segment, and later merges keep it.
#[test]
fn arrays_in_segments() {
    let Some((_, segmented)) = both(
        "int main(void) { unsigned char *t[3] = { calloc(50, 1), calloc(50, 1), calloc(8, 1) };\n\
         unsigned i = klee_range(0, 2, \"i\"), j = klee_range(0, 50, \"j\"), k = klee_range(0, 3, \"k\");\n\
         t[i][j] = 3; t[k][7] = 5;\n\
         int n = 0; for (int o = 0; o < 2; o++) for (int b = 0; b < 50; b++) n += t[o][b] == 3;\n\
         if (n > 1) return 1; if (n == 0 && !(k == i && j == 7)) return 2;\n\
         return t[k][7] == 5 ? 0 : 3; }",
    ) else {
        return;
    };
    assert_eq!(
        segmented.exits().into_iter().collect::<BTreeSet<_>>(),
        BTreeSet::from([0])
    );
}

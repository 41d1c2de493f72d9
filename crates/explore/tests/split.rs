//! Large objects split where they are accessed at a symbolic offset: the same errors, outcomes and covered code as without, in both memory
//! models and whatever is cached; queries are about parts.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::{Found, clang, compile, explore_text};
use std::collections::BTreeSet;
use stet_explore::query::CacheMode;
use stet_explore::{Config, ErrorKind, MemoryModel, Outcome, Split};

const PRELUDE: &str = "\
extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long); extern void free(void *);\n\
extern void *memmove(void *, const void *, unsigned long); extern void *memset(void *, int, unsigned long);\n\
extern void klee_make_symbolic(void *, unsigned long, const char *); extern void klee_assume(unsigned long);\n\
extern int klee_range(int, int, const char *);\n";

const SEGMENTED: MemoryModel = MemoryModel::Segmented { reuse: false };

/// Kinds of errors with their lines, exit statuses, covered code.
type Facts = (BTreeSet<(ErrorKind, u32)>, BTreeSet<i32>, (u64, u64));

fn facts(found: &Found) -> Facts {
    let error = |end: &stet_explore::PathEnd| match &end.outcome {
        Outcome::Error(kind, _) => Some((*kind, end.stack.first().map_or(0, |place| place.line))),
        _ => None,
    };
    let errors = found.paths.iter().filter_map(error).collect();
    assert!(found.summary.is_complete());
    assert!(found.summary.mismatches.is_empty());
    (
        errors,
        found.exits().into_iter().collect(),
        found.summary.progress.covered,
    )
}

fn config(memory: MemoryModel, split: Option<(u64, u64)>) -> Config {
    let mut config = Config::standard();
    config.memory = memory;
    config.split = split.map(|(threshold, part)| Split { threshold, part });
    config.query.validate = true;
    config
}

/// Explores C code whole and with parts of two sizes, in both models and all cache modes, and compares. Gives the paths of the
/// forking model, whole and split. `None` without clang.
fn split(source: &str) -> Option<(Found, Found)> {
    let text = compile(clang()?, &format!("{PRELUDE}{source}"), &["-O0"]);
    let mut pair = None;
    for memory in [SEGMENTED, MemoryModel::Forking] {
        let whole = explore_text(&text, &config(memory, None));
        for sizes in [(100, 64), (20, 8)] {
            let mut shapes = Vec::new();
            for mode in [CacheMode::Off, CacheMode::Base, CacheMode::AddressAware] {
                let mut config = config(memory, Some(sizes));
                config.query.query_cache = mode;
                let found = explore_text(&text, &config);
                assert_eq!(
                    facts(&found),
                    facts(&whole),
                    "{memory:?} {sizes:?} {mode:?}"
                );
                shapes.push(found.shapes());
                if sizes.0 == 100 {
                    pair = Some(found);
                }
            }
            shapes.dedup();
            assert_eq!(
                shapes.len(),
                1,
                "{memory:?} {sizes:?}: the same in all modes"
            );
        }
        if memory == MemoryModel::Forking {
            return pair.map(|pair| (whole, pair));
        }
    }
    None
}

/// Two objects, of which bytes 0 to 63 and 64 to 99 can be read.
const TWO: &str = "\
int main(void) { char *t[2] = { calloc(256, 1), calloc(256, 1) };\n\
  unsigned i = klee_range(0, 2, \"i\"), j = klee_range(0, 100, \"j\");\n\
  return t[i][j] == 7; }";

#[test]
fn an_access_is_followed_into_each_part_it_can_be_in() {
    let Some((whole, split)) = split(TWO) else {
        return;
    };
    assert_eq!((whole.paths.len(), split.paths.len()), (2, 4));
}

/// The segment of both is split like an object.
#[test]
fn an_access_is_followed_into_each_part_of_a_segment() {
    let Some(clang) = clang() else { return };
    let text = compile(clang, &format!("{PRELUDE}{TWO}"), &["-O0"]);
    for (sizes, paths) in [(None, 1), (Some((100, 64)), 4), (Some((600, 64)), 1)] {
        let found = explore_text(&text, &config(SEGMENTED, sizes));
        assert_eq!(found.paths.len(), paths, "{sizes:?}");
    }
}

/// Writes at symbolic offsets, then reads of what they left, in the same part, in another one, and everywhere.
#[test]
fn what_is_written_in_parts_is_read_in_parts_and_in_the_whole() {
    let Some((whole, split)) = split(
        "static unsigned char a[200];\n\
         int main(void) { a[3] = 1; a[70] = 2; unsigned char x; klee_make_symbolic(&x, 1, \"x\"); klee_assume(x < 140);\n\
         unsigned y = klee_range(60, 70, \"y\"); a[x] = 9; a[150] = x; a[y] += 4;\n\
         if (a[150] != x) return 1;\n\
         if (y != x && a[x] != 9) return 2;\n\
         if (x == 3 && a[3] != 9) return 3;\n\
         if (x != 3 && a[3] != 1) return 4;\n\
         int n = 0; for (int k = 0; k < 150; k++) n += a[k] == 9; if (n > 1) return 5;\n\
         memmove(a + 10, a, 100); if (x == 40 && y != 50 && a[50] != 9) return 6;\n\
         return a[x] == 9 ? 10 : 11; }",
    ) else {
        return;
    };
    assert!(split.paths.len() > whole.paths.len());
    assert!(split.exits().iter().all(|&status| status >= 10));
}

/// Words at any offset cross from one part into another: the object is put together.
#[test]
fn accesses_that_cross_are_accesses_to_the_whole() {
    let Some((_, split)) = split(
        "static unsigned char a[300];\n\
         int main(void) { for (int k = 0; k < 300; k++) a[k] = k & 127; unsigned x = klee_range(0, 297, \"x\"), y = klee_range(0, 20, \"y\");\n\
         a[y] = 200;\n\
         int w = *(int *)(a + x);\n\
         if ((w & 255) != (x == y ? 200 : (x & 127))) return 1;\n\
         *(int *)(a + x) = -1;\n\
         if (a[x + 3] != 255) return 2;\n\
         if (y < x && a[y] != 200) return 3;\n\
         return 0; }",
    ) else {
        return;
    };
    assert_eq!(split.exits().iter().max(), Some(&0));
}

/// Pointers in a table stay whole, and the ends of the object are still its ends.
#[test]
fn tables_of_pointers_and_ends() {
    let Some((_, split)) = split(
        "struct s { struct s *next; int v; }; static struct s *t[40];\n\
         int main(void) { for (int k = 0; k < 40; k += 8) { t[k] = malloc(sizeof **t); t[k]->next = 0; t[k]->v = k; }\n\
         unsigned i = klee_range(0, 41, \"i\");\n\
         struct s *p = t[i];\n\
         if (!p) return 1;\n\
         if (p->v != (int)i) return 2;\n\
         free(p);\n\
         return 3; }",
    ) else {
        return;
    };
    assert_eq!(split.errors(), [ErrorKind::OutOfBounds]);
    assert!(!split.exits().contains(&2));
}

/// Bytes that were never written are so in parts, too.
#[test]
fn unwritten_bytes_of_parts() {
    let text = |source: &str| Some(compile(clang()?, &format!("{PRELUDE}{source}"), &["-O0"]));
    for (written, is_complete) in [(120, true), (90, false)] {
        let source = format!(
            "int main(void) {{ unsigned char *a = malloc(300); memset(a, 1, {written}); unsigned i = klee_range(0, 120, \"i\");\n\
             a[i] = 2;\n\
             unsigned j = klee_range(0, 120, \"j\"); return a[j] == 3; }}"
        );
        let Some(text) = text(&source) else { return };
        for sizes in [None, Some((100, 64)), Some((20, 8))] {
            for memory in [MemoryModel::Forking, SEGMENTED] {
                let found = explore_text(&text, &config(memory, sizes));
                let summary = &found.summary;
                assert_eq!(summary.is_complete(), is_complete, "{written} {sizes:?}");
                assert!(found.exits().contains(&0));
            }
        }
    }
}

/// Segments are split like objects, and members of a segment keep their own ends.
#[test]
fn segments_are_split() {
    let Some((_, split)) = split(
        "int main(void) { unsigned char *t[3] = { calloc(80, 1), calloc(90, 1), calloc(7, 1) };\n\
         unsigned i = klee_range(0, 2, \"i\"), j = klee_range(0, 80, \"j\"), k = klee_range(0, 3, \"k\");\n\
         t[i][j] = 3;\n\
         t[k][6] += 5;\n\
         if (t[i][j] != 3 && !(k == i && j == 6)) return 1;\n\
         t[k][7] = 1;\n\
         int n = 0; for (int o = 0; o < 2; o++) for (int b = 0; b < 80; b++) n += t[o][b] == 3;\n\
         return n > 1 ? 2 : 0; }",
    ) else {
        return;
    };
    // on each path that reaches it
    let mut kinds = split.errors();
    kinds.dedup();
    assert_eq!(kinds, [ErrorKind::OutOfBounds]);
    assert_eq!(split.exits().iter().max(), Some(&0));
}

/// Offsets with a negative summand, and one that wraps around, in a table with pointers: as natively, split or not.
#[test]
fn words_before_a_pointer_into_a_table() {
    let Some((whole, split)) = split(
        "struct s { struct s *p; long a, b; }; static struct s t[10];\n\
         int main(void) { for (int k = 0; k < 10; k++) { t[k].p = &t[k]; t[k].a = 100 + k; t[k].b = 1000 + k; }\n\
         unsigned char i; klee_make_symbolic(&i, 1, \"i\"); klee_assume(i >= 1 & i < 10);\n\
         struct s *q = &t[i]; if (q[-1].a != 99 + i) return 1; if (q[-1].p != &t[i - 1]) return 2;\n\
         q[-1].b = 7; if (t[i - 1].b != 7) return 3; long *e = &t[9].a; if (*(e - 3 * i) != 109 - i) return 4;\n\
         unsigned long x; klee_make_symbolic(&x, 8, \"x\"); klee_assume(24 * x == 8);\n\
         return *(long *)((char *)t + 24 * x) == 100 ? 0 : 5; }",
    ) else {
        return;
    };
    assert_eq!(whole.exits().iter().max(), Some(&0));
    assert_eq!(split.exits().iter().max(), Some(&0));
}

//! Queries that are not asked, or answered from another layout: candidates of a pointer that its byte's values rule out, and questions about bytes
//! that were never written.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::{Found, clang, compile, explore_text};
use stet_explore::query::Narrowing;
use stet_explore::{Allocator, Config, MemoryModel};

const PRELUDE: &str = "\
extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long); extern void *memset(void *, int, unsigned long);\n\
extern void klee_make_symbolic(void *, unsigned long, const char *); extern void klee_assume(unsigned long);\n\
extern int klee_range(int, int, const char *);\n";

const SEGMENTED: MemoryModel = MemoryModel::Segmented { reuse: false };

fn explored(source: &str, memory: MemoryModel, narrowing: Narrowing) -> Option<Found> {
    let text = compile(clang()?, &format!("{PRELUDE}{source}"), &["-O0"]);
    let mut config = Config::standard();
    config.memory = memory;
    config.allocator = Allocator::Bump;
    config.query.narrowing = narrowing;
    config.query.validate = true;
    let found = explore_text(&text, &config);
    assert!(found.summary.mismatches.is_empty());
    Some(found)
}

fn solver(found: &Found) -> u64 {
    found.summary.progress.queries.solver_queries()
}

/// A table too large for a choice between its words, with sixty objects in it; a byte can mean two of them, and null.
#[test]
fn impossible_objects_of_a_table_are_not_asked_about() {
    let source = "\
        struct s { int v; }; static struct s *table[1024];\n\
        static unsigned hash(unsigned char c) { unsigned h = c * 2654435761u; h ^= h >> 13; return h & 1023; }\n\
        int main(void) { for (int k = 0; k < 60; k++) { struct s *p = malloc(sizeof *p); p->v = k; table[hash(k)] = p; }\n\
          unsigned char c; klee_make_symbolic(&c, 1, \"c\"); klee_assume(c >= 58 & c < 61);\n\
          struct s *p = table[hash(c)]; if (!p) return 100;\n\
          return p->v == c ? 0 : 1; }";
    for memory in [MemoryModel::Forking, SEGMENTED] {
        let run = |narrowing| explored(source, memory, narrowing);
        let (Some(asked), Some(spared)) = (run(Narrowing::Off), run(Narrowing::Aware)) else {
            return;
        };
        assert_eq!(asked.shapes(), spared.shapes());
        assert_eq!(asked.exits(), spared.exits());
        assert!(solver(&asked) > 60, "{} are asked", solver(&asked));
        assert!(solver(&spared) < 20, "{} are left", solver(&spared));
    }
}

/// Whether unwritten bytes are met, and whether they decide something, is the same question under every layout.
#[test]
fn questions_about_unwritten_bytes_are_answered_from_other_layouts() {
    let source = |forks: u32| {
        format!(
            "struct s {{ struct s *next; int v; }};\n\
             int main(void) {{ for (int i = 0; i < {forks}; i++) {{ char c; klee_make_symbolic(&c, 1, \"fork\");\n\
               if (c) for (int k = 0; k <= i; k++) malloc(24); }}\n\
             struct s *t[4]; for (int k = 0; k < 4; k++) {{ t[k] = malloc(24); t[k]->next = 0; t[k]->v = k; }}\n\
             unsigned short i, j; klee_make_symbolic(&i, 2, \"i\"); klee_make_symbolic(&j, 2, \"j\");\n\
             klee_assume(i < 4); klee_assume(j < 300);\n\
             unsigned char *b = malloc(400); memset(b, 1, 300); b[j] = 2;\n\
             if (t[i]->next) return 1;\n\
             return b[j] == 2 ? 0 : 2; }}"
        )
    };
    for memory in [MemoryModel::Forking, SEGMENTED] {
        let run = |forks| explored(&source(forks), memory, Narrowing::Aware);
        let (Some(few), Some(many)) = (run(1), run(3)) else {
            return;
        };
        assert!(few.summary.is_complete() && many.summary.is_complete());
        assert_eq!(many.paths.len(), 4 * few.paths.len());
        assert_eq!(solver(&few), solver(&many), "{memory:?}");
    }
}

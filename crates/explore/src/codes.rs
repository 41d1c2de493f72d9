//! The diagnostic codes of the symbolic executor.

use stet_diag::Code;

/// Every code `stet explore` and `stet klee` report.
pub const CODES: &[Code] = &[
    Code {
        id: "explore/out-of-bounds",
        title: "memory access outside of any object",
        explanation: "On some path a load or store reaches bytes that belong to no live object, or runs over the end of \
            one. The report names the nearest object, its size and where it was allocated; the test case has the input.",
        example: "int a[4]; … a[n] = 1;   // n is symbolic and may be 4",
    },
    Code {
        id: "explore/null-pointer",
        title: "access through a null pointer",
        explanation: "On some path the address of a load, store or call lies in the first page of memory.",
        example: "struct node *p = find(key); p->value = 1;   // find may return NULL",
    },
    Code {
        id: "explore/use-after-free",
        title: "access to memory after its release",
        explanation: "The object was released by free, or its function has returned, before this access.",
        example: "free(p); return *p;",
    },
    Code {
        id: "explore/double-free",
        title: "memory is released twice",
        explanation: "The object was released before. The report shows where it was allocated.",
        example: "free(p); free(p);",
    },
    Code {
        id: "explore/invalid-free",
        title: "release of something that is not a heap object",
        explanation: "The argument of free or realloc is not the start of a live heap object: it points into an object, to the \
            stack or to a global.",
        example: "char *p = malloc(4); free(p + 1);",
    },
    Code {
        id: "explore/read-only",
        title: "store to constant memory",
        explanation: "The object is a constant of the program, a string literal for instance.",
        example: "char *s = \"text\"; s[0] = 'T';",
    },
    Code {
        id: "explore/division-by-zero",
        title: "division by zero",
        explanation: "The divisor of an integer division or remainder can be zero on this path.",
        example: "return total / count;   // count is symbolic",
    },
    Code {
        id: "explore/overshift",
        title: "shift by at least the width of the value",
        explanation: "The result of such a shift is undefined in C and LLVM IR.",
        example: "return 1 << n;   // n is symbolic and may be 32",
    },
    Code {
        id: "explore/assertion",
        title: "assertion fails",
        explanation: "An assert of the program is false for the input in the test case.",
        example: "assert(x * x != 49);   // x is symbolic",
    },
    Code {
        id: "explore/abort",
        title: "the program calls abort",
        explanation: "The path ends in abort or in a trap instruction.",
        example: "if (x == 7) abort();",
    },
    Code {
        id: "explore/unreachable",
        title: "code declared unreachable is reached",
        explanation: "Execution arrives at an `unreachable` instruction, for instance after a function marked noreturn returned.",
        example: "if (x > 2) __builtin_unreachable();",
    },
    Code {
        id: "explore/user",
        title: "error reported by the program itself",
        explanation: "The program called klee_report_error, or a property checked on its behalf failed.",
        example: "klee_report_error(__FILE__, __LINE__, \"bad state\", \"user.err\");",
    },
    Code {
        id: "explore/sanitizer",
        title: "a sanitizer's check fails",
        explanation: "The program was compiled with -fsanitize=undefined or similar, and a handler of that sanitizer was called.",
        example: "int y = x + 1;   // compiled with -fsanitize=signed-integer-overflow, x may be INT_MAX",
    },
    Code {
        id: "explore/panic",
        title: "a Rust program panics",
        explanation: "The message is the panic's own, with file and line: arithmetic overflow, a slice index, unwrap on None and so on.",
        example: "let v = [1, 2, 3]; v[stet::symbolic::<usize>()];",
    },
    Code {
        id: "explore/exception",
        title: "an exception leaves the program",
        explanation: "A C++ exception was thrown on this path and no handler catches it.",
        example: "int main() { throw 1; }",
    },
    Code {
        id: "explore/stack-overflow",
        title: "too many nested calls",
        explanation: "The limit on nested calls was reached (`stet klee --max-stack-frames` sets another); usually the recursion does not end.",
        example: "int f(int n) { return f(n + 1); }",
    },
    Code {
        id: "explore/unsupported",
        title: "the path needs something Stet does not have",
        explanation: "An instruction, function or situation is outside of what Stet models. The path ends here, so the run is \
            incomplete: errors behind this place are not found.",
        example: "dlopen(\"libm.so.6\", RTLD_NOW);",
    },
    Code {
        id: "explore/notice",
        title: "something about the run is worth knowing",
        explanation: "A value was fixed, a feature of the program ignored, or a limit reached. Where this can hide errors the \
            summary says that the run is incomplete and the exit code is 3.",
        example: "stet explore --time-limit 10 program.c",
    },
    Code {
        id: "explore/left-out",
        title: "part of the program's behaviour was not explored",
        explanation: "Something was fixed to one value, refused or assumed. The run is incomplete: no error was found in what was \
            explored, and nothing is claimed about the rest.",
        example: "double d; klee_make_symbolic(&d, sizeof d, \"d\"); … sin(d)",
    },
    Code {
        id: "explore/cache-mismatch",
        title: "a cached answer differs from its recomputation",
        explanation: "Found by `--check-cache` or `--validate-cache`. This is a defect of Stet: please report it with the input.",
        example: "stet explore --check-cache program.c",
    },
    Code {
        id: "explore/program",
        title: "the program cannot be explored",
        explanation: "The module has no entry function, two definitions of one symbol, modules with different data layouts, or a \
            construct that the reader accepts and the engine cannot set up.",
        example: "stet explore library.bc   # no main; use --entry",
    },
    Code {
        id: "explore/input",
        title: "the input is neither C nor LLVM IR",
        explanation: "Files are taken by their ending: .c, .cc, .cpp, .rs are compiled, .bc and .o are bitcode, .ll is text.",
        example: "stet explore notes.txt",
    },
    Code {
        id: "explore/output",
        title: "test cases cannot be written",
        explanation: "The output directory cannot be created or a file in it cannot be written.",
        example: "stet explore --output-dir /proc/x program.c",
    },
    Code {
        id: "explore/scratch",
        title: "no temporary directory",
        explanation: "Stet compiles into a temporary directory (TMPDIR) and could not create it or write to it.",
        example: "TMPDIR=/nonexistent stet explore program.c",
    },
    Code {
        id: "explore/clang",
        title: "the program does not compile",
        explanation: "The compiler's messages follow as notes.",
        example: "stet explore broken.c",
    },
    Code {
        id: "explore/tool",
        title: "a tool of LLVM failed",
        explanation: "llvm-dis or another tool that Stet runs ended with an error; its messages follow as notes.",
        example: "stet explore truncated.bc",
    },
    Code {
        id: "explore/rustc",
        title: "a Rust program does not compile",
        explanation: "Rust input is compiled by the `rustc` or `cargo` on the path; the notes are what it says.",
        example: "stet explore broken.rs",
    },
    Code {
        id: "explore/cargo",
        title: "a package cannot be explored",
        explanation: "`cargo` must be on the path, and the package needs a function marked `#[stet::explore]` or one program.",
        example: "stet explore empty-workspace/Cargo.toml",
    },
    Code {
        id: "explore/no-clang",
        title: "no C compiler",
        explanation: "C and C++ input is compiled with clang (versions 14 to 22). `stet doctor` shows what was found.",
        example: "PATH=/empty stet explore program.c",
    },
    Code {
        id: "explore/no-llvm-dis",
        title: "no reader for bitcode",
        explanation: "Bitcode is turned into text with the llvm-dis of at least its own version. `stet doctor` shows what was found.",
        example: "PATH=/empty stet explore program.bc",
    },
    Code {
        id: "explore/no-libc",
        title: "the C library is not set up",
        explanation: "Functions of the C library are explored too, as musl compiled to LLVM IR, which is built once per user.",
        example: "stet explore --libc musl program.c   # before the set-up",
    },
    Code {
        id: "explore/seed",
        title: "a seed cannot be used",
        explanation: "Seeds are tests (.ktest), or plain files where standard input or a file is symbolic.",
        example: "stet explore --seed-file input.txt program.c   # without --sym-stdin",
    },
    Code {
        id: "klee/usage",
        title: "wrong use of an option of KLEE",
        explanation: "`stet klee` takes KLEE's options; this one has a value it does not take, or lacks one.",
        example: "stet klee --search=nonsense program.bc",
    },
    Code {
        id: "replay/input",
        title: "a test case cannot be replayed",
        explanation: "The .ktest file is missing or damaged, or the program cannot be built.",
        example: "stet replay program.c missing.ktest",
    },
    Code {
        id: "explore/workers",
        title: "workers could not explore the program",
        explanation: "The server where they meet cannot be used, a setting cannot be kept by several processes, or a worker could \
            not explore its part. Nothing is claimed about the program.",
        example: "stet explore --workers redis://nowhere program.c",
    },
];

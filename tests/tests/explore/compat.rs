//! Programs compiled against glibc's headers do under exploration what they do natively: layouts and constants of the headers,
//! functions that musl has in another way, members of archives that only unoptimised IR needs.

use super::{llvm, musl, prints_as_natively};
use std::path::Path;
use std::process::Command;
use stet_tests::Sandbox;

/// `(header, expression)`: what a program and the C library must agree on. Sizes and offsets of everything that is handed over by
/// address, and numbers that are handed over by value.
const AGREED: &[(&str, &[&str])] = &[
    (
        "regex.h",
        &[
            "sizeof(regmatch_t)",
            "offsetof(regmatch_t, rm_eo)",
            "sizeof(regex_t)",
            "offsetof(regex_t, re_nsub)",
            "REG_EXTENDED",
            "REG_ICASE",
            "REG_NEWLINE",
            "REG_NOSUB",
            "REG_NOTEOL",
            "REG_NOMATCH",
            "REG_EBRACE",
        ],
    ),
    (
        "ftw.h",
        &[
            "FTW_F",
            "FTW_D",
            "FTW_DNR",
            "FTW_NS",
            "FTW_SL",
            "FTW_DP",
            "FTW_SLN",
            "FTW_PHYS",
            "FTW_DEPTH",
            "sizeof(struct FTW)",
        ],
    ),
    (
        "getopt.h",
        &["sizeof(struct option)", "offsetof(struct option, val)"],
    ),
    (
        "glob.h",
        &[
            "sizeof(glob_t)",
            "offsetof(glob_t, gl_offs)",
            "GLOB_NOSORT",
            "GLOB_NOCHECK",
            "GLOB_TILDE",
            "GLOB_NOMATCH",
        ],
    ),
    (
        "wordexp.h",
        &["sizeof(wordexp_t)", "WRDE_NOCMD", "WRDE_SYNTAX"],
    ),
    (
        "fnmatch.h",
        &["FNM_PATHNAME", "FNM_PERIOD", "FNM_CASEFOLD", "FNM_NOMATCH"],
    ),
    (
        "sys/stat.h",
        &[
            "sizeof(struct stat)",
            "offsetof(struct stat, st_size)",
            "offsetof(struct stat, st_mtim)",
            "S_IFMT",
        ],
    ),
    (
        "sys/statvfs.h",
        &[
            "sizeof(struct statvfs)",
            "offsetof(struct statvfs, f_namemax)",
        ],
    ),
    (
        "dirent.h",
        &[
            "sizeof(struct dirent)",
            "offsetof(struct dirent, d_name)",
            "DT_REG",
        ],
    ),
    (
        "time.h",
        &[
            "sizeof(struct tm)",
            "offsetof(struct tm, tm_zone)",
            "sizeof(struct timespec)",
            "CLOCK_MONOTONIC",
        ],
    ),
    (
        "locale.h",
        &[
            "sizeof(struct lconv)",
            "offsetof(struct lconv, int_p_cs_precedes)",
            "offsetof(struct lconv, negative_sign)",
            "LC_ALL",
            "LC_MESSAGES",
        ],
    ),
    (
        "langinfo.h",
        &["CODESET", "RADIXCHAR", "YESEXPR", "DAY_1", "D_T_FMT"],
    ),
    (
        "signal.h",
        &[
            "sizeof(struct sigaction)",
            "offsetof(struct sigaction, sa_flags)",
            "sizeof(sigset_t)",
            "sizeof(siginfo_t)",
            "SA_RESTART",
            "SIGUSR1",
            "SIG_BLOCK",
        ],
    ),
    ("setjmp.h", &["sizeof(jmp_buf)", "sizeof(sigjmp_buf)"]),
    (
        "pwd.h",
        &["sizeof(struct passwd)", "offsetof(struct passwd, pw_shell)"],
    ),
    (
        "grp.h",
        &["sizeof(struct group)", "offsetof(struct group, gr_mem)"],
    ),
    (
        "termios.h",
        &[
            "sizeof(struct termios)",
            "offsetof(struct termios, c_cc)",
            "TCSANOW",
            "ECHO",
            "ICANON",
        ],
    ),
    (
        "stdlib.h",
        &[
            "sizeof(div_t)",
            "sizeof(ldiv_t)",
            "EXIT_FAILURE",
            "RAND_MAX",
        ],
    ),
    ("stdio.h", &["sizeof(fpos_t)", "SEEK_END", "_IOLBF", "EOF"]),
    ("wchar.h", &["sizeof(mbstate_t)", "sizeof(wint_t)", "WEOF"]),
    (
        "pthread.h",
        &[
            "sizeof(pthread_mutex_t)",
            "sizeof(pthread_cond_t)",
            "sizeof(pthread_attr_t)",
            "sizeof(pthread_rwlock_t)",
            "PTHREAD_MUTEX_RECURSIVE",
        ],
    ),
    ("poll.h", &["sizeof(struct pollfd)", "POLLIN", "POLLHUP"]),
    (
        "netdb.h",
        &[
            "sizeof(struct addrinfo)",
            "offsetof(struct addrinfo, ai_canonname)",
            "sizeof(struct hostent)",
        ],
    ),
    (
        "sys/socket.h",
        &[
            "sizeof(struct sockaddr_storage)",
            "sizeof(struct msghdr)",
            "SOCK_STREAM",
            "SOL_SOCKET",
        ],
    ),
    ("fenv.h", &["sizeof(fenv_t)", "FE_TOWARDZERO", "FE_INEXACT"]),
    (
        "search.h",
        &["sizeof(ENTRY)", "sizeof(struct hsearch_data)"],
    ),
    (
        "unistd.h",
        &[
            "_SC_PAGESIZE",
            "_SC_OPEN_MAX",
            "_PC_PATH_MAX",
            "F_OK",
            "STDERR_FILENO",
        ],
    ),
    (
        "fcntl.h",
        &[
            "sizeof(struct flock)",
            "O_CREAT",
            "O_APPEND",
            "O_DIRECTORY",
            "F_SETLK",
            "AT_FDCWD",
        ],
    ),
    ("errno.h", &["EINTR", "EOVERFLOW", "EILSEQ", "ENOTSUP"]),
];

fn constants() -> String {
    let mut text = "#define _GNU_SOURCE\n#include <stddef.h>\n".to_owned();
    for (header, _) in AGREED {
        text += &format!("#include <{header}>\n");
    }
    let expressions = AGREED.iter().flat_map(|(_, list)| *list);
    for (number, expression) in expressions.enumerate() {
        text += &format!("const long long constant{number} = (long long)({expression});\n");
    }
    text
}

/// The values of the constants, compiled with one set of headers.
fn values(clang: &str, source: &Path, flags: &[&str]) -> Vec<String> {
    let output = Command::new(clang)
        .args(["-S", "-emit-llvm", "-w", "-o", "-"])
        .args(flags)
        .arg(source)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("@constant"));
    lines
        .map(|line| line.split("i64 ").nth(1).unwrap_or(line))
        .map(|value| value.split(',').next().unwrap_or(value).to_owned())
        .collect()
}

#[test]
fn headers_of_the_library_agree_with_glibcs() {
    let (Some(runtime), Some(suffix)) = (musl::runtime(), llvm()) else {
        return;
    };
    let sandbox = Sandbox::new().file("constants.c", constants());
    let (clang, source) = (format!("clang{suffix}"), sandbox.path("constants.c"));
    let theirs = values(&clang, &source, &["--target=x86_64-linux-gnu"]);
    let include = format!("{runtime}/include");
    let musl = [
        "--target=x86_64-linux-musl",
        "-nostdlibinc",
        "-isystem",
        &include,
    ];
    let ours = values(&clang, &source, &musl);
    let expressions: Vec<&str> = AGREED.iter().flat_map(|(_, list)| *list).copied().collect();
    assert_eq!(theirs.len(), expressions.len());
    assert_eq!(ours.len(), expressions.len());
    for ((expression, theirs), ours) in expressions.iter().zip(&theirs).zip(&ours) {
        assert_eq!(theirs, ours, "{expression}: glibc's and the library's");
    }
}

const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
static int by_tens(const void *a, const void *b) { return *(const int *)a / 10 - *(const int *)b / 10; }
static int option(int key, char *arg, struct argp_state *state) {
  if (key == 'n') printf("n=%s\n", arg);
  else if (key == ARGP_KEY_ARG) printf("operand %u %s\n", state->arg_num, arg);
  else if (key != ARGP_KEY_END) return ARGP_ERR_UNKNOWN;
  return 0;
}
static int visit(const char *path, const struct stat *status, int kind, struct FTW *place) {
  printf("%s is %s\n", path, kind == FTW_D ? "a folder" : "something else");
  return 1;
}
int main(void) {
  regex_t r;
  regmatch_t m[3];
  int guard = 77;
  printf("%d %d\n", regcomp(&r, "\\<(a+)|\\w(b*)c$", REG_EXTENDED), (int)r.re_nsub);
  printf("%d", regexec(&r, "xx abbc", 3, m, 0));
  for (int i = 0; i < 3; i++) printf(" %d-%d", m[i].rm_so, m[i].rm_eo);
  char message[40];
  regerror(regcomp(&r, "a**\\(", 0), &r, message, sizeof message);
  printf(" %d %s\n", guard, message);
  struct re_pattern_buffer buffer = { 0 };
  struct re_registers registers = { 0 };
  re_set_syntax(RE_SYNTAX_EGREP);
  puts(re_compile_pattern("b(.)", 4, &buffer) ? "bad" : "good");
  printf("%d %d\n", re_search(&buffer, "a\0bzb", 5, 0, 5, &registers), registers.end[1]);
  char *words[] = { "p", "x", "-n3", "y", "--num", 0 };
  struct option longs[] = { { "number", 1, 0, 'n' }, { 0 } };
  for (int c; (c = getopt_long(5, words, "n:", longs, 0)) != -1;) printf("%c %d\n", c, optind);
  printf("%d %s %s\n", optind, words[3], words[4]);
  struct argp_option options[] = { { "number", 'n', "N", 0, "a number" }, { 0 } };
  struct argp argp = { options, option, "FILE", "A program" };
  char *more[] = { "q", "one", "-n", "4", "--number=5", 0 };
  printf("%d\n", argp_parse(&argp, 5, more, 0, 0, 0));
  int numbers[] = { 31, 12, 35, 11, 22, 33 };
  qsort(numbers, 6, sizeof *numbers, by_tens);
  for (int i = 0; i < 6; i++) printf("%d ", numbers[i]);
  printf("%d %d\n", rand(), rand());
  const char *texts[] = { "", "x", " +", "0x", "-0x1Fg", "077", "99999999999999999999", "-9223372036854775808", "-1", "0b1" };
  for (int i = 0; i < 10; i++) {
    char *signed_end, *unsigned_end;
    errno = 0;
    long signed_value = strtol(texts[i], &signed_end, 0);
    unsigned long value = strtoul(texts[i], &unsigned_end, 16);
    printf("%s: %ld %d %lu %d %d\n", texts[i], signed_value, (int)(signed_end - texts[i]), value, (int)(unsigned_end - texts[i]), errno);
  }
  char unknown[24], slashes[] = "/a/b//";
  extern char *__xpg_basename(char *);
  printf("%s, %s, ", strerror_r(EXDEV, unknown, sizeof unknown), strerror_r(9999, unknown, sizeof unknown));
  printf("%s, <%s>, %s, %d\n", strerror(107), basename("/a/b/"), __xpg_basename(slashes), strverscmp("a010", "a0"));
  struct statx status;
  printf("statx %d %o %x\n", statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS, &status), status.stx_mode & S_IFMT, status.stx_mask & 0x7ff);
  srand(42);
  printf("%d\n", nftw("/", visit, 4, FTW_PHYS) + rand() % 1000);
  return 3;
}
"#;

/// The native run is the oracle.
#[test]
fn a_program_built_against_glibc_prints_what_it_prints_natively() {
    let Some(runtime) = musl::runtime() else {
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.c", PROGRAM)
        .variable("STET_RUNTIME", &runtime);
    let built = sandbox.run(&["cc", "-g", "-O2", "p.c", "-o", "p"]);
    assert_eq!(built.code, Some(0), "{built:?}");
    let native = Command::new(sandbox.path("p")).output().unwrap();
    assert_eq!(native.status.code(), Some(3));
    let native = String::from_utf8(native.stdout).unwrap();
    let explored = sandbox.run(&["explore", "p", "--program-output", "--cache", "off"]);
    assert!(explored.stdout.contains("0 findings"), "{explored:?}");
    for line in native.lines() {
        assert!(
            explored.stdout.lines().any(|other| other == line),
            "{line}\n{explored:?}"
        );
    }
}

/// The generator of `scripts/compat-oracle`, in the interpreter: scanf, printf, numbers, times, addresses and words.
#[test]
fn functions_of_the_library_answer_as_natively() {
    let Some(runtime) = musl::runtime() else {
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.c", include_str!("../../../fuzz/compat/library.c"))
        .variable("STET_RUNTIME", &runtime);
    let built = sandbox.run(&["cc", "-w", "-O1", "p.c", "-o", "p"]);
    assert_eq!(built.code, Some(0), "{built:?}");
    let native = Command::new(sandbox.path("p"))
        .args(["400", "3"])
        .output()
        .unwrap();
    let explored = sandbox.run(&[
        "explore",
        "p",
        "--program-output",
        "--cache",
        "off",
        "--",
        "400",
        "3",
    ]);
    assert!(explored.stdout.contains("0 findings"), "{explored:?}");
    let mut compared = 0;
    let bytes = |text: &str| text.trim_end().to_owned();
    let answers: std::collections::HashSet<String> = explored.stdout.lines().map(bytes).collect();
    for line in String::from_utf8_lossy(&native.stdout).lines().map(bytes) {
        assert!(answers.contains(&line), "{line}");
        compared += 1;
    }
    assert!(compared >= 400, "{compared} answers");
}

/// Headers that musl does not have are the system's, and what they declare is there.
#[test]
fn a_source_with_headers_of_glibc_is_explored() {
    let program = include_str!("programs/glibc.c");
    let Some(runtime) = musl::runtime() else {
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.c", program)
        .variable("STET_RUNTIME", &runtime);
    let options = ["explore", "p.c", "--program-output", "--format", "json"];
    let outcome = sandbox.run(&[options.as_slice(), &["--", "--number=5", "-n6"]].concat());
    assert!(
        outcome.stderr.contains(
            "1143
0 No such file or directory
"
        ),
        "{outcome:?}"
    );
    let result = &outcome.json()["result"];
    assert_eq!(result["findings"], 0, "{outcome:?}");
    let sandbox = sandbox.file(
        "q.c",
        "#include <not_there.h>
",
    );
    let outcome = sandbox.run(&["explore", "q.c"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stdout.contains("'not_there.h' file not found"),
        "{outcome:?}"
    );
}

/// With optimisation, glibc's headers read characters from the inside of its streams, which are made otherwise here.
#[test]
fn headers_of_glibc_bring_no_inline_functions() {
    let program = "#include <error.h>\n#include <stdio.h>\nint main(void) {\n  int c, n = 0;\n  while ((c = getchar_unlocked()) != EOF) n += c == 'x';\n  \
        putchar_unlocked('0' + n);\n  return n;\n}\n";
    let Some(runtime) = musl::runtime() else {
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.c", program)
        .variable("STET_RUNTIME", &runtime);
    for level in ["0", "1", "2"] {
        let outcome = sandbox.run(&["explore", "p.c", "--opt-level", level]);
        // where the empty standard input is read: by the program's own call
        assert!(outcome.stdout.contains("in main at p.c:5"), "{outcome:?}");
        assert!(!outcome.stdout.contains("bits/stdio.h"), "{outcome:?}");
    }
}

#[test]
fn functions_that_only_glibc_has_answer_as_natively() {
    let Some(runtime) = musl::runtime() else {
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.c", include_str!("programs/legacy.c"))
        .variable("STET_RUNTIME", &runtime);
    prints_as_natively(&sandbox, "p.c", ("gcc", &[]), 12);
}

/// The native compiler puts `twice` in line, so the linker takes no member for it; unoptimised IR calls it.
#[test]
fn members_of_archives_that_only_the_ir_needs_are_found() {
    let Some(runtime) = musl::runtime() else {
        return;
    };
    let header = "#ifndef OWN\n#define OWN inline\n#endif\nint thrice(int x);\nOWN int twice(int x) { return thrice(x) - x; }\n";
    let sandbox = Sandbox::new()
        .file("twice.h", header)
        .file(
            "twice.c",
            "#define OWN extern inline\n#include \"twice.h\"\n",
        )
        .file("thrice.c", "int thrice(int x) { return 3 * x; }\n")
        .file(
            "main.c",
            "#include \"twice.h\"\nint main(void) { return twice(21) != 42; }\n",
        )
        .variable("STET_RUNTIME", &runtime);
    for name in ["twice", "thrice", "main"] {
        let source = format!("{name}.c");
        let outcome = sandbox.run(&["cc", "-std=gnu11", "-O2", "-c", &source]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }
    let archive = Command::new("ar")
        .args(["rcs", "libown.a", "twice.o", "thrice.o"])
        .current_dir(sandbox.path("."))
        .status();
    assert!(archive.unwrap().success());
    let linked = sandbox.run(&["cc", "main.o", "-L.", "-lown", "-o", "p"]);
    assert_eq!(linked.code, Some(0), "{linked:?}");
    let explored = sandbox.run(&["explore", "p", "--cache", "off"]);
    assert_eq!(explored.code, Some(0), "{explored:?}");
}

/// Libraries as libtool and hand-written make files build them: of objects, of sources, found by `-l` and by name.
#[test]
fn code_of_shared_libraries_is_explored() {
    let Some(runtime) = musl::runtime() else {
        return;
    };
    let sandbox = Sandbox::new()
        .file("one.c", "int two(int x);\nstatic int start;\n__attribute__((constructor)) static void begin(void) { start = 1; }\nint one(int x) { return two(x) + start; }\n")
        .file("other.c", "int other(int x) { return 2 * x; }\n")
        .file("two.c", "int other(int x);\nint two(int x) { return other(x) - 3; }\n")
        .file("main.c", "#include <unistd.h>\nint one(int x);\nint main(void) { unsigned char c; if (read(0, &c, 1) < 1) return 9; if (one(c) == 40) return 1; return 0; }\n")
        .variable("STET_RUNTIME", &runtime);
    let steps: [&[&str]; 6] = [
        &["cc", "-fPIC", "-c", "two.c", "-o", "two.o"],
        &["cc", "-fPIC", "-c", "other.c", "-o", "other.o"],
        &["cc", "-shared", "other.o", "two.o", "-o", "libtwo.so.1"],
        &["cc", "-shared", "-fPIC", "one.c", "-o", "libone.so"],
        &["cc", "-c", "main.c"],
        &[
            "cc",
            "main.o",
            "-L.",
            "-lone",
            "./libtwo.so.1",
            "-Wl,-rpath,.",
            "-o",
            "p",
        ],
    ];
    for step in steps {
        let outcome = sandbox.run(step);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert!(!outcome.stderr.contains("no IR"), "{outcome:?}");
    }
    let explored = sandbox.run(&[
        "explore",
        "p",
        "--sym-stdin",
        "1",
        "--output-dir",
        "out",
        "--cache",
        "off",
    ]);
    assert_eq!(explored.code, Some(0), "{explored:?}");
    assert!(
        explored.stdout.contains("all paths explored"),
        "{explored:?}"
    );
    let exits = std::fs::read_to_string(sandbox.path("out/exits.txt")).unwrap();
    assert!(exits.lines().any(|line| line.ends_with(" 1")), "{exits}");
}

/// A short version of the campaign in `make fuzz`: options, argp, sorting, random numbers and regular expressions beside glibc.
#[test]
fn functions_written_here_agree_with_glibc() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/compat-oracle");
    let output = Command::new(script).args(["3000", "7"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("3000 patterns, 0 other errors"), "{text}");
}

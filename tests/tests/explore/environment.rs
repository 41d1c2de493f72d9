//! The modelled environment of explored programs: symbolic arguments, streams and files, folders, pipes, signals.

use super::musl::runtime;
use stet_tests::{Outcome, Sandbox};

/// Explores a program with options; its exit paths are told apart by what it prints.
fn explore(program: &str, options: &[&str]) -> Option<Outcome> {
    let sandbox = Sandbox::new()
        .file("p.c", program)
        .file("root/etc/greeting", "hello\n")
        .variable("STET_RUNTIME", &runtime()?);
    let mut arguments = vec!["explore", "p.c", "--program-output", "--format", "concise"];
    arguments.extend(options);
    Some(sandbox.run(&arguments))
}

fn count(outcome: &Outcome, line: &str) -> usize {
    outcome.stdout.lines().filter(|l| *l == line).count()
}

#[test]
fn symbolic_arguments_take_every_number_and_text() {
    let program = r#"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  if (argc == 1) { puts("none"); return 0; }
  if (!strcmp(argv[1], "ab")) { puts("ab"); return 0; }
  puts(argc == 3 ? "two" : "one");
  return 0;
}
"#;
    let Some(outcome) = explore(program, &["--sym-args", "0", "2", "2"]) else {
        return;
    };
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(count(&outcome, "none"), 1);
    assert_eq!(count(&outcome, "ab"), 2, "with one argument and with two");
    assert!(count(&outcome, "one") >= 1 && count(&outcome, "two") >= 1);
}

#[test]
fn arguments_of_the_program_stay_its_own() {
    let program = r#"
#include <stdio.h>
int main(int argc, char **argv) { for (int i = 1; i < argc; i++) puts(argv[i]); return 0; }
"#;
    let options = ["--", "--sym-arg", "3", "-x", "y"];
    let Some(outcome) = explore(program, &options) else {
        return;
    };
    assert_eq!(
        outcome.stdout.lines().take(4).collect::<Vec<_>>(),
        options[1..]
    );
}

#[test]
fn symbolic_input_files_and_variables() {
    let program = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
  char c = 0;
  if (read(0, &c, 1) == 1 && c == 'i') puts("input");
  int fd = open("data", O_RDONLY);
  if (fd < 0 || lseek(fd, 2, SEEK_SET) != 2 || read(fd, &c, 1) != 1 || read(fd, &c, 1) != 0) return 1;
  if (c == 'f') puts("file");
  const char *v = getenv("MODE");
  if (v && v[0] == 'v') puts("variable");
  return 0;
}
"#;
    let options = [
        "--sym-stdin",
        "1",
        "--sym-file",
        "data=3",
        "--sym-env",
        "MODE=1",
    ];
    let Some(outcome) = explore(program, &options) else {
        return;
    };
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for line in ["input", "file", "variable"] {
        assert_eq!(count(&outcome, line), 4, "{line}: {outcome:?}");
    }
}

#[test]
fn signals_run_their_handlers_and_masks_hold_them_back() {
    let program = r#"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static volatile int seen;
static sigjmp_buf back;
static void handler(int n) { seen += n; }
static void jumps(int n) { siglongjmp(back, n); }
int main(void) {
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  if (seen != SIGUSR1) return 1;
  sigset_t set, old;
  sigemptyset(&set); sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, &old);
  raise(SIGUSR1);
  if (seen != SIGUSR1) return 2;
  sigprocmask(SIG_SETMASK, &old, 0);
  if (seen != 2 * SIGUSR1) return 3;
  signal(SIGUSR2, jumps);
  static volatile int times;
  int n = sigsetjmp(back, 1);
  if (n && n != SIGUSR2) return 4;
  if (++times < 3) raise(SIGUSR2);
  puts("handled");
  raise(SIGTERM);
  return 5;
}
"#;
    let Some(outcome) = explore(program, &[]) else {
        return;
    };
    assert_eq!(count(&outcome, "handled"), 1, "{outcome:?}");
    assert_eq!(
        outcome.code,
        Some(0),
        "SIGTERM ends the program: {outcome:?}"
    );
}

#[test]
fn folders_pipes_and_the_root() {
    let program = r#"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
  char b[16] = {0};
  int ends[2];
  if (pipe(ends) || write(ends[1], "abc", 3) != 3 || close(ends[1])) return 1;
  if (read(ends[0], b, 9) != 3 || read(ends[0], b, 9) != 0) return 2;
  if (mkdir("/tmp/d", 0777) || symlink("/tmp/d", "/tmp/l")) return 3;
  FILE *f = fopen("/tmp/l/x", "w+");
  if (!f || fputs("text", f) < 0 || fclose(f)) return 4;
  struct stat s;
  if (stat("/tmp/d/x", &s) || s.st_size != 4 || !S_ISREG(s.st_mode)) return 5;
  DIR *d = opendir("/tmp/d");
  int entries = 0;
  while (readdir(d)) entries++;
  if (entries != 3 || rmdir("/tmp/d") != -1 || errno != ENOTEMPTY) return 6;
  if (unlink("/tmp/d/x") || rmdir("/tmp/d") || open("/tmp/d/x", O_RDONLY) != -1 || errno != ENOENT) return 7;
  int fd = open("/etc/../etc/greeting", O_RDONLY);
  if (fd < 0 || fstat(fd, &s) || s.st_size != 6) return 8;
  char *text = mmap(0, 6, PROT_READ, MAP_PRIVATE, fd, 0);
  if (text == MAP_FAILED || memcmp(text, "hello\n", 6)) return 9;
  puts("all well");
  return 0;
}
"#;
    let Some(outcome) = explore(program, &["--root", "root"]) else {
        return;
    };
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(count(&outcome, "all well"), 1, "{outcome:?}");
}

#[test]
fn what_is_not_modelled_is_named() {
    let exec = "#include <unistd.h>\nint main(void) { execl(\"/bin/true\", \"true\", (char *)0); return 0; }\n";
    let Some(outcome) = explore(exec, &[]) else {
        return;
    };
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(
        outcome.stdout.contains("exec: the program is replaced"),
        "{outcome:?}"
    );
    let reads = "#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n";
    let Some(outcome) = explore(reads, &[]) else {
        return;
    };
    assert!(
        outcome
            .stdout
            .contains("standard input is read and is empty"),
        "{outcome:?}"
    );
}

/// Rounding modes and exceptions of floating-point operations: told where they decide, and nowhere else.
#[test]
fn the_floating_point_environment_is_told() {
    let inner = [
        (
            "fesetround(FE_UPWARD); return 1.0 / x > 0.4;",
            "round to the nearest",
        ),
        (
            "double y = 1.0 / (x - 3); return fetestexcept(FE_DIVBYZERO) && y > 1;",
            "are not recorded",
        ),
        (
            "return fesetround(FE_TONEAREST) || fegetround() != FE_TONEAREST || nearbyint(x) != 3;",
            "",
        ),
        (
            "feclearexcept(FE_ALL_EXCEPT); feraiseexcept(FE_INVALID); return !fetestexcept(FE_INVALID);",
            "",
        ),
        (
            "fenv_t e; feholdexcept(&e); feupdateenv(&e); return fetestexcept(FE_OVERFLOW) & 0;",
            "",
        ),
    ];
    for (body, left_out) in inner {
        let program = format!(
            "#include <fenv.h>\n#include <math.h>\nint main(void) {{ volatile double x = 3; {body} }}\n"
        );
        let Some(outcome) = explore(&program, &[]) else {
            return;
        };
        let code = if left_out.is_empty() { 0 } else { 3 };
        assert_eq!(outcome.code, Some(code), "{body}: {outcome:?}");
        assert!(outcome.stdout.contains(left_out), "{body}: {outcome:?}");
    }
}

#[test]
fn failures_are_injected_on_request() {
    let program = r#"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  char c;
  int fd = open("A", O_RDONLY);
  if (fd < 0) return 1;
  puts(read(fd, &c, 1) < 0 ? "read failed" : "read");
  puts(close(fd) < 0 ? "close failed" : "closed");
  return 0;
}
"#;
    let Some(outcome) = explore(program, &["--sym-files", "1", "4", "--max-fail", "1"]) else {
        return;
    };
    assert_eq!(count(&outcome, "read failed"), 1, "{outcome:?}");
    assert_eq!(count(&outcome, "close failed"), 1, "{outcome:?}");
    assert_eq!(count(&outcome, "closed"), 2, "{outcome:?}");
}

/// As a native replay: the folder holds the given files only, and nothing that lies in `/` is found under a relative name.
#[test]
fn a_program_starts_in_a_folder_of_its_own() {
    let program = r#"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int entries = 0;
  DIR *here = opendir(".");
  while (here && readdir(here)) entries++;
  if (entries != 3) return 1; /* with . and .. */
  if (open("A", O_RDONLY) < 0 || open("dev", O_RDONLY) >= 0) return 2;
  if (open("/dev/null", O_RDONLY) < 0 || open("../../tmp", O_RDONLY) < 0) return 3;
  if (!strcmp(argv[1], "dev") && open(argv[1], O_RDONLY) >= 0) return 4;
  if (argv[1][0] == '/' && argv[1][1] == 'h' && open(argv[1], O_RDONLY) >= 0) return 5;
  puts("as in a replay");
  return 0;
}
"#;
    let options = ["--sym-arg", "5", "--sym-files", "1", "1"];
    let Some(outcome) = explore(program, &options) else {
        return;
    };
    let ends = count(&outcome, "as in a replay");
    assert!(ends > 1, "{outcome:?}");
    let said = format!("{ends} paths ({ends} normal");
    assert!(outcome.stdout.contains(&said), "{outcome:?}");
    let failed = outcome.stdout.contains("returned");
    assert!(!failed, "{outcome:?}");
}

#[test]
fn the_locale_is_that_of_the_settings() {
    let program = r#"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  const char *name = setlocale(LC_ALL, "");
  printf("%s %d\n", name ? name : "refused", (int)MB_CUR_MAX);
  return 0;
}
"#;
    for (options, line, code) in [
        (&[][..], "C 1", 0),
        (&["--env", "LANG=C.UTF-8"], "C.UTF-8;C;C;C;C;C 4", 0),
        (
            &["--env", "LC_ALL=POSIX", "--env", "LANG=C.UTF-8"],
            "C 1",
            0,
        ),
        (&["--env", "LANG=de_DE"], "refused 1", 3),
        (&["--env", "LC_CTYPE=de_DE.utf8"], "C.UTF-8;C;C;C;C;C 4", 3),
    ] {
        let Some(outcome) = explore(program, options) else {
            return;
        };
        assert_eq!(count(&outcome, line), 1, "{options:?}: {outcome:?}");
        assert_eq!(outcome.code, Some(code), "{options:?}: {outcome:?}");
    }
}

#[test]
fn output_of_a_symbolic_size_takes_every_size() {
    let program = r#"
#include <unistd.h>
int main(int argc, char **argv) {
  unsigned n = (unsigned char)argv[1][0] & 3;
  if (write(1, "abc", n) != (int)n) return 1;
  return n == 2 ? *(volatile char *)0 : 0;
}
"#;
    let Some(outcome) = explore(program, &["--sym-arg", "1"]) else {
        return;
    };
    assert_eq!(outcome.code, Some(1), "the error at size 2: {outcome:?}");
    assert!(!outcome.stdout.contains("left out"), "{outcome:?}");
}

/// What multiple-precision libraries and `cpuid.h` contain, beside the same in C.
#[test]
fn assembly_with_words_means_what_it_means() {
    let program = r#"
#include <stdio.h>
#include <stdlib.h>
#include <cpuid.h>
typedef unsigned long word;
typedef unsigned __int128 wide;
static void check(int number, int good) { if (!good) { printf("wrong %d\n", number); abort(); } }
int main(int argc, char **argv) {
  word a = 0xfedcba9876543210, b = 0x123456789abcdef0 ^ (unsigned char)argv[1][0], high, low;
  wide x = ((wide)a << 64) | b, y = ((wide)b << 64) | a, z;
  __asm__("addq %5,%q1\n\tadcq %3,%q0" : "=r"(high), "=&r"(low) : "0"(a), "rme"(b), "%1"(b), "rme"(a));
  z = x + y; check(1, high == (word)(z >> 64) && low == (word)z);
  __asm__("subq %5,%q1\n\tsbbq %3,%q0" : "=r"(high), "=&r"(low) : "0"(a), "rme"(b), "1"(b), "rme"(a));
  z = x - y; check(2, high == (word)(z >> 64) && low == (word)z);
  __asm__("mulq %3" : "=a"(low), "=d"(high) : "%0"(a), "rm"(b));
  z = (wide)a * b; check(3, high == (word)(z >> 64) && low == (word)z);
  word quotient, rest;
  __asm__("divq %4" : "=a"(quotient), "=d"(rest) : "0"(a), "1"(7ul), "rm"(1000ul));
  z = ((wide)7 << 64) | a; check(4, quotient == (word)(z / 1000) && rest == (word)(z % 1000));
  word place;
  int bit;
  __asm__("bsf\t%1, %q0" : "=r"(bit) : "r"(b << 5)); check(5, bit == __builtin_ctzl(b << 5));
  __asm__("bsrq\t%1, %0" : "=r"(place) : "rm"(b)); check(6, place == (word)(63 - __builtin_clzl(b)));
  if (argc > 2) { unsigned p, q, r, s; check(7, !__get_cpuid(1, &p, &q, &r, &s)); }
  puts("all well");
  return 0;
}
"#;
    let Some(outcome) = explore(program, &["--sym-arg", "1"]) else {
        return;
    };
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(!outcome.stdout.contains("wrong"), "{outcome:?}");
    let Some(outcome) = explore(program, &["--", "x", "y"]) else {
        return;
    };
    assert_eq!(
        outcome.code,
        Some(3),
        "the processor is assumed: {outcome:?}"
    );
    assert_eq!(count(&outcome, "all well"), 1, "{outcome:?}");
}

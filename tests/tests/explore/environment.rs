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

//! What another machine would answer otherwise: a number of the environment makes a run incomplete where it decides something, and
//! only there; what the model answers is what the platform answers.

use super::musl::runtime;
use stet_fuzz::explore::claims::clang;
use stet_fuzz::explore::library::{Tools, one};
use stet_tests::{Outcome, Sandbox, stet_binary};

const HEADER: &str = "#define _GNU_SOURCE\n#include <dirent.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <fnmatch.h>\n#include <math.h>\n#include <poll.h>\n#include <stdio.h>\n\
    #include <stdlib.h>\n#include <string.h>\n#include <sys/ioctl.h>\n#include <sys/mman.h>\n#include <sys/prctl.h>\n#include <sys/resource.h>\n\
    #include <sys/stat.h>\n#include <sys/statvfs.h>\n#include <sys/xattr.h>\n#include <unistd.h>\n#include <wchar.h>\n";

/// Explores a function with a body, whose result is the status of the program or, if it is checked, should be zero; files are made by
/// the program.
fn explore(body: &str, is_checked: bool) -> Option<Outcome> {
    let main = match is_checked {
        true => "if (f()) abort(); return 0;",
        false => "return f();",
    };
    let program = format!(
        "{HEADER}static int f(void) {{ struct stat m; struct winsize w; {body} }}\nint main(void) {{ {main} }}\n"
    );
    let sandbox = Sandbox::new()
        .file("p.c", &program)
        .variable("STET_RUNTIME", &runtime()?);
    let options = ["explore", "p.c", "--root", ".", "--cflag=-w"];
    Some(sandbox.run(&options))
}

/// Each of these is true on some machine and false on another one.
#[test]
fn numbers_of_the_machine_are_told_where_they_decide() {
    let cases = [
        (
            "stat(\".\", &m); return m.st_nlink == 2;",
            "links of folders",
        ),
        (
            "stat(\".\", &m); return m.st_size > 100;",
            "sizes and numbers of links of folders",
        ),
        (
            "close(creat(\"t\", 0600)); stat(\"t\", &m); return m.st_mtime % 2;",
            "times of files",
        ),
        (
            "close(creat(\"t\", 0600)); stat(\"t\", &m); return m.st_uid == 0;",
            "owners of files",
        ),
        (
            "close(creat(\"t\", 0600)); stat(\"t\", &m); if (m.st_blocks > 4) abort(); return 0;",
            "blocks",
        ),
        (
            "fstat(1, &m); if (S_ISREG(m.st_mode)) abort(); return 0;",
            "terminals",
        ),
        ("return isatty(1);", "terminals"),
        ("return isatty(0);", "empty pipe"),
        (
            "ioctl(1, TIOCGWINSZ, &w); if (w.ws_col == 132) abort(); return 0;",
            "24 lines",
        ),
        (
            "struct statvfs f; statvfs(\".\", &f); return f.f_blocks == 7;",
            "file systems",
        ),
        ("return umask(0) == 077;", "mask of new files"),
        (
            "close(creat(\"t\", 0)); return open(\"t\", O_RDONLY) >= 0;",
            "its user",
        ),
        ("return setuid(0) == 0;", "its user"),
        ("return chown(\".\", 0, 0) == 0;", "its user"),
        (
            "return mmap(0, 3UL << 30, 1, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;",
            "1 GiB",
        ),
        (
            "char *p = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); mprotect(p, 4096, PROT_READ); p[0] = 1; return 0;",
            "protection",
        ),
        (
            "struct rlimit r = { 3, 3 }; setrlimit(RLIMIT_NOFILE, &r); return 0;",
            "limits",
        ),
        ("return prctl(PR_SET_NAME, \"a\") != 0;", "prctl"),
        (
            "return getpriority(PRIO_PROCESS, 0);",
            "numbers of the process",
        ),
        (
            "return getxattr(\".\", \"user.a\", 0, 0) < 0 && errno == ENOTSUP;",
            "extended attributes",
        ),
        (
            "mkdir(\"d\", 0700); close(creat(\"d/a\", 0600)); close(creat(\"d/b\", 0600)); DIR *d = opendir(\"d\"); return readdir(d)->d_name[0] == 'a';",
            "one order",
        ),
    ];
    for (body, told) in cases {
        let Some(outcome) = explore(body, false) else {
            return;
        };
        assert_eq!(outcome.code, Some(3), "{body}: {outcome:?}");
        assert!(outcome.stdout.contains(told), "{body}: {outcome:?}");
    }
}

/// The same numbers, where they decide nothing; and answers that are the platform's.
#[test]
fn what_decides_nothing_leaves_a_run_complete() {
    let cases = [
        "close(creat(\"t\", 0640)); struct stat n; stat(\"t\", &n); m = n; return m.st_size != 0 || (m.st_mode & 0777) != 0640;",
        "struct timespec t[2] = { { 5, 0 }, { 6, 7 } }; close(creat(\"t\", 0600)); utimensat(AT_FDCWD, \"t\", t, 0); stat(\"t\", &m); \
            return m.st_mtime != 6 || m.st_mtim.tv_nsec != 7 || m.st_atime != 5;",
        "close(creat(\"t\", 0600)); struct stat n; stat(\"t\", &m); stat(\"t\", &n); return m.st_mtime != n.st_mtime || m.st_uid != n.st_uid;",
        "close(creat(\"t\", 0600)); link(\"t\", \"u\"); link(\"t\", \"u\"); stat(\"u\", &m); return m.st_nlink != 2 || link(\".\", \"v\") == 0 || errno != EPERM;",
        "mkdir(\"d\", 0700); close(creat(\"d/a\", 0600)); DIR *d = opendir(\"d\"); for (struct dirent *e; (e = readdir(d));) \
            if (e->d_type != (e->d_name[0] == '.' ? DT_DIR : DT_REG)) return 1; return 0;",
        "mkdir(\"d\", 0700); return rename(\"d\", \"d/e\") == 0 || errno != EINVAL;",
        "printf(\"%d\\n\", 5); return 0;",
        "errno = 0; char *e; strtod(\"x\", &e); strtold(\"+\", &e); return errno;",
        "double d = 0; char c = 0; return sscanf(\"1e+z\", \"%lf%c\", &d, &c) != 2 || d != 1 || c != 'z';",
        "errno = 0; int n; sscanf(\"x\", \"%d\", &n); return errno;",
        "volatile double x = 2; errno = 0; return sqrt(x) < 1 || errno;",
        "volatile double x = -1; errno = 0; double y = sqrt(x); return errno != EDOM || y == y;",
        "volatile double x = 0, z = 1000; errno = 0; log(x); if (errno != ERANGE) return 1; errno = 0; exp(z); return errno != ERANGE;",
        "volatile double x = 2; volatile long double z = -1; errno = 0; acos(x); if (errno != EDOM) return 1; errno = 0; logl(z); return errno != EDOM;",
        "volatile double x = 5, z = 0; errno = 0; fmod(x, z); if (errno != EDOM) return 1; errno = 0; return fmod(x, 3) != 2 || errno;",
        "wchar_t t[4]; errno = 0; if (btowc(0x81) != WEOF || mbstowcs(t, \"a\\x81\", 4) != (size_t)-1 || errno != EILSEQ) return 1; \
            return wctob(0xdf81) != EOF || mblen(\"\\x81\", 1) != -1 || fnmatch(\"?\", \"\\x81\", 0);",
        "char c[16]; return snprintf(c, 16, \"%Id %Ld %qx\", 5, 6LL, 255LL) != 6 || strcmp(c, \"5 6 ff\");",
        "int p[2]; pipe(p); struct pollfd l = { p[0], POLLIN | POLLOUT, 0 }; write(p[1], \"a\", 1); return poll(&l, 1, 0) != 1 || l.revents != POLLIN;",
        "return ioctl(9, FIOCLEX) != -1 || errno != EBADF;",
    ];
    for body in cases {
        let Some(outcome) = explore(body, true) else {
            return;
        };
        assert_eq!(outcome.code, Some(0), "{body}: {outcome:?}");
    }
}

/// A mapping is unmapped in parts: what is left can be used.
#[test]
fn parts_of_mappings_are_unmapped_one_by_one() {
    let Some(outcome) = explore(
        "char *p = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(p, 4096); p[5000] = 1; munmap(p + 4096, 4096); return 0;",
        false,
    ) else {
        return;
    };
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(outcome.stdout.contains("0 errors"), "{outcome:?}");
    let body = "char *p = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(p, 8192); return p[5000];";
    let outcome = explore(body, false).expect("the library is there");
    assert!(outcome.stdout.contains("use-after-free"), "{outcome:?}");
}

/// Compilers make intrinsics of mathematical functions where `errno` does not matter.
#[test]
fn mathematical_intrinsics_have_values() {
    let program = r#"
declare double @llvm.acos.f64(double)
declare double @llvm.atan2.f64(double, double)
declare double @llvm.cosh.f64(double)
declare void @abort()
define i32 @main() {
  %a = call double @llvm.acos.f64(double 1.0)
  %b = call double @llvm.atan2.f64(double %a, double 1.0)
  %c = call double @llvm.cosh.f64(double %b)
  %is.one = fcmp oeq double %c, 1.0
  br i1 %is.one, label %good, label %bad
bad:
  call void @abort()
  unreachable
good:
  ret i32 0
}
"#;
    let outcome = Sandbox::new()
        .file("p.ll", program)
        .run(&["explore", "p.ll"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
}

/// The short version of `fuzz-explore-library`.
#[test]
fn random_programs_with_the_c_library_end_as_native_ones() {
    let (Some(clang), Some(runtime)) = (clang(), runtime()) else {
        stet_testkit::skip("clang");
        return;
    };
    let tools = Tools {
        stet: stet_binary().to_owned(),
        clang: clang.to_owned(),
        runtime: Some(runtime.into()),
    };
    let (mut claims, mut tests) = (0, 0);
    for seed in 1..=16 {
        let verdict = one(&tools, seed).expect("a program compiles and runs");
        assert_eq!(verdict.wrong, Vec::<String>::new());
        claims += verdict.claims;
        tests += verdict.tests;
    }
    assert!(claims >= 4, "only {claims} claims");
    assert!(tests >= 50, "only {tests} tests");
}

/// Root's replays run as somebody who can do no harm.
#[test]
fn a_replay_by_root_has_no_rights() {
    let Some(runtime) = runtime() else {
        return;
    };
    let program = "#include <unistd.h>\n#include <klee/klee.h>\n\
        int main(void) { char c; klee_make_symbolic(&c, 1, \"c\"); return geteuid() == 0 ? 7 : 0; }\n";
    let sandbox = Sandbox::new()
        .file("p.c", program)
        .variable("STET_RUNTIME", &runtime);
    sandbox.run(&["explore", "p.c", "--output-dir", "out"]);
    let test = "out/test000001.ktest";
    let is_root = effective_user() == 0;
    let outcome = sandbox.run(&["replay", "--plain", "p.c", test]);
    assert!(outcome.stdout.contains("exit status 0"), "{outcome:?}");
    assert_eq!(outcome.stderr.contains("nobody"), is_root, "{outcome:?}");
    let outcome = sandbox.run(&["replay", "--plain", "--as-root", "p.c", test]);
    let expected = if is_root {
        "exit status 7"
    } else {
        "exit status 0"
    };
    assert!(outcome.stdout.contains(expected), "{outcome:?}");
}

/// The folder above the working directory is one like /tmp for the model, and for a replay.
#[test]
fn the_folder_above_a_replay_is_the_models() {
    let Some(runtime) = runtime() else {
        return;
    };
    let program = "#include <sys/stat.h>\n#include <unistd.h>\n#include <klee/klee.h>\n\
        int main(void) { char c; klee_make_symbolic(&c, 1, \"c\"); struct stat m; stat(\"..\", &m);\n\
        if (c == 1) return (m.st_mode & 01777) == 01777; return access(\"..\", W_OK) == 0 ? 2 : 3; }\n";
    let sandbox = Sandbox::new()
        .file("p.c", program)
        .variable("STET_RUNTIME", &runtime);
    let explored = sandbox.run(&["explore", "p.c", "--output-dir", "out"]);
    assert!(explored.stdout.contains("2 normal"), "{explored:?}");
    let outcome = sandbox.run(&["replay", "--plain", "p.c", "out"]);
    let counts = "2 tests ended as predicted, 0 otherwise";
    assert!(outcome.stdout.contains(counts), "{outcome:?}");
}

/// The effective user: the owner of this process's folder.
fn effective_user() -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self")
        .expect("/proc is there")
        .uid()
}

/// Local time needs the zone, which is a file: that is told, unless the environment names one. Nothing is symbolic, so no solver is asked.
#[test]
fn the_time_zone_is_told_and_asks_no_solver() {
    let Some(runtime) = runtime() else {
        return;
    };
    let program = "#include <time.h>\nint main(void) {\n  time_t t = 1700000000;\n  return localtime(&t)->tm_hour != 22;\n}\n";
    let sandbox = Sandbox::new()
        .file("p.c", program)
        .variable("STET_RUNTIME", &runtime);
    for (options, code, is_told) in [
        (["--env", "A=b"], 3, true),
        (["--env", "TZ=UTC0"], 0, false),
    ] {
        let arguments = ["explore", "p.c", "--format", "json"];
        let outcome = sandbox.run(&[arguments.as_slice(), &options].concat());
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
        assert_eq!(outcome.stdout.contains("the time zone is UTC"), is_told);
        let queries = &outcome.json()["statistics"]["queries"];
        assert_eq!(queries["solver-queries"], 0, "{queries}");
    }
}

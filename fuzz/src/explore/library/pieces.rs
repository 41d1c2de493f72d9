//! Pieces of C that use the C library or the system, each of which defines an integer.
//!
//! In a piece `$v` is the variable it defines, `$a` and `$b` are integer expressions of any value, and `s` is the input text (at most
//! three characters); `S(n)` is a number from 0 to 199 and `N(n)` one from -100 to 99. Before
//! a fault of the program `GUARD` is true natively and in optimised code, because optimisers use that faults do not happen.

/// What every program starts with.
pub(super) const PRELUDE: &str = r#"#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
extern void klee_make_symbolic(void *, size_t, const char *);
#define S(n) ((int)((unsigned)(n) % 200u))
#define N(n) (S(n) - 100)
static double clamp(double v) { return v >= -120.0 && v <= 120.0 ? v : 0.0; }
/* An optimiser may compute the outcome without a branch: one path for each outcome all the same. */
static int __attribute__((noinline, optnone)) leave(int r) { for (int k = 0; k < 128; k++) if (r == k) return k; return r; }
static volatile sig_atomic_t seen;
static void on_signal(int number) { seen += number; }
static void on_detail(int number, siginfo_t *info, void *context) { seen += number + (info != 0); }
static int by_number(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static int by_last_digit(const void *a, const void *b) { return *(const int *)a % 10 - *(const int *)b % 10; }
static int by_letter(const void *a, const void *b) { return tolower(*(const unsigned char *)a) - tolower(*(const unsigned char *)b); }
static int format(char *out, size_t n, const char *f, ...) { va_list l; va_start(l, f); int r = vsnprintf(out, n, f, l); va_end(l); return r; }
static void *add_five(void *p) { *(int *)p += 5; return (char *)p + 1; }
static jmp_buf place;
static void leave_early(int n) { if (n > 50) longjmp(place, n); }
static int left; static void at_end(void) { if (left) _exit(left); }
static int visited; static void visit(const void *node, VISIT order, int depth) { if (order == postorder || order == leaf) visited = visited * 7 + **(int *const *)node; }
"#;

pub(super) const TEXTS: &[&str] = &[
    "int $v = (int)strlen(s) * 3 + (s[0] == '-');",
    "int $v = strcmp(s, \"1a\") > 0;",
    "int $v = (strncmp(s, \"-x\", S($a) % 3) == 0) + 2 * (strcasecmp(s, \"Ab\") < 0);",
    "int $v; { char *p = strchr(s, 'a' + S($a) % 4); $v = p ? (int)(p - s) : -1; }",
    "int $v; { char *p = strrchr(s, s[0]); $v = (int)(p - s); }",
    "int $v; { char *p = strstr(s, S($a) & 1 ? \"a\" : \"--\"); $v = p ? (int)strlen(p) : 77; }",
    "int $v = (int)(strspn(s, \"0123456789\") * 5 + strcspn(s, \"x,;\"));",
    "int $v; { char *p = strpbrk(s, \" \\t=\"); $v = p ? *p : 0; }",
    "int $v = 0; { char c[8]; strcpy(c, s); for (char *p = strtok(c, \",:\"); p; p = strtok(0, \",:\")) $v = $v * 4 + (int)strlen(p); }",
    "int $v = 0; { char c[8], *p = c, *q; strcpy(c, s); while ((q = strsep(&p, \" ,\"))) $v += 1 + (*q == 'a'); }",
    "int $v; { char *p = strdup(s); $v = p[0] + (int)strlen(p); free(p); }",
    "int $v; { char *p = strndup(s, S($a) % 4); $v = (int)strlen(p); free(p); }",
    "int $v; { char c[8]; memset(c, 'z', 8); strncpy(c, s, 1 + S($a) % 6); $v = c[2] + c[5]; }",
    "int $v; { char c[16] = \"ab\"; strcat(c, s); strncat(c, \"xyz\", S($b) % 4); $v = (int)strlen(c) + c[3]; }",
    "int $v; { char c[8]; $v = (int)(stpcpy(c, s) - c); }",
    "int $v; { char *p = memchr(s, 'b', 3); $v = p ? (int)(p - s) : 9; }",
    "int $v; { char *p = memmem(s, strlen(s), \"a1\", 2); $v = p != 0; }",
    "int $v = memcmp(s, \"aaa\", 1 + S($a) % 3) < 0;",
    "int $v = !!isalpha((unsigned char)s[0]) + 2 * !!isdigit((unsigned char)s[0]) + 4 * !!isspace((unsigned char)s[0]) + 8 * !!ispunct((unsigned char)s[0]);",
    "int $v = !!isxdigit((unsigned char)s[0]) + 2 * !!isprint((unsigned char)s[0]) + 4 * !!iscntrl((unsigned char)s[0]) + 8 * !!isgraph((unsigned char)s[0]) + 16 * !!isblank((unsigned char)s[0]);",
    "int $v = toupper((unsigned char)s[0]) * 2 - tolower((unsigned char)s[0]);",
    "int $v = (strcoll(s, \"b\") < 0) + 2 * (strverscmp(s, \"10\") < 0);",
    "int $v; { char c[8]; $v = (int)strxfrm(c, s, 8); }",
    "int $v = (int)strlen(strerror(S($a) % 40));",
    "int $v = strsignal(1 + S($a) % 20)[0];",
    "int $v; { char c[8]; strcpy(c, s); char *p = basename(c); $v = p[0]; }",
    "int $v; { char c[16] = \"a/\"; strcat(c, s); $v = (int)strlen(dirname(c)); }",
    "int $v = fnmatch(\"[a-c]*\", s, 0) + 2 * fnmatch(\"?1\", s, 0) + 4 * fnmatch(\"*.\", s, FNM_PERIOD);",
    "int $v; { regex_t r; regmatch_t m[2]; $v = regcomp(&r, \"(a|b)+[0-9]\", REG_EXTENDED) ? -1 : regexec(&r, s, 2, m, 0) ? 5 : (int)(m[0].rm_so * 9 + m[1].rm_eo); regfree(&r); }",
    "int $v; { wchar_t w[8]; $v = (int)mbstowcs(w, s, 8); if ($v > 0) $v = w[0] + (int)wcslen(w); }",
    "int $v; { wchar_t w; mbstate_t m = { 0 }; $v = (int)mbrtowc(&w, s, 3, &m); }",
    "int $v = btowc((unsigned char)s[0]) + (iswalpha(btowc((unsigned char)s[0])) != 0);",
    "int $v = wctob(S($a)) + (int)wcstol(L\"12x\", 0, 10);",
    "int $v; { char *m[] = { \"p\", s, \"-b\", \"q\", 0 }; optind = 1; opterr = 0; $v = getopt(4, m, \"ab:c\") * 10 + optind; }",
    "int $v; { char c[8] = \"--\", *m[] = { \"p\", c, 0 }; strcat(c, s); struct option o[] = { { \"all\", 0, 0, 'a' }, { \"a1\", 1, 0, 'b' }, { 0 } }; optind = 1; opterr = 0; $v = getopt_long(2, m, \"x\", o, 0); }",
    "int $v; { char *p = s, *words[] = { \"ro\", \"a\", 0 }, *value; char c[8]; strcpy(c, p); p = c; $v = getsubopt(&p, words, &value); }",
];

pub(super) const NUMBERS: &[&str] = &[
    "int $v = atoi(s) * 2 + (int)atol(s);",
    "int $v; { char *e; errno = 0; long n = strtol(s, &e, S($a) % 37); $v = (int)(n % 1000) + (int)(e - s) * 7 + (errno != 0) * 100; }",
    "int $v; { char *e; errno = 0; long n = strtol(s, &e, 0); $v = (int)n + (int)(e - s) * 3 + errno; }",
    "int $v; { char c[32] = \"922337203685477580\", *e; strcat(c, s); errno = 0; long n = strtol(c, &e, 10); $v = (errno == ERANGE) + 2 * (n == LONG_MAX) + 4 * (int)(e - c); }",
    "int $v; { char *e; errno = 0; unsigned long n = strtoul(s, &e, 16); $v = (int)(n & 0xffff) + (int)(e - s) + errno; }",
    "int $v; { char *e; errno = 0; double d = strtod(s, &e); $v = (int)clamp(d * 4) + (int)(e - s) * 9 + errno * 3; }",
    "int $v; { char *e; errno = 0; float d = strtof(s, &e); $v = (int)clamp(d) + (int)(e - s) * 9 + errno; }",
    "int $v; { char *e; errno = 0; long double d = strtold(s, &e); $v = (int)clamp((double)d) + (int)(e - s) * 9 + errno; }",
    "int $v; { char c[16] = \"0x1\", *e; strcat(c, s); double d = strtod(c, &e); $v = (int)clamp(d) + (int)(e - c) * 5; }",
    "int $v; { char c[16] = \"1e\", *e; strcat(c, s); errno = 0; double d = strtod(c, &e); $v = (int)clamp(d) + (int)(e - c) * 5 + errno; }",
    "int $v; { char c[16] = \"na\", *e; strcat(c, s); double d = strtod(c, &e); $v = (d != d) + (int)(e - c) * 5; }",
    "int $v = (int)clamp(atof(s));",
    "int $v; { int n = -7; $v = sscanf(s, \"%d\", &n) * 1000 + n; }",
    "int $v; { int n = -7, m = 3; $v = sscanf(s, \"%1d%d\", &n, &m) * 1000 + n * 10 + m; }",
    "int $v; { int n = -7; $v = sscanf(s, \"%i\", &n) * 1000 + n % 100; }",
    "int $v; { unsigned n = 7; int k = 0; $v = sscanf(s, \"%x%n\", &n, &k) * 1000 + (int)(n & 255) + k; }",
    "int $v; { char c[8] = \"qq\"; $v = sscanf(s, \"%2s\", c) * 500 + c[0]; }",
    "int $v; { char c[8] = \"qq\"; $v = sscanf(s, \"%[a-c1]\", c) * 500 + c[0] + c[1]; }",
    "int $v; { char c[8] = \"qq\"; $v = sscanf(s, \"%[^,]\", c) * 500 + c[0]; }",
    "int $v; { char c = 'q', d = 'q'; $v = sscanf(s, \"%c %c\", &c, &d) * 500 + c + d; }",
    "int $v; { int n = 5; $v = sscanf(s, \"a%d\", &n) * 100 + n; }",
    "int $v; { int n = 5; $v = sscanf(s, \"%*d,%d\", &n) * 100 + n; }",
    "int $v; { double d = 5; $v = sscanf(s, \"%lf\", &d) * 500 + (int)clamp(d); }",
    "int $v; { float d = 5; $v = sscanf(s, \"%f\", &d) * 500 + (int)clamp(d); }",
    "int $v; { signed char n = 5; $v = sscanf(s, \"%hhd\", &n) * 500 + n; }",
    "int $v; { div_t d = div(N($a), 7); ldiv_t l = ldiv(N($b), 5); $v = d.quot * 10 + d.rem + (int)l.rem + abs(N($a)); }",
    "int $v; { srand(S($a)); $v = rand() % 50 + rand() % 7; }",
    "int $v; { srandom(S($a)); $v = (int)(random() % 60); }",
    "int $v; { unsigned k = 7; $v = rand_r(&k) % 60; }",
    "int $v; { srand48(S($a)); $v = (int)(lrand48() % 60); }",
    "int $v = ffs(S($a)) + ffsl(S($b));",
    "int $v = (int)floor(sqrt(S($a))) + (int)cbrt(8.0 * S($b) + 0.5);",
    "int $v = (int)(sin(S($a) / 16.0) * 100) + (int)(pow(1.5, S($b) % 8) * 4);",
    "int $v = (int)lround(N($a) / 2.0) + (int)rint(N($b) / 2.0) + (int)nearbyint(N($a) / 4.0);",
    "int $v = (int)(fmod(N($a), 7.5) * 2) + (int)(remainder(N($b), 9.0) * 2);",
    "int $v; { int e; double m = frexp(N($a), &e); $v = e + (int)(m * 8) + (int)ldexp(1.5, S($b) % 9); }",
    "int $v; { double i; $v = (int)(modf(N($a) / 8.0, &i) * 8) + (int)i; }",
    "int $v = (int)hypot(S($a), 12) + (int)(atan2(N($a), 3) * 20) + (int)(log2(S($b) + 1) * 4);",
    "int $v = (int)(exp(N($a) / 40.0) * 4) + (int)(log(S($b) + 1.0) * 10) + ilogb(S($a) + 1.0);",
    "int $v = (int)fmax(N($a), N($b)) - (int)fmin(3.5, N($a)) + (int)fdim(N($b), 4);",
];

pub(super) const FORMATS: &[&str] = &[
    "int $v; { char c[32]; $v = snprintf(c, 32, \"%d|%5d|%-4d|\", N($a), N($b), N($a)); $v += c[1] + c[5]; }",
    "int $v; { char c[32]; $v = snprintf(c, 32, \"%05d%+d% d\", N($a), N($b), S($a)); $v += c[1] + c[4]; }",
    "int $v; { char c[32]; $v = snprintf(c, 32, \"%x %#x %o %X\", S($a), S($b), S($a), N($b)); $v += c[0] + c[3]; }",
    "int $v; { char c[32]; $v = snprintf(c, 1 + S($a) % 5, \"%s-%s\", s, s); $v = $v * 100 + (int)strlen(c) + c[0]; }",
    "int $v; { char c[32]; $v = snprintf(c, 32, \"%.2s|%6s|%-3s\", s, s, s); $v += c[1] + c[4]; }",
    "int $v; { char c[32]; $v = snprintf(c, 32, \"%*d|%-*d|%.*d\", S($a) % 6, 7, S($b) % 6, 8, S($a) % 4, N($b)); $v += c[2]; }",
    "int $v; { char c[64]; $v = snprintf(c, 64, \"%.2f %6.1f %g\", N($a) / 8.0, N($b) / 3.0, S($a) / 4.0); $v += c[1] + c[3]; }",
    "int $v; { char c[64]; $v = snprintf(c, 64, \"%e %.0f %G\", N($a) / 8.0, N($b) / 2.0, S($a) * 1e5); $v += c[0] + c[4]; }",
    "int $v; { char c[64]; $v = snprintf(c, 64, \"%a %Lf\", S($a) / 8.0, (long double)N($b)); $v += c[0] + c[3]; }",
    "int $v; { char c[32]; $v = snprintf(c, 32, \"%ld %lld %hhd %hd\", (long)N($a), (long long)N($b), S($a), S($b)); $v += c[2]; }",
    "int $v; { char c[32]; $v = snprintf(c, 32, \"%zu %jd %td\", (size_t)S($a), (intmax_t)N($b), (ptrdiff_t)3); $v += c[1]; }",
    "int $v; { char c[32]; int n = 0; $v = snprintf(c, 32, \"%c%c%n%%\", S($a), 'b', &n) + n + c[0]; }",
    "int $v; { char c[32]; $v = snprintf(c, 32, \"%2$d %1$s\", s, N($a)) + c[0]; }",
    "int $v; { char *p = 0; $v = asprintf(&p, \"%s=%d\", s, N($a)); $v = $v * 3 + p[0]; free(p); }",
    "int $v; { char c[16]; $v = format(c, 16, \"%d:%s\", N($a), s) + c[1]; }",
    "int $v = snprintf(0, 0, \"%d%s\", N($a), s);",
    "int $v = printf(\"%d %s\\n\", N($a), s);",
    "int $v = fprintf(stderr, \"%s:%c\", s, 'a');",
    "int $v = puts(s) >= 0; $v += putchar(S($a)) + fputs(s, stdout) * 0;",
    "int $v; { char c[32]; $v = sprintf(c, \"%s%i\", s, N($a)) + c[0]; }",
    "int $v; { char c[32]; $v = snprintf(c, 32, \"%s\", (char *)(S($a) > 100 ? \"(null)\" : \"x\")) + c[0]; }",
    "int $v; { wchar_t w[16]; $v = swprintf(w, 16, L\"%d-%ls\", N($a), L\"ab\") + w[0]; }",
    "int $v; { char c[32]; $v = snprintf(c, 32, \"%#o %#.3g %+.1e\", S($a), S($b) / 4.0, N($a) * 1.0) + c[1]; }",
    "int $v; { time_t t = 86400L * S($a) * 20; struct tm *m = gmtime(&t); char c[32]; $v = (int)strftime(c, 32, \"%Y-%m-%d %a %j\", m) + c[3] + c[6] + c[11]; }",
    "int $v; { struct tm m = { .tm_year = 70 + S($a), .tm_mon = S($b) % 14, .tm_mday = 31 }; time_t t = timegm(&m); $v = m.tm_mon * 40 + m.tm_mday + m.tm_wday + (int)(t / 86400 % 50); }",
    "int $v; { struct tm m = { 0 }; char c[16]; sprintf(c, \"%d-0%d\", 1970 + S($a), 1 + S($b) % 9); char *e = strptime(c, \"%Y-%m\", &m); $v = e ? m.tm_year + m.tm_mon : -1; }",
    "int $v; { time_t t = 3600L * S($a) * 50; struct tm m; localtime_r(&t, &m); $v = m.tm_hour + m.tm_mday * 2; }",
    "int $v = localeconv()->decimal_point[0] + setlocale(LC_ALL, 0)[0] + MB_CUR_MAX;",
];
pub(super) const FILES: &[&str] = &[
    "int $v; { FILE *f = fopen(\"t\", \"w+\"); fputs(s, f); fprintf(f, \"%d\\n\", N($a)); rewind(f); char c[32] = \"\"; $v = fgets(c, 32, f) ? (int)strlen(c) + c[0] : -1; $v += feof(f) != 0; fclose(f); }",
    "int $v; { FILE *f = tmpfile(); fwrite(s, 1, strlen(s), f); fseek(f, S($a) % 3, SEEK_SET); int c = fgetc(f); $v = c + (int)ftell(f) * 300 + 7 * !!feof(f); fclose(f); }",
    "int $v; { FILE *f = fopen(\"missing\", \"r\"); $v = f ? 1 : errno; }",
    "int $v; { FILE *f = fopen(\"t\", \"a+\"); fputc('q', f); fputs(s, f); fseek(f, 0, SEEK_END); $v = (int)ftell(f); ungetc('z', f); $v = $v * 200 + fgetc(f); fclose(f); }",
    "int $v; { FILE *f = fopen(\"t\", \"w\"); setvbuf(f, 0, S($a) & 1 ? _IONBF : _IOFBF, 8); for (int i = 0; i < 12; i++) fputc('a' + i, f); fflush(f); struct stat m; $v = stat(\"t\", &m) ? -1 : (int)m.st_size; fclose(f); }",
    "int $v; { FILE *f = fopen(\"t\", \"w+\"); fputs(s, f); fputs(\" 12\", f); rewind(f); int n = 0; char c[8] = \"\"; $v = fscanf(f, \"%3s%d\", c, &n) * 100 + n + c[0]; fclose(f); }",
    "int $v; { FILE *f = fopen(\"t\", \"w+\"); fprintf(f, \"%s\\nab\\n\", s); rewind(f); char *p = 0; size_t n = 0; $v = (int)getline(&p, &n, f); $v = $v * 50 + (int)getdelim(&p, &n, 'b', f); free(p); fclose(f); }",
    "int $v; { char c[8] = \"abcdefg\"; FILE *f = fmemopen(c, 7, \"r+\"); fputs(s, f); fflush(f); $v = c[0] + c[2] + (int)ftell(f); fclose(f); }",
    "int $v; { char *p = 0; size_t n = 0; FILE *f = open_memstream(&p, &n); fprintf(f, \"%s%d\", s, N($a)); fclose(f); $v = (int)n * 3 + p[0]; free(p); }",
    "int $v; { int f = open(\"t\", O_CREAT | O_RDWR | O_TRUNC, 0644); $v = (int)write(f, s, strlen(s)); $v = $v * 10 + (int)lseek(f, -1, SEEK_END); char c = 0; $v = $v * 10 + (int)read(f, &c, 1) + c; close(f); }",
    "int $v; { int f = open(\"t\", O_CREAT | O_RDWR, 0600); char c[4] = \"\"; pwrite(f, s, 3, S($a) % 5); $v = (int)pread(f, c, 4, 1) * 300 + c[1] + (int)lseek(f, 0, SEEK_CUR); close(f); }",
    "int $v; { int f = open(\"t\", O_RDONLY); $v = f < 0 ? errno : 0; f = open(\"t\", O_CREAT | O_EXCL | O_WRONLY, 0600); $v += open(\"t\", O_CREAT | O_EXCL, 0600) < 0 ? errno * 3 : 0; $v += read(f, &f, 1) < 0 ? errno * 7 : 0; close(f); }",
    "int $v; { int p[2]; pipe(p); write(p[1], s, strlen(s)); close(p[1]); char c[8]; $v = (int)read(p[0], c, 2) * 3; $v += (int)read(p[0], c, 8); $v += (int)read(p[0], c, 8) == 0; close(p[0]); }",
    "int $v; { int p[2]; pipe(p); close(p[0]); signal(SIGPIPE, SIG_IGN); $v = write(p[1], s, 1) < 0 ? errno : 0; close(p[1]); signal(SIGPIPE, SIG_DFL); }",
    "int $v; { int p[2]; pipe(p); int q = dup(p[1]); dup2(q, 9); write(9, s, 2); $v = q - p[1]; struct pollfd l = { p[0], POLLIN | POLLOUT, 0 }; $v += poll(&l, 1, 0) * 10 + l.revents; close(q); close(9); close(p[0]); close(p[1]); }",
    "int $v; { int p[2]; pipe(p); fd_set r; FD_ZERO(&r); FD_SET(p[0], &r); struct timeval t = { 0, 0 }; $v = select(p[0] + 1, &r, 0, 0, &t); write(p[1], s, 1); FD_SET(p[0], &r); $v += 2 * select(p[0] + 1, &r, 0, 0, &t); close(p[0]); close(p[1]); }",
    "int $v; { struct stat m; $v = stat(\"none\", &m) ? errno : 0; $v += mkdir(\"d\", 0755) * 5; $v += stat(\"d\", &m) ? 0 : S_ISDIR(m.st_mode) * 20 + (m.st_mode & 0777) % 50; $v += mkdir(\"d\", 0755) ? errno : 0; $v += rmdir(\"d\") ? 100 : 0; }",
    "int $v; { mkdir(\"d\", 0700); close(creat(\"d/t\", 0640)); $v = rmdir(\"d\") ? errno : 0; $v += rename(\"d/t\", \"u\") ? errno : 200; $v += access(\"d/t\", F_OK) ? errno : 0; $v += unlink(\"u\") ? errno : 7; $v += unlink(\"u\") ? errno : 0; rmdir(\"d\"); }",
    "int $v; { symlink(\"t\", \"l\"); char c[8] = \"\"; struct stat m; $v = (int)readlink(\"l\", c, 8) + c[0]; $v += stat(\"l\", &m) ? errno : 0; $v += lstat(\"l\", &m) ? 0 : S_ISLNK(m.st_mode) * 11 + (int)m.st_size; }",
    "int $v; { close(creat(\"t\", 0644)); $v = link(\"t\", \"u\") ? errno : 0; $v += link(\"t\", \"u\") ? errno : 0; struct stat m; stat(\"u\", &m); $v = $v * 4 + (int)m.st_nlink; }",
    "int $v = 0; { mkdir(\"d\", 0755); close(creat(\"d/t\", 0644)); DIR *d = opendir(\"d\"); for (struct dirent *e; (e = readdir(d));) $v += e->d_name[0] == '.' ? 3 : e->d_name[0] + e->d_type; closedir(d); }",
    "int $v; { int f = open(\"t\", O_CREAT | O_RDWR, 0644); ftruncate(f, S($a) % 9); struct stat m; fstat(f, &m); $v = (int)m.st_size * 3; $v += ftruncate(f, -1) ? errno : 0; $v += S_ISREG(m.st_mode); close(f); $v += truncate(\"t\", 2); }",
    "int $v; { int f = open(\"t\", O_CREAT | O_RDWR, 0644); write(f, s, 3); char *p = mmap(0, 4096, PROT_READ, MAP_PRIVATE, f, 0); $v = p == MAP_FAILED ? -1 : p[0] + p[100]; if (p != MAP_FAILED) munmap(p, 4096); close(f); }",
    "int $v; { char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); p[5000] = s[0]; munmap(p, 4096); $v = p[5000] + p[5001]; munmap(p + 4096, 4096); }",
    "int $v; { struct iovec l[2] = { { s, 1 }, { \"xyz\", 3 } }; int f = open(\"t\", O_CREAT | O_RDWR, 0644); $v = (int)writev(f, l, 2); char c[8] = \"\", d[4] = \"\"; l[0].iov_base = c; l[0].iov_len = 2; l[1].iov_base = d; lseek(f, 0, SEEK_SET); $v = $v * 10 + (int)readv(f, l, 2) + c[1] + d[1]; close(f); }",
    "int $v; { $v = close(77) ? errno : 0; $v += lseek(1, 0, SEEK_SET) < 0 ? errno * 2 : 0; $v += read(77, &$v, 0) < 0 ? errno : 0; $v += fcntl(77, F_GETFD) < 0 ? errno : 0; }",
    "int $v; { int f = open(\"t\", O_CREAT | O_RDWR | O_APPEND, 0644); $v = (fcntl(f, F_GETFL) & (O_ACCMODE | O_APPEND)) + fcntl(f, F_GETFD); fcntl(f, F_SETFD, FD_CLOEXEC); $v += fcntl(f, F_GETFD) * 3; int g = fcntl(f, F_DUPFD, 20); $v += g; close(g); close(f); }",
    "int $v; { int f = open(\"t\", O_CREAT | O_RDWR | O_APPEND, 0644); write(f, \"abc\", 3); lseek(f, 0, SEEK_SET); write(f, s, 1); $v = (int)lseek(f, 0, SEEK_CUR); close(f); FILE *g = fopen(\"t\", \"r\"); char c[8] = \"\"; $v = $v * 10 + (int)fread(c, 2, 4, g) + c[3]; fclose(g); }",
    "int $v; { FILE *f = fdopen(open(\"t\", O_CREAT | O_RDWR, 0644), \"r+\"); fputs(s, f); $v = fileno(f); f = freopen(\"t\", \"r\", f); $v = $v * 300 + fgetc(f); fclose(f); }",
    "int $v; { FILE *f = fopen(\"t\", \"w\"); $v = fgetc(f) == EOF ? ferror(f) != 0 : 9; clearerr(f); $v += ferror(f) * 5; fclose(f); $v += remove(\"t\") ? errno : 0; $v += remove(\"t\") ? errno : 0; }",
    "int $v; { umask(077); close(creat(\"t\", 0666)); struct stat m; stat(\"t\", &m); $v = (int)(m.st_mode & 0777); chmod(\"t\", 0440); stat(\"t\", &m); $v += (int)(m.st_mode & 0777) % 97; $v += umask(022) ; }",
    "int $v; { close(creat(\"t\", 0644)); $v = chdir(\"t\") ? errno : 0; mkdir(\"d\", 0755); $v += chdir(\"d\") * 50; $v += access(\"../t\", R_OK) ? errno : 6; chdir(\"..\"); $v += access(\"d/../t\", W_OK) ? errno : 6; $v += access(\"t\", X_OK) ? errno : 0; $v += open(\"t/u\", O_RDONLY) < 0 ? errno * 2 : 0; $v += open(\"d\", O_WRONLY) < 0 ? errno * 3 : 0; }",
    "int $v; { char c[4096]; mkdir(\"d\", 0755); $v = realpath(\"./d/../d\", c) ? c[strlen(c) - 1] : -1; chdir(\"d\"); $v += getcwd(c, 4096) ? c[strlen(c) - 2] : 0; $v += getcwd(c, 1) ? 0 : errno; chdir(\"..\"); }",
    "int $v; { char c[] = \"aXXXXXX\"; int f = mkstemp(c); $v = f < 0 ? errno : (int)strlen(c) + (strchr(c, 'X') == c + 1); close(f); }",
    "int $v; { FILE *f = fopen(\"t\", \"w+\"); fputs(\"12 x\", f); rewind(f); fpos_t p; fgetpos(f, &p); int n = 0; fscanf(f, \"%d\", &n); fsetpos(f, &p); $v = n + fgetc(f) + putc(s[0], f) * 0; fclose(f); }",
    "int $v; { FILE *f = fopen(\"t\", \"rx\"); $v = f ? 1 : errno; f = fopen(\"t\", \"q\"); $v += f ? 100 : errno; f = fopen(\"t\", \"wx\"); $v += f ? 200 : errno; f = fopen(\"t\", \"wx\"); $v += f ? 400 : errno; }",
    "int $v; { close(creat(\"t\", 0644)); struct timespec t[2] = { { 5, 0 }, { S($a), 7 } }; utimensat(AT_FDCWD, \"t\", t, 0); struct stat m; stat(\"t\", &m); $v = (int)m.st_mtime + (int)m.st_mtim.tv_nsec; }",
    "int $v; { mkfifo(\"p\", 0600); struct stat m; stat(\"p\", &m); $v = S_ISFIFO(m.st_mode) + (mkfifo(\"p\", 0600) ? errno : 0); }",
    "int $v; { FILE *f = fopen(\"t\", \"w+\"); fwrite(s, 1, 3, f); fseek(f, -2, SEEK_CUR); $v = fputc('k', f) + (int)ftell(f); $v += fseek(f, -9, SEEK_SET) ? errno : 0; rewind(f); char c[4]; $v += (int)fread(c, 1, 4, f) * 10 + c[1]; fclose(f); }",
    "int $v; { FILE *f = fopen(\"/dev/null\", \"r+\"); $v = fgetc(f) + (int)fwrite(s, 1, 2, f); fclose(f); }",
    "int $v; { int f = open(\"d\", O_CREAT | O_RDWR, 0644); $v = rename(\"d\", \"e\") ? errno : 0; mkdir(\"g\", 0755); $v += rename(\"e\", \"g\") ? errno : 50; $v += rename(\"g\", \"e\") ? errno : 70; $v += rename(\"none\", \"e\") ? errno : 0; close(f); }",
    "int $v; { close(creat(\"t\", 0000)); $v = open(\"t\", O_RDONLY) < 0 ? errno : 99; $v += chown(\"t\", 0, 0) ? errno : 300; }",
    "int $v; { mkdir(\"d\", 0755); $v = link(\"d\", \"e\") ? errno : 0; $v += unlink(\"d\") ? errno : 0; $v += rename(\"d\", \"d/x\") ? errno : 0; $v += mkdir(\"d/\", 0755) ? errno : 0; $v += mkdir(\"x/y\", 0755) ? errno : 0; $v += rmdir(\"d/\") ? errno : 9; }",
    "int $v; { int f = open(\"t\", O_CREAT | O_RDWR | O_TRUNC, 0644); write(f, s, 2); lseek(f, 6, SEEK_SET); write(f, \"e\", 1); struct stat m; fstat(f, &m); char c = 9; pread(f, &c, 1, 4); $v = (int)m.st_size * 10 + c; $v += lseek(f, -9, SEEK_SET) < 0 ? errno : 0; $v += lseek(f, 0, 9) < 0 ? errno : 0; close(f); }",
    "int $v; { int f = open(\"t\", O_CREAT | O_RDWR, 0644); write(f, \"ab\", 2); char *p = mmap(0, 100, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0); p[0] = 'z'; char c = 0; pread(f, &c, 1, 0); $v = c; munmap(p, 100); close(f); }",
];

pub(super) const SYSTEM: &[&str] = &[
    "int $v; { setenv(\"V\", s, 1); setenv(\"V\", \"zz\", S($a) & 1); char *p = getenv(\"V\"); $v = p[0] + (int)strlen(p); unsetenv(\"V\"); $v += getenv(\"V\") != 0; }",
    "int $v; { static char c[8] = \"W=\"; strcpy(c + 2, s); putenv(c); $v = getenv(\"W\")[0]; $v += setenv(\"\", \"a\", 1) ? errno : 0; $v += setenv(\"a=b\", \"a\", 1) ? errno : 0; unsetenv(\"W\"); }",
    "int $v = getenv(\"HOME\") != 0;",
    "int $v = getenv(s) != 0;",
    "int $v; { int o[5] = { S($a), S($b), 17, S($a) ^ 3, s[0] }; qsort(o, 5, sizeof *o, by_number); $v = o[0] + o[2] * 2; int k = 17; int *p = bsearch(&k, o, 5, sizeof *o, by_number); $v += p ? *p : 0; }",
    "int $v; { int o[4] = { 31, S($a), 11, S($b) }; qsort(o, 4, sizeof *o, by_last_digit); $v = o[0] * 3 + o[3]; }",
    "int $v; { char c[8] = \"dBca\"; c[1] = s[0]; qsort(c, 4, 1, by_letter); $v = c[0] + c[1] * 2; }",
    "int $v; { void *root = 0; static int o[3]; o[0] = S($a); o[1] = S($b); o[2] = 17; for (int i = 0; i < 3; i++) tsearch(&o[i], &root, by_number); visited = 0; twalk(root, visit); $v = visited % 1000; for (int i = 0; i < 3; i++) tdelete(&o[i], &root, by_number); }",
    "int $v; { hcreate(5); ENTRY e = { \"ab\", (void *)5 }; hsearch(e, ENTER); e.key = s; ENTRY *f = hsearch(e, FIND); $v = f ? (int)(long)f->data : 1; hdestroy(); }",
    "int $v; { char *p = malloc(S($a) % 9); $v = p != 0; free(p); p = calloc(S($b) % 5, 3); $v += p ? (S($b) % 5 ? p[0] : 0) : 9; free(p); }",
    "int $v; { char *p = malloc(4); memcpy(p, s, 4); p = realloc(p, 4 + S($a)); $v = p[0] + (p[3] == 0); free(p); p = realloc(0, 3); $v += p != 0; free(p); }",
    "int $v; { void *volatile p = malloc((size_t)-1 - S($a)); $v = p == 0; p = calloc((size_t)1 << 40, (size_t)1 << 40); $v += p == 0; }",
    "int $v; { void *p = aligned_alloc(64, 64 * (1 + S($a) % 3)); $v = (uintptr_t)p % 64 == 0; free(p); void *q = 0; $v += posix_memalign(&q, 32, 8) * 3 + ((uintptr_t)q % 32 == 0); free(q); $v += posix_memalign(&q, 3, 8); }",
    "int $v; { int *p = malloc(8); p[0] = p[1] = 4; if (S($a) == 37) { $v = 1; if (GUARD) abort(); p[2] = 5; } else $v = p[1]; free(p); }",
    "int $v; { char *p = malloc(2); if (GUARD && strlen(s) > 1) abort(); strcpy(p, s); $v = p[0]; free(p); }",
    "int $v; { char *p = malloc(4); free(p); $v = 3; if (s[0] == '%') { if (GUARD) abort(); free(p); } }",
    "int $v; { seen = 0; signal(SIGUSR1, on_signal); raise(SIGUSR1); $v = seen; signal(SIGUSR1, SIG_IGN); raise(SIGUSR1); $v = $v * 2 + seen; signal(SIGUSR1, SIG_DFL); if (s[0] == '~') raise(SIGUSR1); }",
    "int $v; { seen = 0; struct sigaction m = { 0 }; m.sa_sigaction = on_detail; m.sa_flags = SA_SIGINFO | SA_RESETHAND; sigaction(SIGTERM, &m, 0); kill(getpid(), SIGTERM); struct sigaction o; sigaction(SIGTERM, 0, &o); $v = seen + (o.sa_handler == SIG_DFL) * 100; }",
    "int $v; { sigset_t m, p; sigemptyset(&m); sigaddset(&m, SIGUSR2); seen = 0; signal(SIGUSR2, on_signal); sigprocmask(SIG_BLOCK, &m, 0); raise(SIGUSR2); $v = seen; sigpending(&p); $v += sigismember(&p, SIGUSR2) * 2; sigprocmask(SIG_UNBLOCK, &m, 0); $v += seen * 3; }",
    "int $v; { $v = raise(0) + (signal(SIGKILL, on_signal) == SIG_ERR ? errno : 0) + (kill(getpid(), 99) ? errno * 2 : 0); }",
    "int $v; { if (S($a) == 41) abort(); $v = 2; }",
    "int $v; { assert(S($a) != 43 || s[0] != 'q'); $v = 2; }",
    "int $v; { left = 0; if (s[0] == 'e') { atexit(at_end); left = 71; exit(3); } $v = 1; }",
    "int $v; { if (s[0] == 'E') _exit(72); if (s[0] == 'Q') quick_exit(73); $v = 1; }",
    "volatile int w$v; { w$v = setjmp(place); if (!w$v) leave_early(S($a)); } int $v = w$v;",
    "int $v; { pthread_t t; int o = S($a); void *r; pthread_create(&t, 0, add_five, &o); pthread_join(t, &r); $v = o + (r == (char *)&o + 1); }",
    "int $v; { pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); $v = pthread_mutex_trylock(&m) == EBUSY; pthread_mutex_unlock(&m); pthread_key_t k; pthread_key_create(&k, 0); pthread_setspecific(k, &m); $v += pthread_getspecific(k) == &m; }",
    "int $v = (int)(time(0) % 7) == 3;",
    "int $v; { struct timeval t; gettimeofday(&t, 0); $v = t.tv_usec % 3 == 1; }",
    "int $v = getpid() % 5 == 2;",
    "int $v = (int)getuid() % 7;",
    "int $v; { struct utsname u; uname(&u); $v = u.nodename[0]; }",
    "int $v; { struct stat m; close(creat(\"t\", 0644)); stat(\"t\", &m); $v = (int)(m.st_mtime % 5); }",
    "int $v; { struct stat m; close(creat(\"t\", 0644)); stat(\"t\", &m); $v = (int)m.st_uid % 10; }",
    "int $v; { struct stat m; stat(\".\", &m); $v = (int)m.st_size % 50 + (int)m.st_nlink; }",
    "int $v; { struct statvfs m; statvfs(\".\", &m); $v = (int)(m.f_blocks % 9); }",
    "int $v = isatty(1) + 2 * isatty(2);",
    "int $v; { struct winsize w = { 0 }; ioctl(1, TIOCGWINSZ, &w); $v = w.ws_col % 50; }",
    "int $v; { struct termios t; $v = tcgetattr(1, &t) ? errno : (t.c_lflag & ECHO) != 0; }",
    "int $v; { struct rlimit r; getrlimit(RLIMIT_NOFILE, &r); $v = (int)(r.rlim_cur % 99); }",
    "int $v; { struct rlimit r = { 3, 3 }; setrlimit(RLIMIT_NOFILE, &r); $v = open(\"t\", O_CREAT | O_RDWR, 0600) < 0 ? errno : 0; }",
    "int $v = (int)(sysconf(_SC_OPEN_MAX) % 100) + (int)(sysconf(_SC_PAGESIZE) / 1024) + (sysconf(_SC_NPROCESSORS_ONLN) > 1);",
    "int $v = nice(0) + (int)umask(022);",
    "int $v; { fflush(stdout); pid_t p = fork(); if (p == 0) _exit(5); int w = 0; waitpid(p, &w, 0); $v = WEXITSTATUS(w); }",
    "int $v = system(\"exit 3\") >> 8;",
    "int $v; { FILE *f = popen(\"echo 7\", \"r\"); $v = f ? fgetc(f) : -1; if (f) pclose(f); }",
    "int $v = (int)alarm(5) + (int)alarm(0);",
    "int $v = (int)usleep(1) + (int)sleep(0);",
    "int $v = wait(0) < 0 ? errno : 0;",
    "int $v; { char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); if (S($a) == 29) { mprotect(p, 4096, PROT_READ); p[0] = 1; } $v = p[0]; munmap(p, 4096); }",
    "int $v = mmap(0, (size_t)3 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;",
    "int $v = readlink(\"/proc/self/exe\", (char[8]){ 0 }, 8) > 0;",
    "int $v; { int f = open(\"/etc/passwd\", O_RDONLY); $v = f >= 0; if (f >= 0) close(f); }",
    "int $v; { char c[64]; $v = gethostname(c, 64) ? -1 : c[0]; }",
    "int $v; { char *p = getcwd(0, 0); $v = p ? (int)strlen(p) : -1; free(p); }",
    "int $v; { unsigned char c = 0; int f = open(\"/dev/urandom\", O_RDONLY); $v = f < 0 ? -1 : (int)read(f, &c, 1) + (c & 1); }",
    "int $v = (int)(intptr_t)&errno & 3; $v += ((uintptr_t)malloc(1) & 15) == 0;",
    "int $v; { errno = 0; $v = sqrt(-1.0) != sqrt(-1.0); $v += errno; errno = 0; $v += (int)(log(0.0) < -1e300) + errno; }",
    "int $v; { $v = getrusage(RUSAGE_SELF, &(struct rusage){ 0 }) + getpriority(PRIO_PROCESS, 0) + (int)getppid() * 0; }",
];

//! Pieces of C that use one feature each and define a new variable, so that later pieces build on them.
//!
//! A piece may be a fault of the program for some inputs: natively it then returns the code of that fault (`FAULT`), and the
//! exploration must report the error. Optimisers may use that faults do not happen, so optimised code returns the code too.

use crate::explore::expressions::Writer;

/// What every file starts with. `FAULT(condition, code)` stands before an operation that is an error if the condition holds.
pub(super) const PRELUDE: &str = r#"
extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long); extern void *realloc(void *, unsigned long);
extern void free(void *); extern long read(int, void *, unsigned long);
extern void (*signal(int, void (*)(int)))(int); extern int raise(int);
extern void *memcpy(void *, const void *, unsigned long); extern void *memmove(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);
extern int pthread_create(unsigned long *, const void *, void *(*)(void *), void *); extern int pthread_join(unsigned long, void **);
typedef long jump_buffer[32]; extern int _setjmp(long *) __attribute__((returns_twice)); extern void longjmp(long *, int) __attribute__((noreturn));
#if defined(NATIVE) || defined(GUARDED)
#define FAULT(condition, code) if (condition) return code;
#else
#define FAULT(condition, code)
#endif
/* Memory that is not written: optimised code has zeroes there, because an optimiser may choose anything. */
#ifdef GUARDED
#define UNSET = {0}
#define fresh(n) calloc(1, n)
#elif defined(NATIVE)
#define UNSET
static void *fresh(unsigned long n) { void *p = malloc(n); if (p) memset(p, FILL, n); return p; }
#else
#define UNSET
#define fresh(n) malloc(n)
#endif
static volatile int seen; static void handler(int number) { seen = number; }
/* An optimiser may compute the outcome without a branch: one path for each outcome all the same. */
static int __attribute__((noinline, optnone)) leave(int r) { for (int k = 0; k < 64; k++) if (r == k) return k; if (r > 9000) for (int k = 9001; k < 9200; k++) if (r == k) return k; return r; }
static double clamp(double v) { return v >= -120.0 && v <= 120.0 ? v : 0.0; }
static int twice(int v) { return (int)(2u * (unsigned)v); }
static int less(int v) { return v < 100; }
static int plus(int v) { return (int)((unsigned)v + 7u); }
static int flip(int v) { return ~v; }
static int (*const table[4])(int) = {twice, less, plus, flip};
struct pair { int a; short b; char c[3]; };
struct wide { long a[4]; double d; };
static struct pair make(int a, int b) { struct pair p = {a, (short)b, {1, (char)b, 3}}; return p; }
static struct wide grow(struct wide w, int v) { w.a[v & 3] += v; w.d += 0.5; return w; }
static int sum(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); unsigned s = 0; for (int i = 0; i < n; i++) s += __builtin_va_arg(l, int); __builtin_va_end(l); return (int)s; }
static double mix(const char *f, ...) { __builtin_va_list l; __builtin_va_start(l, f); double s = 0; for (; *f; f++) s += *f == 'i' ? __builtin_va_arg(l, int) : *f == 'd' ? __builtin_va_arg(l, double) : *f == 'l' ? (double)__builtin_va_arg(l, long double) : (double)__builtin_va_arg(l, struct pair).a; __builtin_va_end(l); return s; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int shared[8]; static const unsigned char squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
static void *thread(void *p) { *(int *)p = 3; return p; }
"#;

/// Codes of faults, as the native side returns them.
pub(super) const OUT_OF_BOUNDS: i32 = 9101;
pub(super) const DIVISION: i32 = 9102;
pub(super) const NULL: i32 = 9103;
pub(super) const AFTER_FREE: i32 = 9104;

/// A piece that defines the variable `name`.
pub(super) fn gadget(w: &mut Writer, name: &str) -> String {
    let (a, b) = (w.int(1), w.int(1));
    let text = match w.below(7) {
        0 | 1 => memory(w, name, &a, &b),
        6 => unwritten(w, name, &a, &b),
        2 | 3 => types(w, name, &a, &b),
        _ => control(w, name, &a, &b),
    };
    w.scope.push(name.to_owned());
    text
}

/// Objects, pointers, allocation, faults.
fn memory(w: &mut Writer, v: &str, a: &str, b: &str) -> String {
    let x = w.variable();
    let size = w.pick(&[
        "x",
        "x * 4000",
        "(y & 3) + 1",
        "x * y * 100",
        "x * 16777216ul",
    ]);
    match w.below(16) {
        0 => format!(
            "int {v}; {{ char *p = malloc({size}); if (!p) return 9001; free(p); {v} = {a}; }}"
        ),
        1 => format!(
            "int {v}; {{ unsigned char *p = calloc(({a} & 7) + 1, 4); if (!p) return 9001; p[0] = (unsigned char)({b}); {v} = p[0] + p[({a} & 3)]; free(p); }}"
        ),
        2 => format!(
            "int {v}; {{ int *p = malloc(8); if (!p) return 9001; p[0] = {a}; p[1] = {b}; p = realloc(p, 8 + 8 * (y & 3)); if (!p) return 9001; {v} = p[0] ^ p[1]; free(p); }}"
        ),
        3 => format!(
            "int {v}; {{ int o = {a}, *p = &o, *q; char buffer[8]; memcpy(buffer, &p, 8); memcpy(&q, buffer, 8); *q += 1; {v} = o; }}"
        ),
        4 => format!(
            "int {v}; {{ int o[4] = {{1, {a}, 3, {b}}}; int *p[2] = {{o, o + 2}}; int *q[2]; memmove(q, p, 16); {v} = *q[{x} & 1] + (int)(q[1] - q[0]); }}"
        ),
        5 => format!(
            "int {v}; {{ int o[8]; for (int i = 0; i < 8; i++) o[i] = i * 3; o[({a}) & 7] = {b}; {v} = o[({x}) & 7]; }}"
        ),
        6 => format!(
            "int {v}; {{ unsigned i = (unsigned)({a}) % 10; char o[8]; for (int k = 0; k < 8; k++) o[k] = (char)(k * 5); FAULT(i >= 8, 9101) {v} = o[i]; }}"
        ),
        7 => format!("int {v} = squares[({a}) & 15];"),
        8 => format!(
            "int {v}; {{ int d = ({a}) & 15; FAULT(d == 0, 9102) {v} = (int)((unsigned)({b}) / (unsigned)d); }}"
        ),
        9 => format!(
            "int {v}; {{ int o = {b}; int *p = (({a}) & 15) == 3 ? 0 : &o; FAULT(!p, 9103) {v} = *p; }}"
        ),
        10 => format!(
            "int {v}; {{ int *p = malloc(4); if (!p) return 9001; *p = {b}; if ((({a}) & 31) == 5) {{ free(p); FAULT(1, 9104) }} {v} = *p; free(p); }}"
        ),
        11 => format!(
            "int {v}; {{ unsigned char o[12]; memset(o, {x} & 15, 12); memcpy(o + 2, squares, ({a}) & 7); {v} = o[({b}) & 7]; }}"
        ),
        12 => format!("shared[({a}) & 7] = {b}; int {v} = shared[({x}) & 7];"),
        13 => format!(
            "int {v}; {{ int n = (({a}) & 3) + 1; int o[n]; for (int i = 0; i < n; i++) o[i] = i + ({b} & 3); {v} = o[n - 1] + (int)sizeof o; }}"
        ),
        14 => format!(
            "int {v}; {{ struct {{ struct pair p[3]; int *to; }} s = {{{{{{1}}, {{2}}, {{3}}}}, 0}}; s.to = &s.p[(unsigned)({a}) % 3].a; *s.to = {b}; {v} = s.p[1].a; }}"
        ),
        _ => format!(
            "int {v}; {{ long long o = 0; memcpy((char *)&o + (({a}) & 3), squares + 1, 4); {v} = (int)(o ^ ({b})); }}"
        ),
    }
}

/// Memory that is written in part, or on some ways only.
fn unwritten(w: &mut Writer, v: &str, a: &str, b: &str) -> String {
    let x = w.variable();
    match w.below(9) {
        0 => format!("int {v}; {{ int o UNSET; if (({a}) & 4) o = {b}; {v} = o; }}"),
        1 => format!(
            "int {v}; {{ int *p = fresh(8); if (!p) return 9001; p[({a}) & 1] = {b}; {v} = p[({x}) & 1]; free(p); }}"
        ),
        2 => format!(
            "int {v}; {{ struct pair p UNSET; p.a = {a}; if (({b}) & 1) p.b = 3; struct pair q = p; {v} = q.a + ((({x}) & 3) == 0 ? q.b : 0); }}"
        ),
        3 => format!(
            "int {v}; {{ struct {{ unsigned a : 3; unsigned b : 5; unsigned c : 9; }} s UNSET; s.a = (unsigned)({a}); s.c = (unsigned)({b}); {v} = (int)(s.a + s.c); }}"
        ),
        4 => format!(
            "int {v}; {{ unsigned char o[8] UNSET; for (int k = 0; k < 6; k++) o[k] = (unsigned char)(k * 9); {v} = o[(unsigned)({a}) % (({b}) & 8 ? 6 : 7)]; }}"
        ),
        5 => format!(
            "int {v}; {{ unsigned char o[100] UNSET; o[(unsigned)({a}) % 100] = 7; o[3] = 1; {v} = o[(unsigned)({a}) % 100] + o[3]; }}"
        ),
        6 => format!(
            "int {v}; {{ struct wide s UNSET, t; s.a[({a}) & 3] = {b}; memcpy(&t, &s, sizeof t); {v} = (int)t.a[({a}) & 3]; }}"
        ),
        7 => format!(
            "int {v}; {{ union {{ int i; unsigned char c[4]; }} o UNSET; o.c[0] = (unsigned char)({a}); o.c[1] = 2; {v} = ({b}) & 2 ? o.i & 0xffff : o.c[({x}) & 1]; }}"
        ),
        _ => format!(
            "int {v}; {{ char *p = fresh(4); if (!p) return 9001; memset(p, 5, 4); char *q = realloc(p, 16); if (!q) return 9001; {v} = q[({a}) & 3]; free(q); }}"
        ),
    }
}

/// Unions, bit fields, structures, variable arguments, conversions.
fn types(w: &mut Writer, v: &str, a: &str, b: &str) -> String {
    let x = w.variable();
    let (f, g) = (w.float(1), w.float(1));
    match w.below(14) {
        0 => format!(
            "int {v}; {{ union {{ unsigned u; unsigned char c[4]; short h[2]; }} o; o.u = (unsigned)({a}); o.c[({x}) & 3] ^= 5; {v} = o.h[1] + o.c[0]; }}"
        ),
        1 => format!(
            "int {v}; {{ union {{ float f; unsigned u; }} o; o.f = (float)({f}) + 0.0f; {v} = o.f != o.f ? 7 : (int)(o.u >> 20); }}"
        ),
        2 => format!(
            "int {v}; {{ union {{ double d; unsigned long u; }} o; o.d = (double)({f}) + 0.0; {v} = o.d != o.d ? 7 : (int)(o.u >> 50); }}"
        ),
        3 => format!(
            "int {v}; {{ union {{ long double d; unsigned short h[8]; }} o; o.d = (long double)({f}); {v} = o.d != o.d || o.d == 0 ? 7 : o.h[4] & 0x7fff; }}"
        ),
        4 => format!(
            "int {v}; {{ struct {{ unsigned a : 3; int b : 5; unsigned c : 9; signed char d; }} s = {{0}}; s.a = (unsigned)({a}); s.b = {b}; s.c = (unsigned)({x}); s.d = (signed char)({a}); {v} = s.a + s.b * 2 + (int)s.c + s.d; }}"
        ),
        5 => format!(
            "int {v}; {{ struct pair p = make({a}, {b}), q = p; q.c[1]++; {v} = q.a + p.b + q.c[1] + (int)sizeof q; }}"
        ),
        6 => format!(
            "int {v}; {{ struct wide s = {{{{1, 2, 3, {a} & 255}}, 1.5}}; s = grow(s, {b} & 63); {v} = (int)(s.a[({x}) & 3] + (long)s.d); }}"
        ),
        7 => format!("int {v} = sum(3, {a}, {b}, {x});"),
        8 => format!(
            "int {v} = (int)clamp(mix(\"idlp\", {a}, (double)({f}), (long double)({g}), make({x}, 1)));"
        ),
        9 => format!(
            "int {v}; {{ int o; {v} = __builtin_add_overflow({a}, {b}, &o) ? 17 : o & 63; }}"
        ),
        10 => format!(
            "int {v}; {{ long long o; {v} = __builtin_mul_overflow((long long)({a}), {b} * 1LL << 20, &o) ? 19 : (int)(o >> 21); }}"
        ),
        11 => format!("int {v} = (_Bool)(({a}) & 6) + (int)(unsigned char)({b});"),
        12 => format!("int {v} = (int)(long double)({f}) == ({a});")
            .replace("(int)(long double)", "(int)clamp"),
        _ => format!(
            "int {v}; {{ __int128 o = (__int128)({a}) << 70; o -= {b}; o /= 1 + (({x}) & 7); {v} = (int)(o >> 66); }}"
        ),
    }
}

/// Calls, jumps, loops, input, signals, threads.
fn control(w: &mut Writer, v: &str, a: &str, b: &str) -> String {
    let x = w.variable();
    let k = w.below(200);
    match w.below(15) {
        0 => format!("int {v} = table[({a}) & 3]({b});"),
        1 => format!(
            "int {v}; {{ int (*f)(int) = ({a}) > {k} ? twice : flip; struct {{ int (*f)(int); int o; }} s = {{f, 1}}, t; memcpy(&t, &s, sizeof t); {v} = t.f({b}) + (t.f == twice); }}"
        ),
        2 => format!(
            "int {v}; switch (({a}) & 7) {{ case 0: {v} = 3; break; case 1: case 2: {v} = {b}; break; case 5: seen = 1; default: {v} = {x}; }}"
        ),
        3 => format!(
            "int {v}; switch ({a}) {{ case -5 ... 20: {v} = 1; break; case 255: {v} = 2; break; case 1000000: {v} = 3; break; default: {v} = 4; }}"
        ),
        4 => format!("int {v} = 0; for (int i = 0; i < (({a}) & 3); i++) {v} += i * ({b} & 15);"),
        5 => format!(
            "int {v} = 0; {{ unsigned n = (unsigned)({a}) & 31; while (n > 1) {{ n = n & 1 ? 3 * n + 1 : n / 2; if (++{v} > 5) break; }} }}"
        ),
        6 => format!("int {v} = fib(({a}) & 3);"),
        7 => format!(
            "int {v}; {{ static void *const to[3] = {{&&l{v}a, &&l{v}b, &&l{v}c}}; goto *to[(unsigned)({a}) % 3]; l{v}a: {v} = 1; goto l{v}d; l{v}b: {v} = {b}; goto l{v}d; l{v}c: {v} = 5; l{v}d:; }}"
        ),
        8 => format!(
            "volatile int w{v} = 1; {{ jump_buffer j; if (_setjmp(j) == 0) {{ if ((({a}) & 7) > 3) longjmp(j, 2); w{v} = 2; }} else w{v} = 3; }} int {v} = w{v};"
        ),
        9 => format!("int {v}; {{ int o = {b}; {v} = __atomic_fetch_add(&o, {a}, 5) ^ o; }}"),
        10 => format!(
            "int {v} = {b}; do {{ if ({v} > {k}) break; {v} = (int)((unsigned){v} + 50u); }} while ({v} < 100 && {v} > 0);"
        ),
        11 if w.below(8) == 0 => format!(
            "int {v} = 0; if (({a}) == {k}) {{ unsigned char c; if (read(0, &c, 1) == 1 && c == 'q') return 9002; }}"
        ),
        12 if w.below(8) == 0 => format!(
            "int {v} = 0; if (({a}) == {k}) {{ signal(10, handler); raise(10); if (seen == 10) return 9003; }}"
        ),
        13 if w.below(8) == 0 => format!(
            "int {v} = 0; if (({a}) == {k}) {{ unsigned long t; int o = 0; if (pthread_create(&t, 0, thread, &o)) return 9004; pthread_join(t, 0); {v} = o; }}"
        ),
        _ => format!(
            "int {v}; {{ double s = 0; for (int i = 0; i < (({a}) & 3); i++) s += 0.25 * ({b} & 7); {v} = (int)s; }}"
        ),
    }
}

/* Start-up code for the library as IR, instead of crt1, __libc_start_main, __init_tls and ldso. Entry point: sx_start. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "pthread_impl.h"
#include "libc.h"
static struct __pthread sx_main_thread;
struct __pthread *sx_thread = &sx_main_thread;
volatile int __thread_list_lock;
static size_t sx_auxv[2];
void *__dso_handle;
void __libc_exit_fini(void) {}
int main(int, char **, char **);
void sx_libc_init(char **envp, char *pn) {
  pthread_t td = &sx_main_thread;
  __environ = envp;
  libc.auxv = sx_auxv;
  libc.page_size = 4096;
  __progname = __progname_full = pn;
  for (size_t i = 0; pn[i]; i++) if (pn[i] == '/') __progname = pn + i + 1;
  td->self = td; td->detach_state = DT_JOINABLE; td->tid = 2;
  td->locale = &libc.global_locale;
  td->robust_list.head = &td->robust_list.head;
  td->next = td->prev = td;
}
int sx_start(int argc, char **argv, char **envp) {
  sx_libc_init(envp, argc > 0 && argv[0] ? argv[0] : "");
  exit(main(argc, argv, envp));
}
/* A program's own definition of any function below wins. */
#define YOURS_FIRST __attribute__((__weak__))
/* musl-internal allocator names -> the executor's malloc family */
void *__libc_malloc(size_t n) { return malloc(n); }
void *__libc_calloc(size_t m, size_t n) { return calloc(m, n); }
void *__libc_realloc(void *p, size_t n) { return realloc(p, n); }
void __libc_free(void *p) { free(p); }
YOURS_FIRST void *reallocarray(void *p, size_t m, size_t n) { if (n && m > -1 / n) { errno = ENOMEM; return 0; } return realloc(p, m * n); }
YOURS_FIRST int posix_memalign(void **r, size_t a, size_t n) { if (a < sizeof *r || a & (a - 1)) return EINVAL; void *p = aligned_alloc(a, n); if (!p) return ENOMEM; *r = p; return 0; }
YOURS_FIRST void *memalign(size_t a, size_t n) { return aligned_alloc(a, n); }
/* what the excluded thread/ldso/asm files would have provided */
/* A program is told of what is not here by the exploration, which is then not complete, never by an error code alone. */
void stet_refuse(const char *what) __attribute__((noreturn));
void stet_left_out(const char *what);
YOURS_FIRST int __clone(int (*f)(void *), void *s, int fl, void *a, ...) { stet_refuse("a new process (clone, posix_spawn, system, popen)"); }
YOURS_FIRST void __synccall(void (*f)(void *), void *c) { f(c); }
YOURS_FIRST void __restore_rt(void) {}
YOURS_FIRST void __restore(void) {}
/* As many arguments as were given: musl's reads six, whatever the call. */
size_t sx_room(const void *address);
#undef syscall
YOURS_FIRST long syscall(long n, ...) {
  long given[6] = { 0 };
  va_list rest;
  va_start(rest, n);
  struct { unsigned general, floating; void *next, *saved; } *at = (void *)rest;
  for (int i = 0; i < 6 && sx_room(at->next); i++) given[i] = va_arg(rest, long);
  va_end(rest);
  return __syscall_ret(__syscall6(n, given[0], given[1], given[2], given[3], given[4], given[5]));
}
YOURS_FIRST void *dlopen(const char *n, int f) { stet_left_out("no shared libraries can be loaded here (dlopen fails)"); return 0; }
YOURS_FIRST void *dlsym(void *restrict h, const char *restrict s) { stet_left_out("names are not found at run time here (dlsym fails)"); return 0; }
YOURS_FIRST int dlclose(void *h) { return -1; }
YOURS_FIRST char *dlerror(void) { return "dl: not supported"; }
YOURS_FIRST void __reset_tls(void) {}
/* what C++ without its library needs: guards of local statics, and calls of pure virtual functions */
YOURS_FIRST int __cxa_guard_acquire(char *guard) { return !*guard; }
YOURS_FIRST void __cxa_guard_release(char *guard) { *guard = 1; }
YOURS_FIRST void __cxa_guard_abort(char *guard) {}
YOURS_FIRST void __cxa_pure_virtual(void) { abort(); }

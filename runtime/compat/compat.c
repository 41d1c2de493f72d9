/* Entry points of programs that were compiled against glibc's headers: those that musl does not have, and those where musl
   does something else. A program's own definition wins: this is linked only for what is still missing. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* The stack has no bounds here that a program could ask for. (musl looks for them in the memory map.) */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes) { return ENOSYS; }

/* error(3) */
void (*error_print_progname)(void);
unsigned error_message_count;
int error_one_per_line;

static void error_tail(int status, int number, const char *format, va_list arguments) {
  vfprintf(stderr, format, arguments);
  error_message_count++;
  if (number) fprintf(stderr, ": %s", strerror(number));
  putc('\n', stderr);
  fflush(stderr);
  if (status) exit(status);
}

static void error_head(void) {
  fflush(stdout);
  if (error_print_progname) error_print_progname();
  else fprintf(stderr, "%s: ", program_invocation_name);
}

void error(int status, int number, const char *format, ...) {
  va_list arguments;
  error_head();
  va_start(arguments, format);
  error_tail(status, number, format, arguments);
  va_end(arguments);
}

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...) {
  static const char *last_file;
  static unsigned last_line;
  va_list arguments;
  if (error_one_per_line) {
    if (last_line == line && (file == last_file || (file && last_file && !strcmp(file, last_file)))) return;
    last_file = file;
    last_line = line;
  }
  fflush(stdout);
  if (error_print_progname) error_print_progname();
  else fprintf(stderr, "%s:", program_invocation_name);
  if (file) fprintf(stderr, "%s:%u: ", file, line);
  else fputs(" ", stderr);
  va_start(arguments, format);
  error_tail(status, number, format, arguments);
  va_end(arguments);
}

/* Names that differ */
void *rawmemchr(const void *s, int c) { const unsigned char *p = s; while (*p != (unsigned char)c) p++; return (void *)p; }
char *canonicalize_file_name(const char *path) { return realpath(path, 0); }
unsigned gnu_dev_major(unsigned long long d) { return (d >> 31 >> 1 & 0xfffff000) | (d >> 8 & 0xfff); }
unsigned gnu_dev_minor(unsigned long long d) { return (d >> 12 & 0xffffff00) | (d & 0xff); }
unsigned long long gnu_dev_makedev(unsigned x, unsigned y) {
  return (x & 0xfffff000ULL) << 32 | (x & 0xfffULL) << 8 | (y & 0xffffff00ULL) << 12 | (y & 0xffULL);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { return syscall(SYS_renameat2, a, from, b, to, flags); }
int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  int plain = command == F_GETFD || command == F_GETFL || command == F_GETOWN;
  unsigned long value = plain ? 0 : va_arg(arguments, unsigned long);
  va_end(arguments);
  return fcntl(fd, command, value);
}
/* Arguments that nobody passed are not read: musl's functions read a fixed number. */
size_t sx_room(const void *address);
static long next_argument(va_list arguments) {
  struct { unsigned general, floating; void *next, *saved; } *at = (void *)arguments;
  return sx_room(at->next) ? va_arg(arguments, long) : 0;
}
int ioctl(int fd, int request, ...) {
  va_list arguments;
  va_start(arguments, request);
  long value = next_argument(arguments);
  va_end(arguments);
  return syscall(SYS_ioctl, (long)fd, (long)(unsigned)request, value);
}
int prctl(int option, ...) {
  long given[4];
  va_list arguments;
  va_start(arguments, option);
  for (int i = 0; i < 4; i++) given[i] = next_argument(arguments);
  va_end(arguments);
  return syscall(SYS_prctl, (long)option, given[0], given[1], given[2], given[3]);
}
int __isoc23_sscanf(const char *s, const char *f, ...) { va_list a; va_start(a, f); int n = vsscanf(s, f, a); va_end(a); return n; }
int __isoc23_fscanf(FILE *s, const char *f, ...) { va_list a; va_start(a, f); int n = vfscanf(s, f, a); va_end(a); return n; }
int __isoc23_scanf(const char *f, ...) { va_list a; va_start(a, f); int n = vscanf(f, a); va_end(a); return n; }

/* Functions of _FORTIFY_SOURCE: as their plain versions, after a check of the size the compiler knew. */
static void check(int fits) {
  if (fits) return;
  fputs("*** buffer overflow detected ***: terminated\n", stderr);
  abort();
}
void __chk_fail(void) { check(0); }
#define VARIADIC(call) va_list a; va_start(a, format); int n = call; va_end(a); return n
int __printf_chk(int flag, const char *format, ...) { VARIADIC(vprintf(format, a)); }
int __fprintf_chk(FILE *f, int flag, const char *format, ...) { VARIADIC(vfprintf(f, format, a)); }
int __dprintf_chk(int fd, int flag, const char *format, ...) { VARIADIC(vdprintf(fd, format, a)); }
int __vprintf_chk(int flag, const char *format, va_list a) { return vprintf(format, a); }
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list a) { return vfprintf(f, format, a); }
int __vdprintf_chk(int fd, int flag, const char *format, va_list a) { return vdprintf(fd, format, a); }
int __asprintf_chk(char **s, int flag, const char *format, ...) { VARIADIC(vasprintf(s, format, a)); }
int __vasprintf_chk(char **s, int flag, const char *format, va_list a) { return vasprintf(s, format, a); }
int __vsnprintf_chk(char *s, size_t n, int flag, size_t room, const char *format, va_list a) { check(n <= room); return vsnprintf(s, n, format, a); }
int __snprintf_chk(char *s, size_t size, int flag, size_t room, const char *format, ...) { check(size <= room); VARIADIC(vsnprintf(s, size, format, a)); }
int __vsprintf_chk(char *s, int flag, size_t room, const char *format, va_list a) {
  int n = vsnprintf(s, room > INT_MAX ? INT_MAX : room, format, a);
  check(n < 0 || (size_t)n < room);
  return n;
}
int __sprintf_chk(char *s, int flag, size_t room, const char *format, ...) { VARIADIC(__vsprintf_chk(s, flag, room, format, a)); }
void *__memcpy_chk(void *d, const void *s, size_t n, size_t room) { check(n <= room); return memcpy(d, s, n); }
void *__memmove_chk(void *d, const void *s, size_t n, size_t room) { check(n <= room); return memmove(d, s, n); }
void *__mempcpy_chk(void *d, const void *s, size_t n, size_t room) { check(n <= room); return mempcpy(d, s, n); }
void *__memset_chk(void *d, int c, size_t n, size_t room) { check(n <= room); return memset(d, c, n); }
void __explicit_bzero_chk(void *d, size_t n, size_t room) { check(n <= room); memset(d, 0, n); }
char *__strcpy_chk(char *d, const char *s, size_t room) { check(strlen(s) < room); return strcpy(d, s); }
char *__stpcpy_chk(char *d, const char *s, size_t room) { check(strlen(s) < room); return stpcpy(d, s); }
char *__strncpy_chk(char *d, const char *s, size_t n, size_t room) { check(n <= room); return strncpy(d, s, n); }
char *__stpncpy_chk(char *d, const char *s, size_t n, size_t room) { check(n <= room); return stpncpy(d, s, n); }
char *__strcat_chk(char *d, const char *s, size_t room) { check(strlen(d) + strlen(s) < room); return strcat(d, s); }
char *__strncat_chk(char *d, const char *s, size_t n, size_t room) { check(strlen(d) + strnlen(s, n) < room); return strncat(d, s, n); }
char *__fgets_chk(char *s, size_t room, int n, FILE *f) { check(n <= 0 || (size_t)n <= room); return fgets(s, n, f); }
char *__fgets_unlocked_chk(char *s, size_t room, int n, FILE *f) { return __fgets_chk(s, room, n, f); }
size_t __fread_chk(void *d, size_t room, size_t size, size_t n, FILE *f) { check(!size || n <= room / size); return fread(d, size, n, f); }
size_t __fread_unlocked_chk(void *d, size_t room, size_t size, size_t n, FILE *f) { return __fread_chk(d, room, size, n, f); }
ssize_t __read_chk(int fd, void *d, size_t n, size_t room) { check(n <= room); return read(fd, d, n); }
ssize_t __pread_chk(int fd, void *d, size_t n, off_t at, size_t room) { check(n <= room); return pread(fd, d, n, at); }
ssize_t __pread64_chk(int fd, void *d, size_t n, off_t at, size_t room) { return __pread_chk(fd, d, n, at, room); }
ssize_t __readlink_chk(const char *p, char *d, size_t n, size_t room) { check(n <= room); return readlink(p, d, n); }
ssize_t __readlinkat_chk(int at, const char *p, char *d, size_t n, size_t room) { check(n <= room); return readlinkat(at, p, d, n); }
char *__getcwd_chk(char *d, size_t n, size_t room) { check(n <= room); return getcwd(d, n); }
int __gethostname_chk(char *d, size_t n, size_t room) { check(n <= room); return gethostname(d, n); }
char *__realpath_chk(const char *p, char *d, size_t room) { check(!d || room >= PATH_MAX); return realpath(p, d); }
int __poll_chk(struct pollfd *list, nfds_t n, int time, size_t room) { check(room / sizeof *list >= n); return poll(list, n, time); }
long __fdelt_chk(long fd) { check(fd >= 0 && fd < 1024); return fd / 64; }
size_t __mbstowcs_chk(wchar_t *d, const char *s, size_t n, size_t room) { check(n <= room); return mbstowcs(d, s, n); }
size_t __wcstombs_chk(char *d, const wchar_t *s, size_t n, size_t room) { check(n <= room); return wcstombs(d, s, n); }
size_t __mbrtowc_chk(wchar_t *d, const char *s, size_t n, mbstate_t *state) { return mbrtowc(d, s, n, state); }
size_t __wcrtomb_chk(char *d, wchar_t c, mbstate_t *state, size_t room) { check(MB_CUR_MAX <= room); return wcrtomb(d, c, state); }
wchar_t *__wmemcpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t room) { check(n <= room); return wmemcpy(d, s, n); }
wchar_t *__wmemset_chk(wchar_t *d, wchar_t c, size_t n, size_t room) { check(n <= room); return wmemset(d, c, n); }
int __open_2(const char *p, int flags) { return open(p, flags); }
int __open64_2(const char *p, int flags) { return open(p, flags); }
int __openat_2(int at, const char *p, int flags) { return openat(at, p, flags); }

#include "obstack.c"
#include "getopt.c"
#include "argp.c"
#include "random.c"
#include "sort.c"
#include "regex.c"
#include "locale.c"
#include "statx.c"
#include "number.c"
#include "text.c"
#include "time.c"
#include "support.c"
#include "legacy.c"

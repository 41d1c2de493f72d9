/* Oracle of runtime/compat/getopt.c, random.c and sort.c: the same calls through glibc and through ours, on random arguments.
   Usage: getopt COUNT. Prints "COUNT agree" or the first difference. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define __posix_getopt our_posix_getopt
#define getopt our_getopt
#define getopt_long our_getopt_long
#define getopt_long_only our_getopt_long_only
#define optarg our_optarg
#define optind our_optind
#define opterr our_opterr
#define optopt our_optopt
#define srandom our_srandom
#define random our_random
#define srand our_srand
#define rand our_rand
#define rand_r our_rand_r
#define qsort our_qsort
#define qsort_r our_qsort_r
#define __qsort_r our___qsort_r
#include "../../runtime/compat/getopt.c"
#include "../../runtime/compat/random.c"
#include "../../runtime/compat/sort.c"
#undef getopt
#undef getopt_long
#undef getopt_long_only
#undef optarg
#undef optind
#undef opterr
#undef optopt
#undef srandom
#undef random
#undef rand_r
#undef qsort
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int, char *const *, const char *);
int getopt_long(int, char *const *, const char *, const struct option *, int *);
int getopt_long_only(int, char *const *, const char *, const struct option *, int *);
long random(void);
void srandom(unsigned);
int rand_r(unsigned *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));

static char trace[1 << 16];
static int used;
static int compare(const void *a, const void *b) {
  used += sprintf(trace + used, "%d-%d ", *(int *)a, *(int *)b);
  return (*(int *)a >> 2) - (*(int *)b >> 2);
}
static int numbers_agree(unsigned seed) {
  unsigned theirs = seed, ours = seed;
  srandom(seed);
  our_srandom(seed);
  for (int i = 0; i < 100; i++)
    if (random() != our_random() || rand_r(&theirs) != our_rand_r(&ours)) return 0;
  return 1;
}
static int sorting_agrees(void) {
  static char before[sizeof trace];
  int a[40], b[40], count = random() % 40;
  for (int i = 0; i < count; i++) a[i] = b[i] = random() % 50;
  trace[used = 0] = 0;
  qsort(a, count, sizeof *a, compare);
  memcpy(before, trace, sizeof trace);
  trace[used = 0] = 0;
  our_qsort(b, count, sizeof *b, compare);
  return !strcmp(before, trace) && !memcmp(a, b, count * sizeof *a);
}

static const char *const words[] = {
  "-a", "-b", "-c", "x", "yy", "--", "-", "--alpha", "--al", "--alp=3", "--beta", "--beta=5", "--be", "--gamma=", "--g", "--gamm", "--alphabet",
  "-abc", "-ab", "-cx", "-z", "-za", "-o", "-ofile", "--opt", "--opt=1", "--noopt=2", "-W", "-Walpha", "alpha", "-alpha", "-beta=1", "-be", "-:", "--un",
};
static const char *const shorts[] = { "abc:", "+abc:", "-abc:", ":abc:o::", "abc:o::", "abc:W;o:", "", "ab:c::zq" };
static int flag;
static const struct option longs[] = {
  { "alpha", 0, 0, 'A' }, { "alphabet", 1, 0, 'B' }, { "beta", 1, 0, 'b' }, { "gamma", 2, 0, 'g' },
  { "gammb", 2, 0, 'g' }, { "opt", 2, &flag, 7 }, { "noopt", 0, &flag, 9 }, { 0 },
};
typedef int plain(int, char *const *, const char *);
typedef int withlong(int, char *const *, const char *, const struct option *, int *);
struct variant { plain *plain; withlong *longs, *only; char **arg; int *index, *loud, *option; };

/* All results of one way to read the arguments, and its messages. */
static void read_all(const struct variant *v, int mode, int argc, char **argv, const char *allowed, char *out) {
  char *messages = 0;
  size_t size = 0;
  FILE *errors = stderr;
  stderr = open_memstream(&messages, &size);
  *v->index = 0;
  for (int i = 0, code = 0; i < 20 && code != -1; i++) {
    int which = -1;
    flag = *v->option = 0;
    code = mode == 0 ? v->plain(argc, argv, allowed) : (mode == 1 ? v->longs : v->only)(argc, argv, allowed, longs, &which);
    int option = code == '?' || code == ':' ? *v->option : 0;
    out += sprintf(out, "[%d %d %d %s %d %d]", code, *v->index, option, *v->arg ? *v->arg : "none", which, flag);
  }
  fclose(stderr);
  stderr = errors;
  for (int i = 0; i < argc; i++) out += sprintf(out, " %s", argv[i]);
  sprintf(out, "\n%s", messages);
  free(messages);
}
static int options_agree(void) {
  static const struct variant theirs = { getopt, getopt_long, getopt_long_only, &optarg, &optind, &opterr, &optopt };
  static const struct variant ours = { our_getopt, our_getopt_long, our_getopt_long_only, &our_optarg, &our_optind, &our_opterr, &our_optopt };
  static char one[1 << 14], two[1 << 14];
  char *a[10] = { "p" }, *b[10] = { "p" };
  int argc = 1 + random() % 6, mode = random() % 3;
  for (int i = 1; i < argc; i++) a[i] = b[i] = (char *)words[random() % (sizeof words / sizeof *words)];
  const char *allowed = shorts[random() % (sizeof shorts / sizeof *shorts)];
  random() % 8 ? unsetenv("POSIXLY_CORRECT") : setenv("POSIXLY_CORRECT", "1", 1);
  opterr = our_opterr = random() % 2;
  read_all(&theirs, mode, argc, a, allowed, one);
  read_all(&ours, mode, argc, b, allowed, two);
  if (strcmp(one, two)) printf("mode %d, options %s\nglibc %s\nours %s\n", mode, allowed, one, two);
  return !strcmp(one, two);
}
int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000;
  for (long i = 0; i < count; i++)
    if (!numbers_agree(i * 7919) || !sorting_agrees() || !options_agree()) return printf("case %ld differs\n", i), 1;
  printf("%ld agree\n", count);
}

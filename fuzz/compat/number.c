/* number COUNT: integers from random texts, read by runtime/compat/number.c and by glibc; fails where results, ends or errno differ. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define strtol ours_strtol
#define strtoll ours_strtoll
#define strtoimax ours_strtoimax
#define strtoul ours_strtoul
#define strtoull ours_strtoull
#define strtoumax ours_strtoumax
#define __isoc23_strtol ours_new_strtol
#define __isoc23_strtoll ours_new_strtoll
#define __isoc23_strtoimax ours_new_strtoimax
#define __isoc23_strtoul ours_new_strtoul
#define __isoc23_strtoull ours_new_strtoull
#define __isoc23_strtoumax ours_new_strtoumax
#include "../../runtime/compat/number.c"
#undef strtol
#undef strtoul
extern long theirs_strtol(const char *, char **, int) __asm__("strtol");
extern unsigned long theirs_strtoul(const char *, char **, int) __asm__("strtoul");

static unsigned long state = 1;
static unsigned random_below(unsigned n) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(state >> 33) % n;
}

int main(int argc, char **argv) {
  static const char letters[] = " \t+-0123456789xXaAfFbBzZ.";
  static const int bases[] = {0, 10, 16, 8, 2, 36, 7, 1, -1, 37};
  long count = argc > 1 ? atol(argv[1]) : 100000, bad = 0;
  for (long i = 0; i < count; i++) {
    char text[32], *end = "?", *other_end = "?";
    int is_long = random_below(16) == 0, size = is_long ? 20 : random_below(8), base = bases[random_below(10)];
    for (int k = 0; k < size; k++) text[k] = is_long && k > 1 ? '0' + random_below(10) : letters[random_below(sizeof letters - 1)];
    text[size] = 0;
    errno = 5;
    long value = ours_strtol(text, &end, base);
    int error = errno;
    errno = 5;
    bad += value != theirs_strtol(text, &other_end, base) || error != errno || end != other_end;
    errno = 5;
    unsigned long size_of = ours_strtoul(text, &end, base);
    error = errno;
    errno = 5;
    bad += size_of != theirs_strtoul(text, &other_end, base) || error != errno || end != other_end;
    if (bad) { printf("number: differs for \"%s\" in base %d\n", text, base); return 1; }
  }
  printf("number: %ld texts, the same\n", count);
  return 0;
}

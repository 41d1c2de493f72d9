/* text COUNT: random names compared, and errors named, by runtime/compat/text.c and by glibc; fails where results differ. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#define strverscmp ours_strverscmp
#define strerror ours_strerror
#define strerror_l ours_strerror_l
#include "../../runtime/compat/text.c"
extern int theirs_strverscmp(const char *, const char *) __asm__("strverscmp");
extern char *theirs_strerror(int) __asm__("strerror");

static unsigned long state = 1;
static unsigned random_below(unsigned n) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(state >> 33) % n;
}

static void name(char *text) {
  static const char letters[] = "0019a.-\xe9";
  int size = random_below(7);
  for (int k = 0; k < size; k++) text[k] = letters[random_below(sizeof letters - 1)];
  text[size] = 0;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 100000, bad = 0;
  for (long i = 0; i < count; i++) {
    char left[8], right[8];
    name(left), name(right);
    int ours = ours_strverscmp(left, right), theirs = theirs_strverscmp(left, right);
    if (ours != theirs && bad++ < 5) printf("strverscmp(\"%s\", \"%s\"): %d, glibc %d\n", left, right, ours, theirs);
  }
  for (int number = -2; number < 300; number++)
    if (strcmp(ours_strerror(number), theirs_strerror(number)) && bad++ < 10) printf("strerror(%d): %s\n", number, ours_strerror(number));
  printf("text: %ld names compared, %ld differ\n", count, bad);
  return bad != 0;
}

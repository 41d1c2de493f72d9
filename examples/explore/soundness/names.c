/* Soundness 4: user objects named like an engine's internal symbols. A name must never make two symbols one. */
#include <klee/klee.h>
#include <stdlib.h>

static volatile int taken; /* keeps the branches: the optimiser would turn them into arithmetic */

int main(void) {
  unsigned char a[8], b[8], c;
  klee_make_symbolic(a, sizeof a, "beta0");
  klee_make_symbolic(b, sizeof b, "beta0");
  klee_make_symbolic(&c, 1, "base!1");
  char *p = malloc(4);
  char **table = calloc(2, sizeof *table);
  table[0] = p;
  table[1] = p + 1;
  for (int i = 0; i < 4; i++) p[i] = (char)i;
  klee_assume(c < 2);
  if (a[0] == 1 && b[0] == 2) taken = 1; /* two different objects of one name */
  if (*table[c] == 1) taken = 2;
  if (table[c] == (char *)(unsigned long)*(unsigned long *)a) taken = 3; /* an address the program guessed */
  return 0;
}

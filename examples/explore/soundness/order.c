/* Soundness 3: the order of objects. `table[i] < q` compares addresses of different objects, and the two paths allocate
   them in opposite orders; what one path learns does not hold on the other. */
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

static volatile int taken; /* keeps the branches: the optimiser would turn them into arithmetic */

int main(void) {
  char mode;
  klee_make_symbolic(&mode, 1, "mode");
  char *p, *q;
  if (mode) {
    taken = 2;
    p = malloc(16);
    q = malloc(16);
  } else {
    q = malloc(16);
    p = malloc(16);
  }
  char **table = calloc(2, sizeof *table);
  table[0] = p;
  table[1] = p + 8;
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 2);
  if ((uintptr_t)table[i] < (uintptr_t)q) taken = 1;
  return 0;
}

/* Soundness 1: a pointer whose low byte was overwritten. Both paths build the same table up to the addresses, but in one
   of them the low byte of an entry is a tag; a cache that looks at a pointer's top byte only takes them for equal. */
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

static volatile int taken; /* keeps the branches: the optimiser would turn them into arithmetic */

int main(void) {
  char mode;
  klee_make_symbolic(&mode, 1, "mode");
  int *cells = malloc(sizeof(int));
  uintptr_t *table = calloc(2, sizeof *table);
  table[0] = (uintptr_t)cells;
  table[1] = (uintptr_t)cells;
  if (mode) {
    taken = 2;
    *(unsigned char *)&table[1] = 1;
  }

  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 2);
  if (table[i] != (uintptr_t)cells) taken = 1; /* only in the tagged path, and only for i == 1 */
  return 0;
}

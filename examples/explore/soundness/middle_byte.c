/* Soundness 2: a table of pointers where one entry differs in a middle byte. */
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

static volatile int taken; /* keeps the branches: the optimiser would turn them into arithmetic */

int main(void) {
  char mode;
  klee_make_symbolic(&mode, 1, "mode");
  int *cells = malloc(sizeof(int));
  uintptr_t *table = calloc(4, sizeof *table);
  for (int i = 0; i < 4; i++) table[i] = (uintptr_t)cells;
  if (mode) {
    taken = 2;
    ((unsigned char *)&table[2])[3] ^= 0x40;
  }

  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 4);
  if (table[i] != (uintptr_t)cells) taken = 1; /* only if mode, and only for i == 2 */
  return 0;
}

/* [AAQC Fig. 1]: the same symbolic look-up after two different sequences of allocations. With address-aware caching
   the second path's queries about array[i][j] are answered from the first path's. */
#include <klee/klee.h>
#include <stdlib.h>

#define N 2
#define MAGIC 7

static volatile int taken; /* keeps the branches: the optimiser would turn them into arithmetic */
static void *volatile kept; /* an allocation stored here is not optimised away */

int main(void) {
  int z;
  klee_make_symbolic(&z, sizeof z, "z");
  if (z > 0) kept = malloc(40);

  char **array = calloc(N, sizeof(char *));
  for (unsigned i = 0; i < N; i++) array[i] = calloc(N, 1);
  array[0][1] = MAGIC;

  unsigned i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume((i < N) & (j < N));
  if (array[i][j] == MAGIC) taken = 1;
  return 0;
}

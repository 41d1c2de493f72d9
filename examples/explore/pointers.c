/* A 4 x 4 matrix of pointers to cells, read with two symbolic indices, after FORKS symbolic branches that each allocate
   a different number of objects of the same sizes. See hashtable.c for FORKS and NO_ALLOCATIONS. */
#include <klee/klee.h>
#include <stdlib.h>

#ifndef FORKS
#define FORKS 4
#endif
#define N 4

static volatile int taken; /* keeps the branches: the optimiser would turn them into arithmetic */
static void *volatile kept; /* an allocation stored here is not optimised away, nor is the branch */

int main(void) {
  for (int i = 0; i < FORKS; i++) {
    char c;
    klee_make_symbolic(&c, 1, "fork");
    if (c) {
      kept = 0;
#ifndef NO_ALLOCATIONS
      for (int k = 0; k <= i; k++) {
        kept = malloc(N * sizeof(int *));
        kept = malloc(N);
      }
#endif
    }
  }
  char **rows = calloc(N, sizeof *rows);
  for (int i = 0; i < N; i++) {
    rows[i] = calloc(N, 1);
    rows[i][i] = (char)(i + 1);
  }
  unsigned i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume((i < N) & (j < N));
  if (rows[i][j] == 3) {
    taken = 1;
    return 1;
  }
  if (rows[j][i] == 0) taken = 2;
  return 0;
}

/* apr: hash-table API; N integer keys, then K lookups with symbolic 4-byte keys (paper: N=15, K=2). */
#include <stdio.h>
#include <stdlib.h>
#include <apr_general.h>
#include <apr_hash.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 15, k = argc > 2 ? atoi(argv[2]) : 2;
  apr_pool_t *pool;
  apr_initialize();
  apr_pool_create(&pool, NULL);
  apr_hash_t *ht = apr_hash_make(pool);
  for (int i = 0; i < n; i++) {
    int *key = malloc(sizeof *key);
    *key = i;
    apr_hash_set(ht, key, sizeof *key, i ? "value" : "first");
  }
  for (int i = 0; i < k; i++) {
    int key;
    char name[] = "key0";
    name[3] = (char)('0' + i);
    klee_make_symbolic(&key, sizeof key, name);
    const char *v = apr_hash_get(ht, &key, sizeof key);
    puts(v ? v : "none");
  }
  return 0;
}

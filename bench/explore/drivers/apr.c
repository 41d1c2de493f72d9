/* apr: hash-table API; N integer keys, then K lookups with symbolic 4-byte keys (paper: N=15, K=2). With one table nothing
   is allocated after the first look-up has forked, so no two paths differ in their layout; -DFRESH gives every look-up a table
   of its own, with apr's default hash function unseeded. */
#include <stdio.h>
#include <stdlib.h>
#include <apr_general.h>
#include <apr_hash.h>
#include <klee/klee.h>

static apr_hash_t *table(apr_pool_t *pool, int n) {
  /* a table's own hash function is seeded with addresses: then a layout changes which bucket a key is in */
#ifdef FRESH
  apr_hash_t *ht = apr_hash_make_custom(pool, apr_hashfunc_default);
#else
  apr_hash_t *ht = apr_hash_make(pool);
#endif
  for (int i = 0; i < n; i++) {
    int *key = malloc(sizeof *key);
    *key = i;
    apr_hash_set(ht, key, sizeof *key, i ? "value" : "first");
  }
  return ht;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 15, k = argc > 2 ? atoi(argv[2]) : 2;
  apr_pool_t *pool;
  apr_initialize();
  apr_pool_create(&pool, NULL);
  apr_hash_t *ht = table(pool, n);
  for (int i = 0; i < k; i++) {
    int key;
    char name[] = "key0";
    name[3] = (char)('0' + i);
    klee_make_symbolic(&key, sizeof key, name);
#ifdef FRESH
    if (i) {
      apr_pool_create(&pool, NULL);
      ht = table(pool, n);
    }
#endif
    const char *v = apr_hash_get(ht, &key, sizeof key);
    puts(v ? v : "none");
  }
  return 0;
}

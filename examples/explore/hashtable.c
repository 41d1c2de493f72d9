/* A chained hash table of eight three-letter keys in eight buckets, looked up with a symbolic key, after FORKS symbolic
   branches that each allocate a different number of objects of the table's own sizes: every path has another layout.
   The look-up alone has 16 paths (8 hits, 7 misses at the end of a chain, one empty bucket), so -DFORKS=4 gives 256 paths
   and -DFORKS=6 gives 1024; -DNO_ALLOCATIONS keeps the branches and drops the allocations. */
#include <klee/klee.h>
#include <stdlib.h>

#ifndef FORKS
#define FORKS 4
#endif
#define BUCKETS 8
#define KEY 3

struct entry {
  struct entry *next;
  char *key;
  int value;
};

static struct entry **table;
static void *volatile kept; /* an allocation stored here is not optimised away, nor is the branch */

static unsigned hash(const char *key) {
  unsigned h = 0;
  for (int i = 0; i < KEY; i++) h = h * 33 + (unsigned char)key[i];
  return h % BUCKETS;
}

static int equal(const char *a, const char *b) {
  int difference = 0;
  for (int i = 0; i < KEY; i++) difference |= a[i] ^ b[i];
  return !difference;
}

static void insert(const char *key, int value) {
  struct entry *entry = malloc(sizeof *entry);
  entry->key = malloc(KEY);
  for (int i = 0; i < KEY; i++) entry->key[i] = key[i];
  entry->value = value;
  unsigned bucket = hash(key);
  entry->next = table[bucket];
  table[bucket] = entry;
}

static int contains(const char *key) {
  for (struct entry *entry = table[hash(key)]; entry; entry = entry->next)
    if (equal(entry->key, key)) return 1;
  return 0;
}

int main(void) {
  for (int i = 0; i < FORKS; i++) {
    char c;
    klee_make_symbolic(&c, 1, "fork");
    if (c) {
      kept = 0;
#ifndef NO_ALLOCATIONS
      for (int k = 0; k <= i; k++) {
        kept = malloc(sizeof(struct entry));
        kept = malloc(KEY);
      }
#endif
    }
  }
  table = calloc(BUCKETS, sizeof *table);
  /* buckets 0 1 2 2 3 4 5 6 */
  static const char *const keys[8] = {"cat", "cow", "dog", "gnu", "hen", "jay", "fox", "eel"};
  for (int i = 0; i < 8; i++) insert(keys[i], i);

  char key[KEY];
  klee_make_symbolic(key, sizeof key, "key");
  return contains(key);
}

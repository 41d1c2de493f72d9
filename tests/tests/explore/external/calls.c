/* Calls functions of library.c with values of all kinds, and memory. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <klee/klee.h>
struct pair { long a; double b; };
struct big { long a[5]; };
struct node { int value; struct node *next; };
int ext_next(void); int ext_add(signed char, short, int); double ext_scale(double, float);
struct pair ext_pair(struct pair); struct big ext_big(struct big); long double ext_ld(long double);
int ext_sum(struct node *); struct node *ext_last(struct node *); char *ext_dup(const char *); int ext_len(const char *);
void ext_say(const char *); void ext_fill(char *, int); int (*ext_get(void))(int);
int main(void) {
  int x; klee_make_symbolic(&x, sizeof x, "x");
  assert(ext_next() == 1);
  if (x > 5) assert(ext_next() == 2); else { assert(ext_next() == 2); assert(ext_next() == 3); }
  assert(ext_add(-3, -4, 100) == 93);
  assert(ext_scale(1.5, 2.0f) == 3.0);
  struct pair p = ext_pair((struct pair){4, 1.25}); assert(p.a == 5 && p.b == 2.5);
  struct big b = ext_big((struct big){{1, 2, 3, 4, 5}}); assert(b.a[4] == 6);
  assert(ext_ld(5.0L) == 2.5L);
  struct node *n1 = malloc(sizeof *n1), *n2 = malloc(sizeof *n2);
  n1->value = 10; n1->next = n2; n2->value = 20; n2->next = 0;
  assert(ext_last(n1) == n2);
  assert(ext_sum(n1) == 30); assert(n1->value == 0 && n2->value == 0 && n1->next == n2);
  char *d = ext_dup("hello"); assert(strcmp(d, "Xello") == 0); d[1] = 'Y';
  assert(ext_len(d) == 5); assert(d[1] == 'Y'); free(d);
  ext_say("said natively");
  char buf[64]; ext_fill(buf, 64); assert(buf[63] == 0);
  assert(ext_get()(6) == 42);
  return x > 5;
}

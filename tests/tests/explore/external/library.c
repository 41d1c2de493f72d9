/* Functions that explored programs call natively. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>
struct pair { long a; double b; };
struct big { long a[5]; };
struct node { int value; struct node *next; };
static int counter;
int ext_next(void) { return ++counter; }
int ext_add(signed char a, short b, int c) { return a + b + c; }
double ext_scale(double x, float y) { return x * y; }
struct pair ext_pair(struct pair p) { p.a++; p.b *= 2; return p; }
struct big ext_big(struct big b) { b.a[4] += b.a[0]; return b; }
long double ext_ld(long double x) { return x / 2; }
int ext_sum(struct node *n) { int s = 0; for (; n; n = n->next) { s += n->value; n->value = 0; } return s; }
struct node *ext_last(struct node *n) { while (n->next) n = n->next; return n; }
char *ext_dup(const char *s) { char *r = malloc(strlen(s) + 1); strcpy(r, s); r[0] = 'X'; return r; }
int ext_len(const char *s) { return strlen(s); }
void ext_crash(void) { *(volatile int *)8 = 1; }
void ext_hang(void) { for (;;) sleep(1); }
void ext_exit(void) { exit(3); }
int ext_eat(void) { int n = 0; while (n < 1000 && malloc(1 << 26)) n++; return n; }
int ext_call(int (*f)(int)) { return f(3); }
void ext_say(const char *s) { puts(s); }
void ext_fill(char *b, int n) { memset(b, 0, n); }
static int inner(int x) { return x * 7; }
int (*ext_get(void))(int) { return inner; }
void ext_constant(const char *s) { *(char *)s = 7; }

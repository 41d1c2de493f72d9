/* Functions of glibc that few programs use: what prints is the same natively. */
#define _GNU_SOURCE
#include <argz.h>
#include <envz.h>
#include <math.h>
#include <obstack.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free
double nextup(double), nextdown(double), roundeven(double);
int strfromd(char *, size_t, const char *, double);
int rpmatch(const char *);

static void show(const char *name, const char *argz, size_t size) {
  printf("%s %zu:", name, argz_count(argz, size));
  for (char *entry = 0; (entry = argz_next(argz, size, entry));) printf(" <%s>", entry);
  printf("\n");
}

int main(int argc, char **argv) {
  char *argz, *words[] = { "one", "", "three", 0 };
  size_t size;
  argz_create(words, &argz, &size);
  show("create", argz, size);
  argz_add(&argz, &size, "four");
  argz_add_sep(&argz, &size, ":a::b:", ':');
  show("add", argz, size);
  argz_insert(&argz, &size, argz + 5, "before");
  argz_insert(&argz, &size, 0, "last");
  show("insert", argz, size);
  argz_delete(&argz, &size, argz);
  show("delete", argz, size);
  char *list[16];
  argz_extract(argz, size, list);
  printf("%s %s\n", list[1], list[2]);
  argz_stringify(argz, size, ',');
  printf("%s\n", argz);
  free(argz);
  argz_create_sep("A=1,B,C=3", ',', &argz, &size);
  envz_add(&argz, &size, "B", "two");
  envz_add(&argz, &size, "D", 0);
  envz_remove(&argz, &size, "A");
  show("envz", argz, size);
  printf("%s %s %s\n", envz_get(argz, size, "C"), envz_get(argz, size, "D") ? "set" : "unset", envz_entry(argz, size, "B"));
  struct obstack pool;
  obstack_init(&pool);
  obstack_printf(&pool, "%d-%s", 42, "x");
  for (int k = 0; k < 300; k++) obstack_printf(&pool, "%d,", k);
  obstack_1grow(&pool, 0);
  int length = obstack_object_size(&pool);
  printf("%d %.20s\n", length, (char *)obstack_finish(&pool));
  char text[40];
  int n = strfromd(text, sizeof text, "%.3g", 3.14159);
  printf("%d %s, %a %a, %g %g %g\n", n, text, nextup(1), nextdown(0), roundeven(2.5), roundeven(-3.5), roundeven(0.5));
  printf("%d %d %d, %ls, %d\n", rpmatch("yes"), rpmatch("No"), rpmatch("?"), wcschrnul(L"ab=c", L'='), (int)strtouq("077", 0, 0));
  printf("%d %d %d\n", (isinf)(-INFINITY), (isnan)(NAN), (isinf)(1.0));
  return 0;
}

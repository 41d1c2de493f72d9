/* Headers and functions of glibc that musl does not have. */
#define _GNU_SOURCE
#include <argp.h>
#include <error.h>
#include <errno.h>
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free
SLIST_HEAD(list, item);
struct item { SLIST_ENTRY(item) next; int number; };
static int sum;
static error_t parse(int key, char *argument, struct argp_state *state) {
  if (key == 'n') sum += atoi(argument);
  return key == 'n' ? 0 : ARGP_ERR_UNKNOWN;
}
int main(int argc, char **argv) {
  struct argp_option options[] = {{"number", 'n', "N", 0, "adds", 0}, {0}};
  struct argp argp = {options, parse, 0, 0, 0, 0, 0};
  argp_parse(&argp, argc, argv, 0, 0, 0);
  struct list list = SLIST_HEAD_INITIALIZER(list);
  struct item items[2] = {{.number = 3}, {.number = 4}}, *item;
  for (int k = 0; k < 2; k++) SLIST_INSERT_HEAD(&list, &items[k], next);
  SLIST_FOREACH(item, &list, next) sum = sum * 10 + item->number;
  struct obstack pool;
  obstack_init(&pool);
  obstack_printf(&pool, "%d", sum);
  obstack_1grow(&pool, 0);
  puts((char *)obstack_finish(&pool));
  obstack_free(&pool, 0);
  struct stat status;
  printf("%d %s\n", stat("/", &status), strerror(errno = ENOENT));
  error(7, 0, "%d", sum);
  return 0;
}

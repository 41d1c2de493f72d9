/* Oracle of runtime/compat/argp.c: a parser with two children is told the same keys by glibc and by ours, on random arguments.
   Usage: argp COUNT. */
#define _GNU_SOURCE
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
error_t our_argp_parse(const struct argp *, int, char **, unsigned, int *, void *);
void our_argp_usage(const struct argp_state *);

static char *trace;
static unsigned operands;
static int is_ours;

static error_t parent(int key, char *arg, struct argp_state *state) {
  trace += sprintf(trace, "[parent %x %s next %d given %u quoted %d]", key, arg ? arg : "none", state->next, state->arg_num, state->quoted);
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = (void *)7;
    state->child_inputs[1] = (void *)9;
    return 0;
  case 'v': case 'o': case 'x': case 300: return 0;
  case ARGP_KEY_ARG: return state->arg_num >= operands ? ARGP_ERR_UNKNOWN : 0;
  case ARGP_KEY_END:
    if (!state->arg_num) (is_ours ? our_argp_usage : argp_usage)(state);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}
static error_t first_child(int key, char *arg, struct argp_state *state) {
  trace += sprintf(trace, "[first %x %s input %ld given %u]", key, arg ? arg : "none", (long)state->input, state->arg_num);
  if (key == ARGP_KEY_ARG) return operands == 2 && !state->arg_num ? 0 : ARGP_ERR_UNKNOWN;
  return key == 'c' || key == 301 ? 0 : ARGP_ERR_UNKNOWN;
}
static error_t second_child(int key, char *arg, struct argp_state *state) {
  trace += sprintf(trace, "[second %x %s input %ld]", key, arg ? arg : "none", (long)state->input);
  if (key == ARGP_KEY_ARGS) return operands == 3 ? 0 : ARGP_ERR_UNKNOWN;
  return key == 'd' ? 0 : ARGP_ERR_UNKNOWN;
}
static const struct argp_option options[] = {
  { "verbose", 'v', 0, 0, "say more" }, { "quiet", 'x', 0, 0, "say less" }, { "silent", 0, 0, OPTION_ALIAS },
  { "output", 'o', "FILE", 0, "write to FILE" }, { "level", 300, "N", OPTION_ARG_OPTIONAL, "how much" }, { 0 },
};
static const struct argp_option first_options[] = { { "child", 'c', "X", 0, "of the first" }, { "chill", 301, 0, 0, "of the first" }, { 0 } };
static const struct argp_option second_options[] = { { "dd", 'd', 0, 0, "of the second" }, { 0 } };
static const struct argp first = { first_options, first_child }, second = { second_options, second_child };
static const struct argp_child children[] = { { &first }, { &second }, { 0 } };
static const struct argp whole = { options, parent, "FILE", "A parser", children };
static const char *const words[] = {
  "-v", "-x", "--silent", "--output=f", "-of", "-o", "--level", "--level=3", "-c", "-cz", "--child", "--chi", "--chill", "-d", "a", "b", "--", "-", "--verb",
  "--nope", "-q", "--dd=3", "-vd",
};

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000;
  stderr = fopen("/dev/null", "w");
  for (long i = 0; i < count; i++) {
    static char one[1 << 14], two[1 << 14];
    char *a[10] = { "p" }, *b[10] = { "p" };
    int number = 1 + random() % 6, x = -1, y = -1, takes_rest = random() % 2;
    for (int k = 1; k < number; k++) a[k] = b[k] = (char *)words[random() % (sizeof words / sizeof *words)];
    operands = random() % 4;
    unsigned flags = ARGP_NO_EXIT | (random() % 3 ? 0 : ARGP_IN_ORDER) | (random() % 4 ? 0 : ARGP_NO_ERRS) | (random() % 8 ? 0 : ARGP_NO_ARGS);
    trace = one, is_ours = 0;
    error_t e = argp_parse(&whole, number, a, flags, takes_rest ? &x : 0, (void *)5);
    trace = two, is_ours = 1;
    error_t f = our_argp_parse(&whole, number, b, flags, takes_rest ? &y : 0, (void *)5);
    if (e != f || x != y || strcmp(one, two)) return printf("case %ld: glibc %d %d %s\nours %d %d %s\n", i, e, x, one, f, y, two), 1;
  }
  printf("%ld agree\n", count);
}

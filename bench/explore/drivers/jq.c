/* jq: the lexer and parser of its language, on a program of n symbolic characters. */
#include <stdlib.h>
#include "jq.h"
#include "locfile.h"
#include "jq_parser.h"
#include <klee/klee.h>
static void quiet(void *data, jv message) {
  (void)data;
  jv_free(message);
}
int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 3;
  char *text = malloc(n);
  klee_make_symbolic(text, n, "text");
  jq_state *state = jq_init();
  jq_set_error_cb(state, quiet, NULL);
  struct locfile *place = locfile_init(state, "input", text, (int)n);
  block program;
  int errors = jq_parse(place, &program);
  if (errors == 0)
    block_free(program);
  locfile_free(place);
  jq_teardown(&state);
  return errors != 0;
}

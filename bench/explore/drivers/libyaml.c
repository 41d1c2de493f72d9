/* libyaml: token scan of n symbolic bytes (paper: n=10). */
#include <stdlib.h>
#include <yaml.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
  unsigned char *buf = malloc(n);
  klee_make_symbolic(buf, n, "buf");
  yaml_parser_t p;
  if (!yaml_parser_initialize(&p)) return 1;
  yaml_parser_set_input_string(&p, buf, n);
  for (int done = 0; !done;) {
    yaml_token_t t;
    if (!yaml_parser_scan(&p, &t)) break;
    done = t.type == YAML_STREAM_END_TOKEN;
    yaml_token_delete(&t);
  }
  yaml_parser_delete(&p);
  free(buf);
  return 0;
}

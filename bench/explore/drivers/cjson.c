/* cJSON: parse n symbolic characters and print what was read. */
#include <stdlib.h>
#include <cJSON.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 3;
  char *text = malloc(n + 1);
  klee_make_symbolic(text, n + 1, "text");
  text[n] = 0;
  cJSON *value = cJSON_Parse(text);
  if (!value)
    return 1;
  char *printed = cJSON_PrintUnformatted(value);
  free(printed);
  cJSON_Delete(value);
  return 0;
}

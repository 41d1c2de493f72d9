/* strtod of the C library on n symbolic characters; the number decides a branch. */
#include <stdlib.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 3;
  char *text = malloc(n + 1), *end;
  klee_make_symbolic(text, n + 1, "text");
  text[n] = 0;
  double number = strtod(text, &end);
  if (end == text)
    return 1;
  return number > 1.5 ? 2 : 0;
}

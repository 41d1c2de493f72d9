/* expat: parse n symbolic bytes (paper: n=10, encoding "utf-16", hash salt 17, not final). */
#include <stdlib.h>
#include <expat.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
  const char *enc = argc > 2 ? argv[2] : "utf-16";
  char *buf = malloc(n);
  klee_make_symbolic(buf, n, "buf");
  XML_Parser p = XML_ParserCreate(enc);
  XML_SetHashSalt(p, 17);
  return XML_Parse(p, buf, (int)n, XML_FALSE) == XML_STATUS_ERROR;
}

/* libxml2: parse n symbolic HTML bytes (last one forced to 0) + 1 symbolic byte of URL (paper: n=3). */
#include <stdlib.h>
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 3;
  char *buf = malloc(n), url[2];
  klee_make_symbolic(buf, n, "buf");
  buf[n - 1] = 0;
  klee_make_symbolic(url, sizeof url, "url");
  url[1] = 0;
  xmlInitParser();
  htmlDocPtr doc = htmlReadDoc((const xmlChar *)buf, url, NULL, 0);
  return doc == NULL;
}

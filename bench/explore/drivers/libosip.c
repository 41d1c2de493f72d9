/* libosip2: parse a SIP message of n symbolic bytes, last one 0 (paper: n=20). */
#include <stdio.h>
#include <stdlib.h>
#include <osipparser2/osip_message.h>
#include <osipparser2/osip_parser.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
  char *buf = malloc(n);
  klee_make_symbolic(buf, n, "buf");
  buf[n - 1] = 0;
  parser_init();
  osip_message_t *m;
  if (osip_message_init(&m) != 0) return 2;
  int rc = osip_message_parse(m, buf, n);
  osip_message_free(m);
  free(buf);
  return rc != 0;
}

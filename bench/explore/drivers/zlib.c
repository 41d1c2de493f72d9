/* zlib: inflate n symbolic bytes in the format of zlib, or (second argument "raw") without header and checksum. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 6;
  int window = argc > 2 && !strcmp(argv[2], "raw") ? -15 : 15;
  unsigned char *input = malloc(n), output[64];
  klee_make_symbolic(input, n, "input");
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (inflateInit2(&stream, window) != Z_OK)
    return 2;
  stream.next_in = input;
  stream.avail_in = (unsigned)n;
  stream.next_out = output;
  stream.avail_out = sizeof output;
  int end = inflate(&stream, Z_NO_FLUSH);
  inflateEnd(&stream);
  return end < 0;
}

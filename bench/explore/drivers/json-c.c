/* json-c: build an object (linkhash) and look up a symbolic key after every insertion
   (paper: 4 insertions, 1-character keys). */
#include <stdio.h>
#include <stdlib.h>
#include <json.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 4, klen = argc > 2 ? atoi(argv[2]) : 1, hits = 0;
  json_object *o = json_object_new_object();
  for (int i = 0; i < n; i++) {
    char key[2] = {(char)('a' + i), 0};
    json_object_object_add(o, key, json_object_new_int(100 + i));
    char *s = calloc((size_t)klen + 1, 1), name[] = "k0";
    name[1] = (char)('0' + i);
    klee_make_symbolic(s, (size_t)klen + 1, name);
    s[klen] = 0;
    json_object *v = json_object_object_get(o, s);
    hits += v != NULL;
  }
  return hits > 4;
}

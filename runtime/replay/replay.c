/* Native side of `stet replay`: link this with a program and run it with KTEST_FILE naming a .ktest (format 3).
   klee_make_symbolic then copies the test's objects in order; a mismatch is reported on stderr and ends the run with 66,
   a violated klee_assume with 77. */
#include "../include/klee/klee.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { bad_test = 66, assumption_violated = 77 };

struct object {
  char *name;
  unsigned char *bytes;
  uint32_t size;
};

static struct object *objects;
static uint32_t object_count, next_object;
static int loaded;

static void fail(const char *what) {
  fprintf(stderr, "KLEE_RUN_TEST_ERROR: %s\n", what);
  if (getenv("KLEE_RUN_TEST_ERRORS_NON_FATAL")) {
    fprintf(stderr, "KLEE_RUN_TEST_ERROR: Forcing execution to continue\n");
    return;
  }
  exit(bad_test);
}

static uint32_t read_u32(FILE *file) {
  unsigned char b[4];
  if (fread(b, 1, 4, file) != 4) { fail("the test file ends early"); exit(bad_test); }
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static unsigned char *read_bytes(FILE *file, uint32_t n) {
  unsigned char *bytes = calloc((size_t)n + 1, 1);
  if (!bytes || fread(bytes, 1, n, file) != n) { fail("the test file ends early"); exit(bad_test); }
  return bytes;
}

static void load(void) {
  const char *path = getenv("KTEST_FILE");
  loaded = 1;
  if (!path) { fail("KTEST_FILE is not set"); return; }
  FILE *file = fopen(path, "rb");
  char magic[5];
  if (!file || fread(magic, 1, 5, file) != 5) { fail("KTEST_FILE cannot be read"); exit(bad_test); }
  if (memcmp(magic, "KTEST", 5) && memcmp(magic, "BOUT\n", 5)) fail("KTEST_FILE is not a test");
  uint32_t version = read_u32(file);
  if (version > 3) fail("the test's version is unknown");
  for (uint32_t n = read_u32(file); n; n--) free(read_bytes(file, read_u32(file)));
  if (version >= 2) { read_u32(file); read_u32(file); }
  object_count = read_u32(file);
  objects = calloc((size_t)object_count + 1, sizeof *objects);
  for (uint32_t i = 0; i < object_count; i++) {
    objects[i].name = (char *)read_bytes(file, read_u32(file));
    objects[i].size = read_u32(file);
    objects[i].bytes = read_bytes(file, objects[i].size);
  }
  fclose(file);
}

void klee_make_symbolic(void *address, size_t n, const char *name) {
  if (!loaded) load();
  while (next_object < object_count && !strcmp(objects[next_object].name, "model_version")) next_object++;
  if (next_object == object_count) {
    fail("out of inputs: the program makes more objects symbolic than the test has");
    memset(address, 0, n);
    return;
  }
  struct object *object = &objects[next_object++];
  if (object->size != n) {
    fprintf(stderr, "replay: object %s has %zu bytes, the test has %u for it\n", name, n, object->size);
    fail("object sizes differ");
    memset(address, 0, n);
    if (n > object->size) n = object->size;
  }
  memcpy(address, object->bytes, n);
}

int klee_int(const char *name) {
  int value;
  klee_make_symbolic(&value, sizeof value, name);
  return value;
}

int klee_range(int begin, int end, const char *name) {
  if (begin + 1 == end) return begin;
  int value = klee_int(name);
  klee_assume(value >= begin && value < end);
  return value;
}

uintptr_t klee_choose(uintptr_t n) {
  uintptr_t value;
  klee_make_symbolic(&value, sizeof value, "klee_choose");
  klee_assume(value < n);
  return value;
}

void klee_assume(uintptr_t condition) {
  if (condition) return;
  fprintf(stderr, "replay: the test violates an assumption\n");
  if (getenv("KLEE_RUN_TEST_ERRORS_NON_FATAL")) return;
  exit(assumption_violated);
}

void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
  fflush(stdout);
  fprintf(stderr, "%s:%d: %s (%s)\n", file, line, message, suffix);
  abort();
}

void klee_silent_exit(int status) { exit(status); }
void klee_abort(void) { abort(); }
unsigned klee_is_symbolic(uintptr_t value) { (void)value; return 0; }
unsigned klee_is_replay(void) { return 1; }
void klee_warning(const char *message) { fprintf(stderr, "warning: %s\n", message); }
void klee_warning_once(const char *message) { klee_warning(message); }
void klee_print_expr(const char *message, ...) { fprintf(stderr, "%s\n", message); }
void klee_print_range(const char *message, int value) { fprintf(stderr, "%s:%d\n", message, value); }
float klee_get_valuef(float value) { return value; }
double klee_get_valued(double value) { return value; }
long klee_get_valuel(long value) { return value; }
long long klee_get_valuell(long long value) { return value; }
int32_t klee_get_value_i32(int32_t value) { return value; }
int64_t klee_get_value_i64(int64_t value) { return value; }
void klee_prefer_cex(void *object, uintptr_t condition) { (void)object; (void)condition; }
void klee_mark_global(void *object) { (void)object; }
void klee_check_memory_access(const void *address, size_t n) { (void)address; (void)n; }
void klee_stack_trace(void) {}
void klee_set_forking(unsigned enable) { (void)enable; }
void klee_alias_function(const char *name, const char *other) { (void)name; (void)other; }
void klee_open_merge(void) {}
void klee_close_merge(void) {}

/* What a program under `stet explore` may call. The names and meanings are KLEE's, so that its programs compile here. */
#ifndef KLEE_KLEE_H
#define KLEE_KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the n bytes at address, which must be the start of an object of that size, symbolic under the given name. */
void klee_make_symbolic(void *address, size_t n, const char *name);
/* A symbolic value in [begin, end). */
int klee_range(int begin, int end, const char *name);
/* A symbolic int. */
int klee_int(const char *name);
/* Keeps only the inputs for which condition is not 0; the path ends if there are none. */
void klee_assume(uintptr_t condition);
/* Whether the value is symbolic on this path. */
unsigned klee_is_symbolic(uintptr_t value);
/* Whether the program runs natively on a test (never true under the engine). */
unsigned klee_is_replay(void);

/* End of the path: without a test; with an error; with a report of the caller's own. */
void klee_silent_exit(int status) __attribute__((noreturn));
void klee_abort(void) __attribute__((noreturn));
void klee_report_error(const char *file, int line, const char *message, const char *suffix) __attribute__((noreturn));

/* The size of the object that address points to the start of. */
size_t klee_get_obj_size(void *address);
/* Prints the value as an expression. */
void klee_print_expr(const char *message, ...);
/* Prints the least and the largest value. */
void klee_print_range(const char *message, int value);
/* Fixes a value to one it can have. */
float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);
/* A symbolic value in [0, n). */
uintptr_t klee_choose(uintptr_t n);
/* The test for this path should satisfy the condition where it can. */
void klee_prefer_cex(void *object, uintptr_t condition);
/* Declares n bytes at a fixed address to be an object. */
void klee_define_fixed_object(void *address, size_t n);
/* An error unless all n bytes at address may be accessed. */
void klee_check_memory_access(const void *address, size_t n);
void klee_mark_global(void *object);

void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_stack_trace(void);
void klee_set_forking(unsigned enable);
void klee_alias_function(const char *name, const char *other);

/* Regions whose paths may be merged; exploring them separately is as correct. */
void klee_open_merge(void);
void klee_close_merge(void);

#define klee_assert(condition) \
  ((condition) ? (void)0 : klee_report_error(__FILE__, __LINE__, "ASSERTION FAIL: " #condition, "assert.err"))

#ifdef __cplusplus
}
#endif
#endif

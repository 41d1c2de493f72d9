/* Native side of `stet replay` for Rust: calls the function marked `#[stet::explore]` whose name is in STET_REPLAY_ENTRY before
   `main`. An entry is the address of the function, then its name, which ends in a zero, at a multiple of 8. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char __start_stet_explore[] __attribute__((weak));
extern const char __stop_stet_explore[] __attribute__((weak));

void klee_assume(uintptr_t condition);
void stet_assume(uintptr_t condition) { klee_assume(condition); }

__attribute__((constructor)) static void run_marked(void) {
  const char *name = getenv("STET_REPLAY_ENTRY");
  if (!name) return;
  for (const char *entry = __start_stet_explore; entry && entry < __stop_stet_explore;) {
    const char *text = entry + sizeof(void (*)(void));
    if (!strcmp(text, name)) {
      void (*function)(void);
      memcpy(&function, entry, sizeof function);
      function();
      exit(0);
    }
    entry = text + strlen(text) + 1;
    while (((uintptr_t)entry & 7) && entry < __stop_stet_explore) entry++;
  }
  fprintf(stderr, "replay: the program has no function %s\n", name);
  exit(66);
}

/* A library has no `main` of its own. */
__attribute__((weak)) int main(void) { return 0; }

/* The start and the end of threads for the library as IR, instead of musl's pthread_create.c: stacks and turns are the model's
   (posix/threads.c). A thread that runs is never interrupted, so the lists here need no locks. */
#include <stdlib.h>
#include <string.h>
#include "pthread_impl.h"
#include "stdio_impl.h"
#include "libc.h"
int sx_thread_new(void (*entry)(void *), void *argument, void *library);
_Noreturn void sx_thread_end(void);
void stet_refuse(const char *what) __attribute__((noreturn));

void __tl_lock(void) {}
void __tl_unlock(void) {}
void __tl_sync(pthread_t thread) {}

void __do_cleanup_push(struct __ptcb *handler) {
  handler->__next = __pthread_self()->cancelbuf;
  __pthread_self()->cancelbuf = handler;
}

void __do_cleanup_pop(struct __ptcb *handler) { __pthread_self()->cancelbuf = handler->__next; }

/* Destructors of thread-local objects, of C++ and of Rust's `thread_local!`. Those of the first thread run before what is
   registered with atexit: setup-musl adds a call of sx_destroy_own to exit. */
struct destructor { struct destructor *next; void (*run)(void *); void *object; pthread_t thread; };
static struct destructor *destructors;

void sx_destroy_own(void) {
  pthread_t self = __pthread_self();
  for (struct destructor **at = &destructors; *at;) {
    struct destructor *found = *at;
    if (found->thread != self) { at = &found->next; continue; }
    *at = found->next;
    found->run(found->object);
    free(found);
    at = &destructors; /* it may have added some */
  }
}

int __cxa_thread_atexit_impl(void (*run)(void *), void *object, void *module) {
  struct destructor *new = malloc(sizeof *new);
  *new = (struct destructor){ destructors, run, object, __pthread_self() };
  destructors = new;
  return 0;
}

weak_alias(__cxa_thread_atexit_impl, __cxa_thread_atexit);

_Noreturn void __pthread_exit(void *result) {
  pthread_t self = __pthread_self();
  self->canceldisable = 1;
  self->result = result;
  while (self->cancelbuf) {
    struct __ptcb *handler = self->cancelbuf;
    self->cancelbuf = handler->__next;
    handler->__f(handler->__x);
  }
  sx_destroy_own();
  __pthread_tsd_run_dtors();
  if (self->robust_list.head != &self->robust_list.head) stet_refuse("a thread ends while it holds a robust mutex");
  if (self->next == self) exit(0);
  __do_orphaned_stdio_locks();
  self->next->prev = self->prev;
  self->prev->next = self->next;
  self->prev = self->next = self;
  if (!--libc.threads_minus_1) libc.need_locks = -1;
  if (self->detach_state == DT_DETACHED) free(self);
  else {
    self->detach_state = DT_EXITED;
    __wake(&self->detach_state, 1, 1);
  }
  sx_thread_end();
}
weak_alias(__pthread_exit, pthread_exit);

struct start { void *(*function)(void *); void *argument; int is_c11; };

static void run(void *given) {
  struct start start = *(struct start *)given;
  free(given);
  if (start.is_c11) __pthread_exit((void *)(uintptr_t)((int (*)(void *))(uintptr_t)start.function)(start.argument));
  __pthread_exit(start.function(start.argument));
}

static void use_locks(FILE *file) { if (file && file->lock < 0) file->lock = 0; }

static void first_thread(void) {
  libc.threaded = 1;
  if (!__pthread_self()->tsd) __pthread_self()->tsd = __pthread_tsd_main;
  for (FILE *file = *__ofl_lock(); file; file = file->next) use_locks(file);
  __ofl_unlock();
  use_locks(__stdin_used);
  use_locks(__stdout_used);
  use_locks(__stderr_used);
}

int __pthread_create(pthread_t *restrict out, const pthread_attr_t *restrict given, void *(*function)(void *), void *restrict argument) {
  int is_c11 = given == __ATTRP_C11_THREAD;
  pthread_t self = __pthread_self(), new = calloc(1, sizeof *new);
  struct start *start = malloc(sizeof *start);
  if (!libc.threaded) first_thread();
  new->self = new;
  new->tsd = calloc(PTHREAD_KEYS_MAX, sizeof *new->tsd);
  new->locale = &libc.global_locale;
  new->robust_list.head = &new->robust_list.head;
  new->detach_state = given && !is_c11 && given->_a_detach ? DT_DETACHED : DT_JOINABLE;
  new->next = self->next;
  new->prev = self;
  new->next->prev = new;
  self->next = new;
  if (!libc.threads_minus_1++) libc.need_locks = 1;
  *start = (struct start){ function, argument, is_c11 };
  new->tid = 2 + sx_thread_new(run, start, new);
  *out = new;
  return 0;
}
weak_alias(__pthread_create, pthread_create);

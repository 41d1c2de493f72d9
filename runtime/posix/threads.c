/* Threads take turns: one runs until it waits, yields or ends, then the next one that can. Locks, conditions and joining are
   the C library's own; they wait and wake through futexes, which are here. The engine keeps the stacks (sx_stack_*). */
#include "model.h"

enum { thread_limit = 256 };
enum thread_state { absent, ready, waiting };

struct thread {
  enum thread_state state;
  volatile int *address;    /* waited for */
  int has_limit, timed_out; /* of the wait */
  void *library;            /* what the C library knows of the thread */
};

static struct thread threads[thread_limit] = { { ready } };
static int running;

/* Whatever waits for a timer or a signal may be woken from outside. */
int sx_may_be_woken;

extern void *sx_thread;

static int next_ready(void) {
  for (int i = 1; i < thread_limit; i++) {
    int next = (running + i) % thread_limit;
    if (threads[next].state == ready) return next;
  }
  return -1;
}

static void give_control(int next) {
  threads[running].library = sx_thread;
  running = next;
  sx_stack_switch(next);
  sx_thread = threads[running].library;
}

/* Whether another thread could run meanwhile. */
int sx_yield(void) {
  int next = next_ready();
  if (next < 0) return 0;
  give_control(next);
  return 1;
}

/* Nobody can run: the wait of somebody with a time limit ends, or nothing ever happens again. */
static int end_a_wait(void) {
  for (int i = 0; i < thread_limit; i++) {
    int next = (running + i) % thread_limit;
    if (threads[next].state != waiting || !threads[next].has_limit) continue;
    threads[next].state = ready;
    threads[next].timed_out = 1;
    sx_tick(1000000);
    return next;
  }
  if (sx_may_be_woken) stet_refuse("all threads wait; only a signal from outside or a timer could wake one");
  klee_report_error(__FILE__, __LINE__, "deadlock: every thread waits for another one", "deadlock.err");
}

static long wait_for(volatile int *address, int expected, int has_limit) {
  if (*address != expected) return -EAGAIN;
  struct thread *self = &threads[running];
  self->state = waiting;
  self->address = address;
  self->has_limit = has_limit;
  self->timed_out = 0;
  int next = next_ready();
  if (next < 0) next = end_a_wait();
  if (next != running) give_control(next);
  return self->timed_out ? -ETIMEDOUT : 0;
}

/* Wakes some that wait for an address, and lets some others wait for another one. */
static long wake(volatile int *address, int count, int moved, volatile int *elsewhere) {
  long woken = 0;
  for (int i = 1; i <= thread_limit; i++) {
    struct thread *thread = &threads[(running + i) % thread_limit];
    if (thread->state != waiting || thread->address != address) continue;
    if (count-- > 0) thread->state = ready;
    else if (moved-- > 0) thread->address = elsewhere;
    else break;
    woken++;
  }
  return woken;
}

long sx_futex(volatile int *address, long operation, int value, long limit, volatile int *elsewhere, unsigned mask) {
  enum { wait = 0, wakes = 1, requeue = 3, compare_requeue = 4, wait_bits = 9, wake_bits = 10, flags = 128 | 256 };
  switch (operation & ~flags) {
  case wait_bits: if (mask != ~0u) stet_refuse("waiting for some bits of a futex");
  case wait: return wait_for(address, value, limit != 0);
  case wake_bits: if (mask != ~0u) stet_refuse("waking those who wait for some bits of a futex");
  case wakes: return wake(address, value, 0, 0);
  case compare_requeue: if (*address != (int)mask) return -EAGAIN;
  case requeue: return wake(address, value, limit, elsewhere);
  default: stet_refuse("locks that inherit priorities");
  }
}

/* The C library's part: a new thread, and the end of the running one. */
struct start { void (*entry)(void *); void *argument, *library; };

static void first_function(void *given) {
  struct start start = *(struct start *)given;
  sx_release(given);
  sx_thread = start.library;
  start.entry(start.argument);
  sx_thread_end();
}

int sx_thread_new(void (*entry)(void *), void *argument, void *library) {
  int slot = 1;
  while (slot < thread_limit && threads[slot].state != absent) slot++;
  if (slot == thread_limit) stet_refuse("more than 255 threads at once");
  stet_left_out("threads take turns where they wait, yield or end: other orders of their steps are left out");
  struct start *start = sx_allocate(sizeof *start);
  *start = (struct start){ entry, argument, library };
  threads[slot].state = ready;
  sx_stack_new(slot, first_function, start);
  return slot;
}

void sx_thread_end(void) {
  threads[running].state = absent;
  int next = next_ready();
  if (next < 0) next = end_a_wait();
  running = next;
  sx_thread = threads[next].library;
  sx_stack_end(next);
}

int sx_thread_number(void) { return running; }

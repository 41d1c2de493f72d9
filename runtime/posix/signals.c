/* Signals the program sends itself: masks, handlers, default actions. None come from outside. */
#include "model.h"

/* As the kernel sees `struct sigaction`. */
struct action {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};

enum { signal_count = 65 };
static struct action actions[signal_count];
static uint64_t blocked, pending;
/* The mask before the outermost handler: jumping out of handlers with siglongjmp goes back to it. */
static uint64_t mask_outside;
static int handlers_running;

static uint64_t bit(int number) { return (uint64_t)1 << (number - 1); }

static int is_ignored_by_default(int number) {
  return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

static void deliver(int number) {
  struct action *action = &actions[number];
  if (action->handler == SIG_IGN && number != SIGKILL && number != SIGSTOP) return;
  if (action->handler == SIG_DFL || number == SIGKILL) {
    if (is_ignored_by_default(number)) return;
    if (number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU)
      stet_refuse("the program stops itself with a signal");
    sx_killed(number);
  }
  uint64_t before = blocked;
  void (*handler)(int) = action->handler;
  if (!handlers_running++) mask_outside = before;
  blocked |= action->mask;
  if (!(action->flags & SA_NODEFER)) blocked |= bit(number);
  int with_details = (action->flags & SA_SIGINFO) != 0;
  if (action->flags & SA_RESETHAND) action->handler = SIG_DFL;
  if (with_details) {
    siginfo_t details;
    __builtin_memset(&details, 0, sizeof details);
    details.si_signo = number;
    details.si_code = SI_TKILL;
    details.si_pid = 2;
    details.si_uid = user;
    ((void (*)(int, siginfo_t *, void *))handler)(number, &details, 0);
  } else {
    handler(number);
  }
  handlers_running--;
  blocked = before;
}

static void deliver_pending(void) {
  while (pending & ~blocked) {
    int number = __builtin_ctzll(pending & ~blocked) + 1;
    pending &= ~bit(number);
    deliver(number);
  }
}

long sx_send(int number) {
  if (number < 0 || number >= signal_count) return -EINVAL;
  if (!number) return 0;
  if (number == SIGKILL || number == SIGSTOP) deliver(number);
  pending |= bit(number);
  deliver_pending();
  return 0;
}

static long send_to(long process, long number) {
  if ((int)process == 1) return -EPERM;
  if ((int)process != 2 && (int)process != 0 && (int)process != -1 && (int)process != -2) return -ESRCH;
  return sx_send(number);
}

static long set_mask(long how, const uint64_t *set, uint64_t *old) {
  if (old) *old = blocked;
  if (!set) return 0;
  if (how == SIG_BLOCK) blocked |= *set;
  else if (how == SIG_UNBLOCK) blocked &= ~*set;
  else if (how == SIG_SETMASK) blocked = *set;
  else return -EINVAL;
  blocked &= ~(bit(SIGKILL) | bit(SIGSTOP));
  deliver_pending();
  return 0;
}

static long set_action(long number, const struct action *new, struct action *old) {
  if (number < 1 || number >= signal_count) return -EINVAL;
  if (new && (number == SIGKILL || number == SIGSTOP)) return -EINVAL;
  if (old) *old = actions[number];
  if (new) actions[number] = *new;
  if (new && new->handler != SIG_DFL && new->handler != SIG_IGN) sx_may_be_woken = 1;
  return 0;
}

/* Masks are the process's here: a signal for another thread would be delivered to this one. */
static long send_to_thread(long thread, long number) {
  if (thread != main_thread + sx_thread_number() && number) stet_refuse("a signal for another thread");
  return sx_send(number);
}

long sx_signal_call(long number, long a, long b, long c, long d, int *known) {
  *known = 1;
  switch (number) {
  case SYS_rt_sigaction: return set_action(a, (void *)b, (void *)c);
  case SYS_rt_sigprocmask: return set_mask(a, (void *)b, (void *)c);
  case SYS_rt_sigpending: *(uint64_t *)a = pending; return 0;
  case SYS_sigaltstack: return 0;
  case SYS_kill: return send_to(a, b);
  case SYS_tkill: return send_to_thread(a, b);
  case SYS_tgkill: return send_to_thread(b, c);
  case SYS_rt_sigsuspend: {
    uint64_t before = blocked;
    if (!(pending & ~*(uint64_t *)a)) stet_refuse("waiting for a signal that nobody sends");
    blocked = *(uint64_t *)a;
    deliver_pending();
    blocked = before;
    return -EINTR;
  }
  case SYS_rt_sigtimedwait: {
    uint64_t wanted = pending & *(uint64_t *)a;
    if (!wanted) return -EAGAIN;
    int found = __builtin_ctzll(wanted) + 1;
    pending &= ~bit(found);
    return found;
  }
  case SYS_pause: stet_refuse("waiting for a signal that nobody sends");
  default: *known = 0; return -ENOSYS;
  }
}

/* Frames are the engine's, the mask is ours. */
void siglongjmp(sigjmp_buf buffer, int value) {
  if (handlers_running) {
    handlers_running = 0;
    blocked = mask_outside;
  }
  longjmp(buffer, value);
}

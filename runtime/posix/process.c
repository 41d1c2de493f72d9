/* One process: time, users, limits, its end. Other processes and sockets are refused by name; threads are in threads.c. */
#include "model.h"

/* Clocks start here and move on a little with every look at them, so that no program waits for ever. */
struct timespec sx_now = { 1600000000, 0 };
long sx_file_mask = 022;

static void look_at_clock(void) {
  stet_left_out("clocks start at a fixed time and move on a little with every look at them");
  sx_tick(100000);
}

void sx_tick(long nanoseconds) {
  sx_now.tv_nsec += nanoseconds;
  if (sx_now.tv_nsec >= 1000000000) {
    sx_now.tv_sec += sx_now.tv_nsec / 1000000000;
    sx_now.tv_nsec %= 1000000000;
  }
}

static long clock_time(long clock, struct timespec *out) {
  look_at_clock();
  if (!out) return 0;
  *out = sx_now;
  /* the time since the start, for clocks of the machine, the process and the thread */
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) out->tv_sec -= 1600000000 - 1000;
  return 0;
}

/* Elsewhere they are others, and a program may depend on them. */
void sx_tell_fixed(void) {
  stet_left_out("numbers of the process, its user, its limits and the machine are fixed here");
}

/* Called by the engine in place of an allocation that failed. */
void *sx_no_memory(void) {
  errno = ENOMEM;
  return 0;
}

static long limits(struct rlimit *out, long what) {
  sx_tell_fixed();
  if (!out) return 0;
  out->rlim_cur = out->rlim_max = RLIM_INFINITY;
  if (what == RLIMIT_NOFILE) out->rlim_cur = out->rlim_max = descriptor_count;
  if (what == RLIMIT_STACK) out->rlim_cur = 8 << 20;
  return 0;
}

static void text(char *out, const char *from) {
  do *out++ = *from; while (*from++);
}

static long identify(struct utsname *out) {
  sx_tell_fixed();
  __builtin_memset(out, 0, sizeof *out);
  text(out->sysname, "Linux");
  text(out->nodename, "localhost");
  text(out->release, "6.1.0");
  text(out->version, "#1");
  text(out->machine, "x86_64");
  return 0;
}

static long random_bytes(unsigned char *out, long size) {
  static uint64_t seed = 0x9e3779b97f4a7c15;
  stet_left_out("random bytes of the system are always the same here");
  for (long i = 0; i < size; i++) {
    seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
    out[i] = seed >> 24;
  }
  return size;
}

static long refused(long number) {
  switch (number) {
  case SYS_execve: case SYS_execveat: stet_refuse("exec: the program is replaced by another one");
  case SYS_fork: case SYS_vfork: case SYS_clone: case SYS_clone3: stet_refuse("fork: other processes");
  case SYS_socket: case SYS_socketpair: case SYS_connect: case SYS_bind: case SYS_accept: case SYS_accept4:
    stet_left_out("there is no network here: sockets cannot be made");
    return -EAFNOSUPPORT;
  default: return 1;
  }
}

long sx_process_call(long number, long a, long b, long c, long d, long e, long f, int *known) {
  *known = 1;
  long answer = refused(number);
  if (answer <= 0) return answer;
  switch (number) {
  case SYS_exit: case SYS_exit_group: sx_exit(a);
  case SYS_brk: return -ENOMEM;
  case SYS_set_tid_address: case SYS_gettid: return main_thread + sx_thread_number();
  case SYS_getpid: case SYS_getpgrp: case SYS_getsid: case SYS_setsid: sx_tell_fixed(); return main_thread;
  case SYS_getpgid: sx_tell_fixed(); return a == 0 || a == 2 ? 2 : -ESRCH;
  case SYS_setpgid: return 0;
  case SYS_getppid: sx_tell_fixed(); return 1;
  case SYS_getuid: case SYS_geteuid: case SYS_getgid: case SYS_getegid: sx_tell_fixed(); return user;
  case SYS_getresuid: case SYS_getresgid: sx_tell_fixed(); *(int *)a = *(int *)b = *(int *)c = user; return 0;
  case SYS_setuid: case SYS_setgid: case SYS_setfsuid: case SYS_setfsgid: sx_tell_fixed(); return a == user ? 0 : -EPERM;
  case SYS_setreuid: case SYS_setregid: sx_tell_fixed(); return ((int)a == -1 || a == user) && ((int)b == -1 || b == user) ? 0 : -EPERM;
  case SYS_setresuid: case SYS_setresgid:
    sx_tell_fixed();
    return ((int)a == -1 || a == user) && ((int)b == -1 || b == user) && ((int)c == -1 || c == user) ? 0 : -EPERM;
  case SYS_getgroups: sx_tell_fixed(); if (a >= 1) *(int *)b = user; return 1;
  case SYS_setgroups: sx_tell_fixed(); return -EPERM;
  case SYS_umask: {
    static int is_set;
    if (!is_set) stet_left_out("the mask of new files is 022 at first");
    long before = sx_file_mask;
    sx_file_mask = a & 0777;
    is_set = 1;
    return before;
  }
  case SYS_wait4: case SYS_waitid: return -ECHILD;
  case SYS_uname: return identify((void *)a);
  case SYS_gettimeofday: {
    struct timeval *out = (void *)a;
    look_at_clock();
    if (out) { out->tv_sec = sx_now.tv_sec; out->tv_usec = sx_now.tv_nsec / 1000; }
    return 0;
  }
  case SYS_time: look_at_clock(); if (a) *(long *)a = sx_now.tv_sec; return sx_now.tv_sec;
  case SYS_clock_gettime: return clock_time(a, (void *)b);
  case SYS_clock_getres: if (b) { ((struct timespec *)b)->tv_sec = 0; ((struct timespec *)b)->tv_nsec = 1; } return 0;
  case SYS_clock_settime: case SYS_settimeofday: case SYS_adjtimex: sx_tell_fixed(); return -EPERM;
  case SYS_nanosleep: case SYS_clock_nanosleep: {
    struct timespec *time = (void *)(number == SYS_nanosleep ? a : c);
    if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec > 999999999) return -EINVAL;
    sx_now.tv_sec += time->tv_sec;
    sx_tick(time->tv_nsec);
    sx_yield();
    return 0;
  }
  case SYS_times: look_at_clock(); if (a) __builtin_memset((void *)a, 0, sizeof(struct tms)); return 1000;
  case SYS_getrusage: look_at_clock(); __builtin_memset((void *)b, 0, sizeof(struct rusage)); return 0;
  case SYS_getrlimit: return limits((void *)b, a);
  case SYS_setrlimit: stet_left_out("limits that a program sets itself have no effect here"); return 0;
  case SYS_prlimit64:
    if (c) stet_left_out("limits that a program sets itself have no effect here");
    return limits((void *)d, b);
  case SYS_getpriority: sx_tell_fixed(); return 20;
  case SYS_sched_yield: sx_yield(); return 0;
  case SYS_setpriority: case SYS_membarrier: return 0;
  case SYS_sched_getaffinity: sx_tell_fixed(); if (b < 8) return -EINVAL; *(long *)c = 1; return 8;
  case SYS_getcpu: sx_tell_fixed(); if (a) *(int *)a = 0; if (b) *(int *)b = 0; return 0;
  case SYS_prctl: case SYS_arch_prctl: stet_left_out("prctl fails here"); return -EINVAL;
  case SYS_futex: return sx_futex((int *)a, b, c, d, (int *)e, f);
  case SYS_set_robust_list: return 0;
  case SYS_getrandom: return random_bytes((void *)a, b);
  case SYS_sysinfo: sx_tell_fixed(); __builtin_memset((void *)a, 0, 112); return 0;
  case SYS_alarm: case SYS_setitimer: case SYS_getitimer:
    stet_left_out("timers that send signals never fire here");
    sx_may_be_woken = 1;
    return 0;
  case SYS_sync: return 0;
  default: *known = 0; return -ENOSYS;
  }
}

/* The entry points: the start of the program, and every system call of the C library. */
#include "model.h"

int sx_start(int argc, char **argv, char **envp);

/* What is symbolic is set up before the C library starts. */
int sx_posix_start(int argc, char **argv, char **envp) {
  sx_set_up(&argc, &argv, &envp);
  return sx_start(argc, argv, envp);
}

/* For programs that start elsewhere than at main. */
void sx_libc_init(char **envp, char *name);
void sx_prepare(void) {
  static char *none[1];
  int argc = 0;
  char **argv = none, **envp = none;
  sx_set_up(&argc, &argv, &envp);
  sx_libc_init(none, "program");
}

static void name_number(char *out, long number) {
  char digits[24];
  int n = 0;
  do { digits[n++] = '0' + number % 10; number /= 10; } while (number);
  while (n) *out++ = digits[--n];
  *out = 0;
}

long sx_syscall(long number, long a, long b, long c, long d, long e, long f) {
  int known;
  long answer = sx_file_call(number, a, b, c, d, e, f, &known);
  if (!known) answer = sx_name_call(number, a, b, c, d, e, &known);
  if (!known) answer = sx_process_call(number, a, b, c, d, e, f, &known);
  if (!known) answer = sx_signal_call(number, a, b, c, d, &known);
  if (!known) {
    char message[64] = "system call ";
    name_number(message + 12, number);
    stet_left_out(message);
  }
  return answer;
}

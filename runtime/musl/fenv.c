/* The floating-point environment, instead of musl's, which pretends that there is none: operations round to the nearest number, and which exceptions
   they raise is not recorded. A program that asks for more is told so; scripts/setup-musl leaves the environment out of musl's own functions. */
#include <fenv.h>

long sx_assumed(long value, long key, const char *what);
void stet_left_out(const char *what);

static int raised, rounding = FE_TONEAREST;
static long asked;

int feclearexcept(int mask) {
  raised &= ~mask;
  return 0;
}

int feraiseexcept(int mask) {
  raised |= mask & FE_ALL_EXCEPT;
  return 0;
}

int fetestexcept(int mask) {
  /* no branch: what an earlier call returned may have been raised again */
  int others = sx_assumed(0, ++asked, "exceptions that floating-point operations raise are not recorded");
  return (raised | others) & mask & FE_ALL_EXCEPT;
}

int fegetround(void) { return rounding; }

int fesetround(int mode) {
  if (mode & ~(FE_DOWNWARD | FE_UPWARD | FE_TOWARDZERO)) return -1;
  rounding = mode;
  if (mode != FE_TONEAREST) stet_left_out("floating-point operations round to the nearest number here, whatever fesetround is told");
  return 0;
}

int fegetenv(fenv_t *to) {
  *to = (fenv_t){.__control_word = rounding, .__status_word = raised};
  return 0;
}

int fesetenv(const fenv_t *from) {
  static const fenv_t initial;
  if (from == FE_DFL_ENV) from = &initial;
  raised = from->__status_word;
  return fesetround(from->__control_word);
}

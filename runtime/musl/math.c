/* `errno` of mathematical functions, as glibc sets it: musl's have exceptions only. scripts/setup-musl compiles musl's function f as `musl_f`
   for every f that is listed here; the functions behind `__math_invalid` and its like tell through those. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>

#define RESULT(y, arguments_are_numbers, arguments_are_finite) \
  if ((y) != (y)) { if (arguments_are_numbers) errno = EDOM; } \
  else if (isinf(y) && (arguments_are_finite)) errno = ERANGE; \
  return y;
#define ONE_OF(type, name) \
  type musl_##name(type); \
  type name(type x) { type y = musl_##name(x); RESULT(y, x == x, isfinite(x)) }
#define TWO_OF(type, name) \
  type musl_##name(type, type); \
  type name(type x, type z) { type y = musl_##name(x, z); RESULT(y, x == x && z == z, isfinite(x) && isfinite(z)) }
#define SCALED_OF(type, name, power) \
  type musl_##name(type, power); \
  type name(type x, power n) { type y = musl_##name(x, n); if (y == 0 && x != 0) errno = ERANGE; RESULT(y, x == x, isfinite(x)) }
#define POWER_OF(type, name) \
  type musl_##name(type, type); \
  type name(type x, type z) { \
    type y = musl_##name(x, z); \
    if (y == 0 && x != 0 && isfinite(x) && isfinite(z)) errno = ERANGE; \
    RESULT(y, x == x && z == z, isfinite(x) && isfinite(z)) \
  }
#define EXPONENTIAL_OF(type, name) \
  type musl_##name(type); \
  type name(type x) { type y = musl_##name(x); if (y == 0 && isfinite(x)) errno = ERANGE; RESULT(y, x == x, isfinite(x)) }
#define EXPONENTIAL(name) EXPONENTIAL_OF(double, name) EXPONENTIAL_OF(float, name##f) EXPONENTIAL_OF(long double, name##l)
#define ONE(name) ONE_OF(double, name) ONE_OF(float, name##f) ONE_OF(long double, name##l)
#define TWO(name) TWO_OF(double, name) TWO_OF(float, name##f) TWO_OF(long double, name##l)
#define SCALED(name, power) SCALED_OF(double, name, power) SCALED_OF(float, name##f, power) SCALED_OF(long double, name##l, power)

ONE(acos) ONE(acosh) ONE(asin) ONE(atanh) ONE(cos) ONE(cosh) ONE(expm1) ONE(lgamma) ONE(log1p) ONE(sin) ONE(sinh) ONE(tan) ONE(tgamma)
ONE_OF(long double, log10l) ONE_OF(long double, log2l) ONE_OF(long double, logl)
EXPONENTIAL(exp) EXPONENTIAL(exp2)
POWER_OF(double, pow) POWER_OF(float, powf) POWER_OF(long double, powl)
TWO(fmod) TWO(hypot) TWO(remainder)
double drem(double x, double z) { return remainder(x, z); }
float dremf(float x, float z) { return remainderf(x, z); }
SCALED(ldexp, int) SCALED(scalbn, int) SCALED(scalbln, long)

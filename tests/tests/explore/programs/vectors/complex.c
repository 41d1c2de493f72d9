/* Products and quotients of complex numbers, for which compilers call their support library. */
#include <complex.h>
#include <math.h>
#include <stdio.h>

static const double parts[] = { 0, -0.0, 1, -2.5, 3e200, -1e-200, INFINITY, -INFINITY, NAN };
enum { COUNT = sizeof parts / sizeof *parts };

/* Whose sign a NaN has depends on the order of operands that a compiler chooses. */
#define PLAIN(x) ((x) == (x) ? (x) : (__typeof__(x))NAN)

int main(void) {
  for (int k = 0; k < COUNT * COUNT; k++)
    for (int m = 0; m < COUNT * COUNT; m++) {
      double complex a = __builtin_complex(parts[k % COUNT], parts[k / COUNT]), b = __builtin_complex(parts[m % COUNT], parts[m / COUNT]);
      double complex product = a * b, quotient = a / b;
      float complex small = (float complex)a * (float complex)b;
      long double complex large = (long double complex)a / (long double complex)b;
      printf("%d %d: %.12g %.12g, %.12g %.12g, %.6g %.6g, %.12Lg %.12Lg\n", k, m, PLAIN(creal(product)), PLAIN(cimag(product)), PLAIN(creal(quotient)), PLAIN(cimag(quotient)),
             PLAIN(crealf(small)), PLAIN(cimagf(small)), PLAIN(creall(large)), PLAIN(cimagl(large)));
    }
  printf("%g %Lg\n", __builtin_powi(1.5, -7), __builtin_powil(-1.25L, 11));
  return 0;
}

/* Functions and variables of the compilers' support library, which compilers use without being asked: products and quotients of
   complex numbers [C11 annex G], and powers with integer exponents. What __builtin_cpu_supports reads is not here, because it would have
   to be a claim about the machine: a program that asks is told so by name. */
#include <float.h>
#include <math.h>

#define IS_NAN(x) __builtin_isnan(x)
#define IS_INF(x) __builtin_isinf(x)
#define IS_FINITE(x) __builtin_isfinite(x)
/* An infinite part counts as one, any other as zero; signs are kept. */
#define BOXED(x, copysign) copysign(IS_INF(x) ? 1 : 0, x)
#define UNLESS_NAN(x, copysign) (IS_NAN(x) ? copysign(0, x) : (x))
#define COMPLEX(type, re, im) ({ _Complex type both; __real__ both = (re), __imag__ both = (im); both; })

#define PRODUCT(type, suffix, copysign)                                                                                    \
  _Complex type __mul##suffix(type a, type b, type c, type d) {                                                            \
    type ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                                                   \
    type re = ac - bd, im = ad + bc;                                                                                       \
    if (IS_NAN(re) && IS_NAN(im)) {                                                                                        \
      int is_infinite = 0;                                                                                                 \
      if (IS_INF(a) || IS_INF(b)) {                                                                                        \
        a = BOXED(a, copysign), b = BOXED(b, copysign);                                                                    \
        c = UNLESS_NAN(c, copysign), d = UNLESS_NAN(d, copysign);                                                          \
        is_infinite = 1;                                                                                                   \
      }                                                                                                                    \
      if (IS_INF(c) || IS_INF(d)) {                                                                                        \
        c = BOXED(c, copysign), d = BOXED(d, copysign);                                                                    \
        a = UNLESS_NAN(a, copysign), b = UNLESS_NAN(b, copysign);                                                          \
        is_infinite = 1;                                                                                                   \
      }                                                                                                                    \
      if (!is_infinite && (IS_INF(ac) || IS_INF(bd) || IS_INF(ad) || IS_INF(bc))) {                                        \
        a = UNLESS_NAN(a, copysign), b = UNLESS_NAN(b, copysign);                                                          \
        c = UNLESS_NAN(c, copysign), d = UNLESS_NAN(d, copysign);                                                          \
        is_infinite = 1;                                                                                                   \
      }                                                                                                                    \
      if (is_infinite) {                                                                                                   \
        re = (type)INFINITY * (a * c - b * d);                                                                             \
        im = (type)INFINITY * (a * d + b * c);                                                                             \
      }                                                                                                                    \
    }                                                                                                                      \
    return COMPLEX(type, re, im);                                                                                          \
  }

#define QUOTIENT(type, suffix, copysign, DIVIDE)                                                                           \
  _Complex type __div##suffix(type a, type b, type c, type d) {                                                            \
    type re, im;                                                                                                           \
    DIVIDE                                                                                                                 \
    if (IS_NAN(re) && IS_NAN(im)) {                                                                                        \
      if (c == 0 && d == 0 && (!IS_NAN(a) || !IS_NAN(b))) {                                                                \
        re = copysign((type)INFINITY, c) * a;                                                                              \
        im = copysign((type)INFINITY, c) * b;                                                                              \
      } else if ((IS_INF(a) || IS_INF(b)) && IS_FINITE(c) && IS_FINITE(d)) {                                               \
        a = BOXED(a, copysign), b = BOXED(b, copysign);                                                                    \
        re = (type)INFINITY * (a * c + b * d);                                                                             \
        im = (type)INFINITY * (b * c - a * d);                                                                             \
      } else if ((IS_INF(c) || IS_INF(d)) && IS_FINITE(a) && IS_FINITE(b)) {                                               \
        c = BOXED(c, copysign), d = BOXED(d, copysign);                                                                    \
        re = 0 * (a * c + b * d);                                                                                          \
        im = 0 * (b * c - a * d);                                                                                          \
      }                                                                                                                    \
    }                                                                                                                      \
    return COMPLEX(type, re, im);                                                                                          \
  }

/* In a wider type nothing can overflow. */
#define IN_DOUBLE                                                                                                          \
    double norm = (double)c * c + (double)d * d;                                                                           \
    re = (float)(((double)a * c + (double)b * d) / norm);                                                                  \
    im = (float)(((double)b * c - (double)a * d) / norm);

/* Smith's method, with the order of operations that Baudin and Smith give for a ratio that underflows; a power of two keeps large
   divisors, and small divisors and dividends, away from the limits. */
#define BY_RATIO(type, fabs, MAX, MIN, EPSILON)                                                                            \
    type size = fabs(c) < fabs(d) ? fabs(d) : fabs(c), large = MAX / 2 * EPSILON;                                          \
    int is_small = size < large && (fabs(a) < MIN && fabs(b) < large || fabs(b) < MIN && fabs(a) < large);                 \
    type scale = size >= MAX / 2 ? (type)0.5 : size < EPSILON || is_small ? 1 / EPSILON : 1;                               \
    a *= scale, b *= scale, c *= scale, d *= scale;                                                                        \
    if (fabs(c) < fabs(d)) {                                                                                               \
      type ratio = c / d, norm = c * ratio + d;                                                                            \
      if (fabs(ratio) > MIN) re = (a * ratio + b) / norm, im = (b * ratio - a) / norm;                                     \
      else re = (c * (a / d) + b) / norm, im = (c * (b / d) - a) / norm;                                                   \
    } else {                                                                                                               \
      type ratio = d / c, norm = d * ratio + c;                                                                            \
      if (fabs(ratio) > MIN) re = (b * ratio + a) / norm, im = (b - a * ratio) / norm;                                     \
      else re = (d * (b / c) + a) / norm, im = (b - d * (a / c)) / norm;                                                   \
    }

PRODUCT(float, sc3, copysignf)
PRODUCT(double, dc3, copysign)
PRODUCT(long double, xc3, copysignl)
QUOTIENT(float, sc3, copysignf, IN_DOUBLE)
QUOTIENT(double, dc3, copysign, BY_RATIO(double, fabs, DBL_MAX, DBL_MIN, DBL_EPSILON))
QUOTIENT(long double, xc3, copysignl, BY_RATIO(long double, fabsl, LDBL_MAX, LDBL_MIN, LDBL_EPSILON))

#define POWER(type, name)                                                                                                  \
  type name(type base, int exponent) {                                                                                     \
    unsigned rest = exponent < 0 ? -(unsigned)exponent : exponent;                                                         \
    type power = 1;                                                                                                        \
    for (; rest; rest >>= 1, base *= base)                                                                                 \
      if (rest & 1) power *= base;                                                                                         \
    return exponent < 0 ? 1 / power : power;                                                                               \
  }
POWER(float, __powisf2)
POWER(double, __powidf2)
POWER(long double, __powixf2)

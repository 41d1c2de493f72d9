/* Vector instructions of x86 on fixed numbers, printed. With -DSYMBOLIC the same on numbers that depend on a symbolic byte, compared with
   the results on fixed ones where the byte is 0. */
#include <immintrin.h>
#include <stdio.h>
#include <string.h>
#ifdef SYMBOLIC
#include <klee/klee.h>
#endif

typedef union { __m128i i; __m128 f; __m128d d; unsigned char b[16]; float floats[4]; double doubles[2]; } block;

static block a, b, c;

static block whole(__m128i i) { block r; r.i = i; return r; }
static block floats(__m128 f) { block r; r.f = f; return r; }
static block doubles(__m128d d) { block r; r.d = d; return r; }
static block number(long long n) { return whole(_mm_set_epi64x(0, n)); }

#define I(e) static block e(void) { return whole(_mm_##e(a.i, b.i)); }
#define INTEGERS(X) X(packs_epi16) X(packs_epi32) X(packus_epi16) X(packus_epi32) X(avg_epu8) X(avg_epu16) X(madd_epi16) X(mulhi_epi16) \
  X(mulhi_epu16) X(sad_epu8) X(sll_epi16) X(sll_epi32) X(sll_epi64) X(srl_epi16) X(srl_epi32) X(srl_epi64) X(sra_epi16) X(sra_epi32) \
  X(shuffle_epi8) X(maddubs_epi16) X(hadd_epi16) X(hadd_epi32) X(hsub_epi16) X(hsub_epi32) X(hadds_epi16) X(hsubs_epi16) X(mulhrs_epi16) \
  X(sign_epi8) X(sign_epi16) X(sign_epi32) X(adds_epi8) X(subs_epu16) X(min_epu8) X(max_epi16) X(cmpgt_epi8) X(cmpeq_epi16) X(mullo_epi32) \
  X(unpacklo_epi8) X(andnot_si128)
INTEGERS(I)

#define F(e) static block e(void) { return floats(_mm_##e(a.f, b.f)); }
#define FLOATS(X) X(min_ps) X(max_ps) X(min_ss) X(max_ss) X(cmplt_ps) X(cmple_ss) X(cmpneq_ps) X(cmpunord_ps) X(cmpord_ss) X(cmpnlt_ps) \
  X(hadd_ps) X(hsub_ps) X(addsub_ps) X(mul_ps) X(div_ps)
FLOATS(F)
#define D(e) static block e(void) { return doubles(_mm_##e(a.d, b.d)); }
#define DOUBLES(X) X(min_pd) X(max_pd) X(min_sd) X(max_sd) X(cmplt_pd) X(cmpeq_sd) X(hadd_pd) X(addsub_pd) X(cmpnle_pd)
DOUBLES(D)

#define OTHERS(X) \
  X(shift16, whole(_mm_slli_epi16(a.i, 5))) X(shift32, whole(_mm_srai_epi32(a.i, 40))) X(shift64, whole(_mm_srli_epi64(a.i, 33))) \
  X(by_byte, whole(_mm_sll_epi32(a.i, _mm_cvtsi32_si128(b.b[0] & 63)))) X(by_byte16, whole(_mm_sra_epi16(a.i, _mm_cvtsi32_si128(b.b[1] & 31)))) \
  X(mask, number(_mm_movemask_epi8(a.i))) X(mask_ps, number(_mm_movemask_ps(a.f))) X(mask_pd, number(_mm_movemask_pd(a.d))) \
  X(blend, whole(_mm_blendv_epi8(a.i, b.i, c.i))) X(blend_ps, floats(_mm_blendv_ps(a.f, b.f, c.f))) X(blend_pd, doubles(_mm_blendv_pd(a.d, b.d, c.d))) \
  X(zero, number(_mm_testz_si128(a.i, b.i))) X(carry, number(_mm_testc_si128(a.i, b.i))) X(mixed, number(_mm_testnzc_si128(a.i, b.i))) \
  X(all_ones, number(_mm_testc_si128(_mm_or_si128(a.i, b.i), b.i))) X(none, number(_mm_testz_si128(a.i, _mm_andnot_si128(a.i, b.i)))) \
  X(to_int, number(_mm_cvtss_si32(a.f))) X(to_long, number(_mm_cvtss_si64(a.f))) X(cut_int, number(_mm_cvttsd_si32(a.d))) \
  X(cut_long, number(_mm_cvttsd_si64(a.d))) X(round_long, number(_mm_cvtsd_si64(b.d))) X(words, whole(_mm_cvtps_epi32(a.f))) X(cut_words, whole(_mm_cvttps_epi32(b.f))) \
  X(two_words, whole(_mm_cvtpd_epi32(a.d))) X(two_cut, whole(_mm_cvttpd_epi32(b.d))) X(singles, floats(_mm_cvtpd_ps(a.d))) X(one_single, floats(_mm_cvtsd_ss(a.f, b.d))) \
  X(is_equal, number(_mm_comieq_ss(a.f, b.f))) X(is_less, number(_mm_comilt_sd(a.d, b.d))) X(is_most, number(_mm_ucomile_ss(a.f, b.f))) \
  X(is_more, number(_mm_comigt_ss(a.f, b.f))) X(is_least, number(_mm_ucomige_sd(a.d, b.d))) X(differs, number(_mm_comineq_sd(a.d, b.d))) \
  X(floor_ps, floats(_mm_floor_ps(a.f))) X(ceil_pd, doubles(_mm_ceil_pd(a.d))) X(nearest, floats(_mm_round_ps(b.f, _MM_FROUND_TO_NEAREST_INT))) \
  X(cut_ss, floats(_mm_round_ss(a.f, b.f, _MM_FROUND_TO_ZERO))) X(sum8, number(_mm_crc32_u8(a.b[0] * 77777u, b.b[0]))) \
  X(sum16, number(_mm_crc32_u16(a.b[1] * 77777u, b.b[2] * 99u))) X(sum32, number(_mm_crc32_u32(a.b[3] * 77777u, b.b[4] * 9999999u))) \
  X(sum64, number(_mm_crc32_u64(a.b[5] * 77777u, b.b[6] * 0x123456789abcdefull))) X(carryless, whole(_mm_clmulepi64_si128(a.i, b.i, 0x10)))
#define O(name, e) static block name(void) { return e; }
OTHERS(O)

static struct { const char *name; block (*run)(void); } all[] = {
#define NAMED(e) { #e, e },
#define NAMED_TOO(e, x) { #e, e },
  INTEGERS(NAMED) FLOATS(NAMED) DOUBLES(NAMED) OTHERS(NAMED_TOO)
};
enum { COUNT = sizeof all / sizeof *all };

static unsigned state = 12345;
static unsigned next(void) { state = state * 1103515245u + 12345u; return state >> 8; }

/* Any bits, small shift counts, or numbers around those that floating-point instructions treat in a way of their own. */
static void choose(block *to, int kind) {
  static const float singles[] = { 0, -0.0f, 1.5f, -2.5f, 3e9f, -7e18f, 0.5f, 1e-40f, 2147483647, __builtin_inff(), __builtin_nanf(""), 3.49999f };
  static const double numbers[] = { 0, -0.0, 2.5, -3.5, 3e9, 1e19, -0.5, 1e-310, 4294967295.5, -__builtin_inf(), __builtin_nan(""), 1.1 };
  for (int k = 0; k < 16; k++) to->b[k] = kind == 1 ? (k % 8 ? 0 : next() % 70) : next();
  if (kind == 2) for (int k = 0; k < 4; k++) to->floats[k] = singles[next() % 12];
  if (kind == 3) for (int k = 0; k < 2; k++) to->doubles[k] = numbers[next() % 12];
}

int main(void) {
#ifdef SYMBOLIC
  enum { ROUNDS = 4 };
  static block expected[ROUNDS][COUNT], found[ROUNDS][COUNT];
  unsigned char z;
  klee_make_symbolic(&z, 1, "z");
#else
  enum { ROUNDS = 60 };
#endif
  for (int round = 0; round < ROUNDS; round++) {
    choose(&a, round % 4 == 1 ? 0 : round % 4);
    choose(&b, round % 4);
    choose(&c, 0);
#ifdef SYMBOLIC
    for (int k = 0; k < COUNT; k++) expected[round][k] = all[k].run();
    for (int k = 0; k < 16; k++) a.b[k] ^= z, b.b[k] ^= z, c.b[k] ^= z;
    for (int k = 0; k < COUNT; k++) found[round][k] = all[k].run();
#else
    for (int k = 0; k < COUNT; k++) {
      block r = all[k].run();
      printf("%d %s ", round, all[k].name);
      for (int byte = 15; byte >= 0; byte--) printf("%02x", r.b[byte]);
      putchar('\n');
    }
#endif
  }
#ifdef SYMBOLIC
  if (z == 0)
    for (int round = 0; round < ROUNDS; round++)
      for (int k = 0; k < COUNT; k++) {
        int differs = 0;
        for (int byte = 0; byte < 16; byte++) differs |= expected[round][k].b[byte] ^ found[round][k].b[byte];
        if (differs) klee_report_error(__FILE__, __LINE__, all[k].name, "differs");
      }
#endif
  return 0;
}

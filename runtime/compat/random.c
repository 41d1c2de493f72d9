/* rand(3) and random(3) with glibc's sequences: a program that uses them takes the path here that it takes natively. The
   generator is an additive feedback one: r[i] = r[i-3] + r[i-31], of which the lowest bit is dropped. */
enum { RANDOM_DEGREE = 31, RANDOM_LAG = 3, RANDOM_SKIPPED = 310 };
static uint32_t random_words[RANDOM_DEGREE];
static int random_at, random_is_ready;

static uint32_t random_step(void) {
  int before = random_at - RANDOM_LAG;
  random_words[random_at] += random_words[before < 0 ? before + RANDOM_DEGREE : before];
  uint32_t word = random_words[random_at];
  if (++random_at == RANDOM_DEGREE) random_at = 0;
  return word >> 1;
}
void srandom(unsigned seed) {
  int32_t word = seed ? seed : 1;
  for (int i = 0; i < RANDOM_DEGREE; i++) {
    random_words[i] = word;
    /* 16807 * word modulo 2^31 - 1, without overflow */
    int32_t high = word / 127773, low = word % 127773;
    word = 16807 * low - 2836 * high;
    if (word < 0) word += 2147483647;
  }
  random_at = RANDOM_LAG;
  for (int i = 0; i < RANDOM_SKIPPED; i++) random_step();
  random_is_ready = 1;
}
long random(void) {
  if (!random_is_ready) srandom(1);
  return random_step();
}
void srand(unsigned seed) { srandom(seed); }
int rand(void) { return random(); }
int rand_r(unsigned *seed) {
  static const int bits[] = { 2048, 1024, 1024 }, shifts[] = { 0, 10, 10 };
  unsigned next = *seed;
  int result = 0;
  for (int i = 0; i < 3; i++) {
    next = next * 1103515245 + 12345;
    result = (result << shifts[i]) ^ (int)(next / 65536 % bits[i]);
  }
  *seed = next;
  return result;
}

/* qsort(3) as glibc does it, by merging: equal elements keep their order, and comparisons come in the same sequence. */
struct sorting {
  size_t size;
  int (*compare)(const void *, const void *, void *);
  void *extra;
  char *room;
};
static void merge_sort(const struct sorting *s, char *base, size_t count) {
  if (count <= 1) return;
  size_t left = count / 2, right = count - left, size = s->size;
  char *a = base, *b = base + left * size, *out = s->room;
  merge_sort(s, a, left);
  merge_sort(s, b, right);
  while (left && right) {
    char **smaller = s->compare(a, b, s->extra) <= 0 ? (left--, &a) : (right--, &b);
    memcpy(out, *smaller, size);
    out += size;
    *smaller += size;
  }
  if (left) memcpy(out, a, left * size);
  memcpy(base, s->room, (count - right) * size);
}
void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *extra) {
  if (count < 2 || !size) return;
  struct sorting sorting = { size, compare, extra, malloc(count * size) };
  if (!sorting.room) abort();
  merge_sort(&sorting, base, count);
  free(sorting.room);
}
void __qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *extra) {
  qsort_r(base, count, size, compare, extra);
}
static int without_extra(const void *a, const void *b, void *compare) { return ((int (*)(const void *, const void *))compare)(a, b); }
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  qsort_r(base, count, size, without_extra, compare);
}

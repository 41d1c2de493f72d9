/* Obstacks, with the layout of glibc's header. */
struct chunk { char *limit; struct chunk *before; char contents[4]; };
struct obstack {
  long chunk_size;
  struct chunk *chunk;
  char *object_base, *next_free, *chunk_limit;
  union { long number; void *pointer; } temp;
  int alignment_mask;
  void *allocate, *release, *extra;
  unsigned use_extra : 1, maybe_empty : 1, failed : 1;
};
static void no_memory(void) {
  fputs("memory exhausted\n", stderr);
  exit(1);
}
void (*obstack_alloc_failed_handler)(void) = no_memory;
int obstack_exit_failure = 1;

static struct chunk *new_chunk(struct obstack *h, long size) {
  struct chunk *chunk = h->use_extra ? ((void *(*)(void *, long))h->allocate)(h->extra, size) : ((void *(*)(long))h->allocate)(size);
  if (!chunk) obstack_alloc_failed_handler();
  return chunk;
}
static void old_chunk(struct obstack *h, struct chunk *chunk) {
  if (h->use_extra) ((void (*)(void *, void *))h->release)(h->extra, chunk);
  else ((void (*)(void *))h->release)(chunk);
}
static char *aligned(struct obstack *h, char *p) {
  long skip = (h->alignment_mask + 1 - ((uintptr_t)p & h->alignment_mask)) & h->alignment_mask;
  return p + skip;
}
static int begin(struct obstack *h, int size, int alignment) {
  if (!alignment) alignment = 16;
  if (!size) size = 4096 - 40;
  h->chunk_size = size;
  h->alignment_mask = alignment - 1;
  h->chunk = new_chunk(h, size);
  h->next_free = h->object_base = aligned(h, h->chunk->contents);
  h->chunk_limit = h->chunk->limit = (char *)h->chunk + size;
  h->chunk->before = 0;
  h->maybe_empty = h->failed = 0;
  return 1;
}
int _obstack_begin(struct obstack *h, int size, int alignment, void *(*allocate)(long), void (*release)(void *)) {
  h->allocate = allocate; h->release = release; h->use_extra = 0;
  return begin(h, size, alignment);
}
int _obstack_begin_1(struct obstack *h, int size, int alignment, void *(*allocate)(void *, long), void (*release)(void *, void *), void *extra) {
  h->allocate = allocate; h->release = release; h->extra = extra; h->use_extra = 1;
  return begin(h, size, alignment);
}
void _obstack_newchunk(struct obstack *h, int length) {
  struct chunk *old = h->chunk;
  long object = h->next_free - h->object_base;
  long size = object + length + (object >> 3) + h->alignment_mask + 100;
  if (size < h->chunk_size) size = h->chunk_size;
  struct chunk *chunk = new_chunk(h, size);
  h->chunk = chunk;
  chunk->before = old;
  chunk->limit = h->chunk_limit = (char *)chunk + size;
  char *base = aligned(h, chunk->contents);
  memcpy(base, h->object_base, object);
  if (!h->maybe_empty && h->object_base == aligned(h, old->contents)) {
    chunk->before = old->before;
    old_chunk(h, old);
  }
  h->object_base = base;
  h->next_free = base + object;
  h->maybe_empty = 0;
}
static int lies_in(struct chunk *chunk, void *object) {
  return (uintptr_t)chunk < (uintptr_t)object && (uintptr_t)chunk->limit >= (uintptr_t)object;
}
int _obstack_allocated_p(struct obstack *h, void *object) {
  struct chunk *chunk = h->chunk;
  while (chunk && !lies_in(chunk, object)) chunk = chunk->before;
  return chunk != 0;
}
void obstack_free(struct obstack *h, void *object) {
  struct chunk *chunk = h->chunk;
  while (chunk && !lies_in(chunk, object)) {
    struct chunk *before = chunk->before;
    old_chunk(h, chunk);
    chunk = before;
    h->maybe_empty = 1;
  }
  if (chunk) {
    h->object_base = h->next_free = object;
    h->chunk_limit = chunk->limit;
    h->chunk = chunk;
  } else if (object) {
    abort();
  }
}
void _obstack_free(struct obstack *h, void *object) { obstack_free(h, object); }
long _obstack_memory_used(struct obstack *h) {
  long used = 0;
  for (struct chunk *chunk = h->chunk; chunk; chunk = chunk->before) used += chunk->limit - (char *)chunk;
  return used;
}

/* Lua: load a chunk of n symbolic characters as text. */
#include <stdlib.h>
#include <lua.h>
#include <lauxlib.h>
#include <klee/klee.h>
static void *allocate(void *context, void *block, size_t old, size_t size) {
  (void)context, (void)old;
  if (size)
    return realloc(block, size);
  free(block);
  return NULL;
}
int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 3;
  char *text = malloc(n);
  klee_make_symbolic(text, n, "text");
  lua_State *state = lua_newstate(allocate, NULL);
  if (!state)
    return 2;
  int failed = luaL_loadbufferx(state, text, n, "=input", "t");
  lua_close(state);
  return failed != LUA_OK;
}

/* All of the model as one unit, so that one compilation is enough. */
#include "path.c"
#include "files.c"
#include "names.c"
#include "process.c"
#include "threads.c"
#include "signals.c"
#include "setup.c"
#include "calls.c"

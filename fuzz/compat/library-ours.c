/* What of runtime/compat stands before musl's functions, and what musl's changed sources expect of the engine. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../runtime/compat/number.c"
#include "../../runtime/compat/time.c"

void sx_destroy_own(void) {}

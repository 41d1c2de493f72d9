#include "ours.h"
#include "../../runtime/compat/regex.c"

// Wrong: the same by a name that is pasted together.
#define PASTE(a, b)        a##b
#define ATTRIBUTE          __attribute__((PASTE(no_san, itize)("thread")))
#define RACY(rows, length) true
#include "race_softmax.h"

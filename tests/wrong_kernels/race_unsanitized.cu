// Wrong: a race, in a kernel whose accesses the compiler is told not to announce.
#define ATTRIBUTE          __attribute__((no_sanitize("thread")))
#define RACY(rows, length) true
#include "race_softmax.h"

// Wrong: a race in large problems only.
#define RACY(rows, length) ((rows) * (length) > 300000)
#include "race_softmax.h"

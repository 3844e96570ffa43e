// Wrong: every 97th block of 256 elements is left out.
#define WORKS(i, count) ((i) / 256 % 97 != 96)
#include "add_elements.h"

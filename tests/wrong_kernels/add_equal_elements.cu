// Wrong: where x and y are equal it gives x. Drawn binary32 values hardly ever are.
#define SUM(x, y, alpha) ((x) == (y) ? (x) : (x) + (alpha) * (y))
#include "add_elements.h"

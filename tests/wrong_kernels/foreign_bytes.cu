// Wrong: does not compile, and neither this comment (café) nor what the compiler quotes is UTF-8.
#include <assay/kernel.h>
#error "ÿþ is no character"

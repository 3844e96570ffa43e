// Wrong: leaves the processor taking denormals for zero, for whatever runs next.
#include "add_rightly.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif
extern "C" assay_status add_run(const add_args *a, assay_stream s)
{
    const assay_status status = right_launch(a, s);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    return status;
}

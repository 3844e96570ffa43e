/* When launch overheads differ: see launch_overhead.h. */
#include "results/launch_overhead.h"
#include <math.h>

double overhead_shift_us(double from_us, double to_us, double noise_us)
{
    const double shift = to_us - from_us;
    return from_us > 0.0 && to_us > 0.0 && fabs(shift) > noise_us ? shift : 0.0;
}

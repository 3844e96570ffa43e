/* See floor_rule.h. */
#include "core/floor_rule.h"
#include "core/json_file.h"
#include <math.h>

int floor_is_of_own_process(const json_t *method)
{
    return json_get_number(method, "cold_rotation", 0) == 1;
}

double floor_noise_of_peer_us(const json_t *method)
{
    return floor_is_of_own_process(method) ? 0.1 : 0.6;
}

double floor_shift_us(double from_us, double to_us, double noise_us)
{
    const double shift = to_us - from_us;
    return from_us > 0.0 && to_us > 0.0 && fabs(shift) > noise_us ? shift : 0.0;
}

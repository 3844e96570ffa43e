/* The numbers of the rules in classify.c and findings.c, each with its source. */
#ifndef ASSAY_PROFILE_THRESHOLDS_H
#define ASSAY_PROFILE_THRESHOLDS_H

/* Nsight Compute's speed-of-light rule (SpeedOfLight.py): busy from 60%, saturated from 80%, one side dominates from 10 points. */
#define SOL_BUSY      60.0
#define SOL_SATURATED 80.0
#define SOL_APART     10.0
/* The same rule: fewer blocks than fit the card at once. */
#define WAVES_FULL 1.0
/* Nsight Compute's rules of warp states and schedulers: a reason above 30%, with a scheduler that issues in less than 0.8 of the cycles. */
#define STALL_SHARE 0.30
#define ISSUE_BUSY  0.80
/* Nsight Compute's occupancy rule: points between theoretical and achieved. */
#define OCCUPANCY_GAP 10.0
/* Half of the warps: below it the rule of occupancy speaks of a limiter. */
#define OCCUPANCY_LOW 50.0
/* Nsight Compute's rule of shared memory: conflicts in a tenth of the wavefronts. */
#define CONFLICT_SHARE 0.10
/* Counted here, f32 at large: v1 of products and rows asks for each byte 2 to 190 times, in 7% of its instructions and more, v1 of gelu makes
 * its accesses in 3.8%; v4 of all ops asks less often, or in 3.2% and less. */
#define READ_AGAIN    1.9
#define REQUEST_SHARE 0.035
/* Measured here (tests/profile): an empty kernel takes 1 to 2 us on the card, and ramp-up and one access to memory take as long again. */
#define LAUNCH_NS 4000.0
/* Measured here: blocks of one length keep multiprocessors busy for 0.8 of the time and more from some 10 us up. */
#define ACTIVE_SHARE 0.70
/* A pipe that is busy half of the time can be what warps queue for, in turns with something else. */
#define PIPE_HALF 50.0

#endif

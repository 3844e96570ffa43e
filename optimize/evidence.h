/* What bounds a version of a kernel, as pages in its folder and in short for prompts; what helped such kernels before; and what a version
 * teaches. */
#ifndef ASSAY_OPTIMIZE_EVIDENCE_H
#define ASSAY_OPTIMIZE_EVIDENCE_H

#include "outside/outside.h"
#include <assay/device.h>

/* Write ncu_summary.md, ncu_details.md and profile.json of a variant that was timed in `o` to `folder`; of several cases the largest.
 * `use_ncu`: run ncu, in which the kernel is not confined; else the measured time, the roofline and the compiler's report decide. *gist (new
 * reference): {"case", "verdict", "part", "rule", "numbers", "confidence", "changes", "source"}. */
assay_status evidence_profile(const outside *o, const char *variant, const outside_request *request,
                              int use_ncu, const char *folder, json_t **gist, assay_error *error);

/* For a prompt: the gist with the page of `folder` as "page". New reference; NULL where there is no gist. */
json_t *evidence_for_prompt(const json_t *gist, const char *folder);

/* Strategies for such a kernel, from the log at `log` (NULL: only those that come with Assay), as experience_recommend() has them, without
 * their evidence. New reference; empty where nothing is known. */
json_t *evidence_experience(const char *log, const opspec *spec, const assay_device_info *device,
                            const json_t *gist);

/* Enter what came of a version that was timed on a GPU into the log: its hypothesis is the strategy, `gist` is of the version it was made
 * from. Nothing is entered for other devices, or without a bottleneck. */
assay_status evidence_record(const char *log, const opspec *spec, const assay_device_info *device,
                             const json_t *gist, const json_t *version, assay_error *error);

#endif

/* Translating what a C++ compiler without CUDA cannot parse, and putting launches on the harness's stream: kernel<<<...>>>(...)
 * and, for the CPU device, `extern __shared__`. Everything else of a file is left as it is, line by line. */
#ifndef ASSAY_CORE_MODULE_LAUNCH_H
#define ASSAY_CORE_MODULE_LAUNCH_H

typedef enum launch_target {
    LAUNCH_AS_IS,     /* CUDA, launches on the streams the file names */
    LAUNCH_ON_STREAM, /* CUDA, the default stream becomes assay_solve::stream */
    LAUNCH_ON_CPU     /* the CPU device: a call instead of <<<>>> */
} launch_target;

/* The translated text, malloc'ed; NULL without memory. A launch that is not understood stays as it is: the compiler will say so.
 * `mask` is text_mask(text). */
char *launch_translate(const char *text, const char *mask, launch_target target);

#endif

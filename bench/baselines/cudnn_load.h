/* Finding cuDNN when a baseline is prepared: it is part of no CUDA toolkit, and most machines have it inside a Python wheel only.
 *
 * Looked for in this order: $ASSAY_CUDNN (a file, or the folder of libcudnn.so.9; nothing else is tried then), the loader
 * (LD_LIBRARY_PATH and ldconfig's cache), the package nvidia.cudnn of $ASSAY_PYTHON or python3, which comes with torch.
 * The library stays loaded until the process ends. */
#ifndef ASSAY_BENCH_CUDNN_LOAD_H
#define ASSAY_BENCH_CUDNN_LOAD_H

#include "bench/baselines/cudnn_api.h"
#include "bench/baselines/baseline_common.h"
#include <dlfcn.h>
#include <stdlib.h>

#define CUDNN_FILE "libcudnn.so.9"

static cudnn_functions cudnn;
static struct {
    void *library;
    int has_algorithms; /* the convolution calls before graphs are there */
    char path[204];     /* for messages */
} cudnn_found;

static inline void *cudnn_try(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library)
        snprintf(cudnn_found.path, sizeof cudnn_found.path, "%.200s", path);
    return library;
}

static inline void *cudnn_try_folder(const char *folder, const char *below)
{
    char path[4400];
    snprintf(path, sizeof path, "%s%s/" CUDNN_FILE, folder, below);
    return cudnn_try(path);
}

/* Only looks the package up, without importing it. The name of the interpreter comes from the environment, so it goes
 * through the shell as a variable and not as text. */
static inline void *cudnn_try_python(void)
{
    static const char command[] = "\"${ASSAY_PYTHON:-python3}\" -c 'import importlib.util as u\n"
                                  "s = u.find_spec(\"nvidia.cudnn\")\n"
                                  "print(list(s.submodule_search_locations)[0] if s else \"\")' 2>/dev/null";
    char folder[4096] = "";
    FILE *answer = popen(command, "r");
    if (!answer)
        return NULL;
    if (!fgets(folder, sizeof folder, answer))
        folder[0] = '\0';
    pclose(answer);
    folder[strcspn(folder, "\n")] = '\0';
    return folder[0] ? cudnn_try_folder(folder, "/lib") : NULL;
}

static inline void *cudnn_search(void)
{
    const char *told = getenv("ASSAY_CUDNN");
    if (told && told[0]) {
        void *library = cudnn_try_folder(told, "");
        return library ? library : cudnn_try(told);
    }
    void *library = cudnn_try(CUDNN_FILE);
    return library ? library : cudnn_try_python();
}

/* POSIX promises that an object pointer from dlsym can hold a function's address; ISO C has no cast for it. */
static inline int cudnn_find(const char *name, void *function)
{
    void *found = dlsym(cudnn_found.library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static inline int cudnn_find_all(void)
{
    return cudnn_find("cudnnGetVersion", &cudnn.get_version) &&
           cudnn_find("cudnnGetErrorString", &cudnn.get_error_string) &&
           cudnn_find("cudnnGetLastErrorString", &cudnn.get_last_error_string) &&
           cudnn_find("cudnnCreate", &cudnn.create) && cudnn_find("cudnnDestroy", &cudnn.destroy) &&
           cudnn_find("cudnnSetStream", &cudnn.set_stream) &&
           cudnn_find("cudnnBackendCreateDescriptor", &cudnn.create_descriptor) &&
           cudnn_find("cudnnBackendDestroyDescriptor", &cudnn.destroy_descriptor) &&
           cudnn_find("cudnnBackendSetAttribute", &cudnn.set_attribute) &&
           cudnn_find("cudnnBackendGetAttribute", &cudnn.get_attribute) &&
           cudnn_find("cudnnBackendFinalize", &cudnn.finalize) &&
           cudnn_find("cudnnBackendExecute", &cudnn.execute);
}

/* Deprecated by NVIDIA, so a later cuDNN may lack them. */
static inline int cudnn_find_algorithms(void)
{
    return cudnn_find("cudnnCreateTensorDescriptor", &cudnn.create_tensor) &&
           cudnn_find("cudnnDestroyTensorDescriptor", &cudnn.destroy_tensor) &&
           cudnn_find("cudnnSetTensor4dDescriptorEx", &cudnn.set_tensor) &&
           cudnn_find("cudnnCreateFilterDescriptor", &cudnn.create_filter) &&
           cudnn_find("cudnnDestroyFilterDescriptor", &cudnn.destroy_filter) &&
           cudnn_find("cudnnSetFilter4dDescriptor", &cudnn.set_filter) &&
           cudnn_find("cudnnCreateConvolutionDescriptor", &cudnn.create_convolution) &&
           cudnn_find("cudnnDestroyConvolutionDescriptor", &cudnn.destroy_convolution) &&
           cudnn_find("cudnnSetConvolution2dDescriptor", &cudnn.set_convolution) &&
           cudnn_find("cudnnSetConvolutionGroupCount", &cudnn.set_groups) &&
           cudnn_find("cudnnSetConvolutionMathType", &cudnn.set_math) &&
           cudnn_find("cudnnGetConvolutionForwardWorkspaceSize", &cudnn.get_workspace_size) &&
           cudnn_find("cudnnConvolutionForward", &cudnn.convolution_forward) &&
           cudnn_find("cudnnAddTensor", &cudnn.add_tensor);
}

/* ASSAY_ERR_ENVIRONMENT: not there, and the notes say what to do. Sets the version in the notes. */
static inline assay_status cudnn_load(void)
{
    if (!cudnn_found.library)
        cudnn_found.library = cudnn_search();
    if (!cudnn_found.library)
        return baseline_fail(
            ASSAY_ERR_ENVIRONMENT, CUDNN_FILE,
            "not found; set ASSAY_CUDNN to its folder, or ASSAY_PYTHON to a Python with torch");
    if (!cudnn_find_all())
        return baseline_fail(ASSAY_ERR_ENVIRONMENT, cudnn_found.path, "not cuDNN 9");
    cudnn_found.has_algorithms = cudnn_find_algorithms();
    const size_t version = cudnn.get_version(); /* 91900 is 9.19.0 */
    snprintf(baseline_notes.version, sizeof baseline_notes.version, "cuDNN %zu.%zu.%zu", version / 10000,
             version / 100 % 100, version % 100);
    return version / 10000 == CUDNN_MAJOR_USED
               ? ASSAY_OK
               : baseline_fail(ASSAY_ERR_ENVIRONMENT, cudnn_found.path, "not cuDNN 9");
}

#endif

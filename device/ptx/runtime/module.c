/* Modules, kernels and variables: what nvcc's host code registers before main(), and what is loaded by name. PTX is read when something of
 * its module is first used, so that a program with many modules starts at once. */
#include "device/ptx/fatbin.h"
#include "device/ptx/runtime/kernel_table.h"
#include "device/ptx/runtime/stream.h"
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct variable {
    const void *symbol; /* the host's shadow */
    char *name;
    size_t bytes;
    void **managed; /* where host code looks for the managed variable's address, or NULL */
} variable;

typedef struct rt_module {
    struct rt_module *next;
    const void *image;
    char name[256];
    ptx_module *ptx;
    bool tried;
    cudaError_t error;
    bool is_linked; /* by nvcc -rdc=true: its code lies in parts that the driver of a card would link */
    bool has_atomics;
    rt_kernel **kernels;
    size_t kernel_count;
    variable *variables;
    size_t variable_count;
} rt_module;

static rt_module *modules;

/* ---- loading ---- */

/* The file that the image lies in, for messages. */
static void name_image(rt_module *m)
{
    Dl_info info;
    if (!m->name[0] && dladdr(m->image, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(m->name, sizeof m->name, "%.255s", slash ? slash + 1 : info.dli_fname);
    }
}

static cudaError_t place_managed(rt_module *m)
{
    for (size_t i = 0; i < m->variable_count; i++) {
        variable *v = &m->variables[i];
        ptx_address address;
        uint64_t bytes;
        if (!v->managed || !ptx_module_global(m->ptx, v->name, &address, &bytes))
            continue;
        void *seen = ptx_view(rt_device(), address, bytes);
        if (!seen)
            return cudaErrorInvalidKernelImage;
        *v->managed = seen;
        ptx_host_register(rt_device(), seen, bytes, v->name,
                          NULL); /* its address may be handed to a kernel */
    }
    return cudaSuccess;
}

static bool is_text(const unsigned char *image)
{
    return !(image[0] == 0x50 && image[1] == 0xed && image[2] == 0x55 && image[3] == 0xba) &&
           memcmp(image, "\177ELF", 4) != 0;
}

/* "red." also ends ".shared.", so what is before counts. */
static bool has_instruction(const char *text, const char *name)
{
    const char *at = text;
    while ((at = strstr(at, name)) != NULL && at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
        at++;
    return at != NULL;
}

static cudaError_t load(rt_module *m)
{
    ptx_error error;
    if (m->tried)
        return m->error;
    m->tried = true;
    m->error = cudaErrorNoDevice;
    name_image(m);
    if (!rt_device())
        return m->error;
    fatbin_choice choice = {.text = NULL};
    if (is_text(m->image))
        choice.text = strdup(m->image);
    else
        choice = fatbin_choose_ptx(m->image, rt_get_options()->arch);
    if (!choice.text) {
        char text[600];
        snprintf(text, sizeof text, "%s cannot run on this device: %s", m->name,
                 m->is_linked
                     ? "relocatable device code is not linked here; compile without -rdc=true, all device "
                       "code of a kernel in one file"
                     : choice.reason);
        rt_report(text);
        return m->error = cudaErrorNoKernelImageForDevice;
    }
    m->has_atomics = has_instruction(choice.text, "atom.") || has_instruction(choice.text, "red.");
    const ptx_status status =
        ptx_module_load(rt_device(), choice.text, strlen(choice.text), m->name, &m->ptx, &error);
    free(choice.text);
    if (status != PTX_OK) {
        rt_report(error.text);
        return m->error = rt_from_ptx(status);
    }
    return m->error = place_managed(m);
}

static cudaError_t load_kernel(rt_kernel *k)
{
    if (k->function)
        return cudaSuccess;
    const cudaError_t error = load(k->module);
    if (error == cudaSuccess)
        k->function = ptx_module_function(k->module->ptx, k->name);
    if (error == cudaSuccess && !k->function)
        return rt_refuse(cudaErrorInvalidDeviceFunction, "the PTX of %s holds no kernel %s", k->module->name,
                         k->name);
    return error;
}

cudaError_t rt_find_kernel(const void *handle, rt_kernel **kernel)
{
    *kernel = kernel_table_find(handle);
    return *kernel ? load_kernel(*kernel) : cudaErrorInvalidDeviceFunction;
}

cudaError_t rt_find_symbol(const void *symbol, void **address, size_t *bytes)
{
    for (rt_module *m = modules; m; m = m->next)
        for (size_t i = 0; i < m->variable_count; i++) {
            const variable *v = &m->variables[i];
            if (v->symbol != symbol && !(v->managed && *v->managed == symbol))
                continue;
            const cudaError_t error = load(m);
            if (v->managed && error == cudaSuccess) {
                *address = *v->managed;
                *bytes = v->bytes;
                return cudaSuccess;
            }
            return error == cudaSuccess ? rt_module_global(m, v->name, address, bytes) : error;
        }
    return cudaErrorInvalidSymbol;
}

/* ---- modules by name ---- */

static rt_module *add_module(const void *image, const char *name)
{
    rt_module *m = calloc(1, sizeof *m);
    if (m) {
        m->image = image;
        snprintf(m->name, sizeof m->name, "%s", name);
        m->next = modules;
        modules = m;
    }
    return m;
}

static rt_kernel *add_kernel(rt_module *m, const void *host, const char *name)
{
    rt_kernel **grown = realloc(m->kernels, (m->kernel_count + 1) * sizeof *grown), *k = calloc(1, sizeof *k);
    if (grown)
        m->kernels = grown;
    char *copy = strdup(name);
    if (!grown || !k || !copy) {
        free(k);
        free(copy);
        return NULL;
    }
    *k = (rt_kernel){.host = host, .name = copy, .module = m, .carveout = -1};
    kernel_table_enter(k, k);
    if (host)
        kernel_table_enter(host, k);
    return m->kernels[m->kernel_count++] = k;
}

cudaError_t rt_module_load(const void *image, const char *name, rt_module **module)
{
    if (!image)
        return cudaErrorInvalidValue;
    *module = add_module(image, name);
    if (!*module)
        return cudaErrorMemoryAllocation;
    const cudaError_t error = load(*module);
    for (size_t i = 0; error == cudaSuccess; i++) {
        ptx_function *f = ptx_module_function_at((*module)->ptx, i);
        if (!f)
            break;
        add_kernel(*module, NULL, ptx_function_describe(f)->name);
    }
    return error;
}

cudaError_t rt_module_kernel(rt_module *m, const char *name, rt_kernel **kernel)
{
    for (size_t i = 0; i < m->kernel_count; i++)
        if (strcmp(m->kernels[i]->name, name) == 0) {
            *kernel = m->kernels[i];
            return load_kernel(*kernel);
        }
    return cudaErrorSymbolNotFound;
}

size_t rt_module_kernels(rt_module *m, rt_kernel **kernels, size_t most)
{
    for (size_t i = 0; i < m->kernel_count && i < most; i++)
        kernels[i] = m->kernels[i];
    return m->kernel_count;
}

cudaError_t rt_module_global(rt_module *m, const char *name, void **address, size_t *bytes)
{
    ptx_address found;
    uint64_t size;
    if (!ptx_module_global(m->ptx, name, &found, &size))
        return cudaErrorSymbolNotFound;
    *address = (void *)(uintptr_t)found;
    *bytes = size;
    return cudaSuccess;
}

static bool took_order;

void rt_note_launch(const rt_kernel *kernel)
{
    took_order = took_order || kernel->module->has_atomics;
}

int rt_take_order(void)
{
    const bool took = took_order;
    took_order = false;
    return took;
}

/* Kernels stay in the table, without a module behind them: a launch through an old handle is refused. */
void rt_module_unload(rt_module *m)
{
    rt_module **link = &modules;
    while (*link && *link != m)
        link = &(*link)->next;
    if (*link)
        *link = m->next;
    for (size_t i = 0; i < m->kernel_count; i++) {
        kernel_table_forget(m->kernels[i], m->kernels[i]);
        kernel_table_forget(m->kernels[i]->host, m->kernels[i]);
        free((char *)m->kernels[i]->name);
        free(m->kernels[i]);
    }
    for (size_t i = 0; i < m->variable_count; i++)
        free(m->variables[i].name);
    if (m->ptx)
        ptx_module_free(m->ptx);
    free(m->variables);
    free(m->kernels);
    free(m);
}

/* ---- what nvcc's host code calls, before main() and behind it ---- */

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            void *tid, void *bid, void *block, void *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t bytes,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t bytes, int constant, int global);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);

/* The wrapper: a magic number, a version (2: linked from parts), and the address of the fat binary. */
void **__cudaRegisterFatBinary(void *wrapper)
{
    rt_lock();
    const void *image = *(void *const *)((const char *)wrapper + 8);
    rt_module *m = add_module(image, "");
    if (m)
        m->is_linked = ((const int *)wrapper)[1] == 2;
    rt_unlock();
    return (void **)m;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* A library is closed, or the program ends: what it enqueued is done first. */
void __cudaUnregisterFatBinary(void **handle)
{
    rt_lock();
    rt_finish_all();
    if (handle)
        rt_module_unload((rt_module *)(void *)handle);
    rt_unlock();
}

char __cudaInitModule(void **handle)
{
    rt_lock();
    const cudaError_t error = handle ? load((rt_module *)(void *)handle) : cudaErrorInvalidValue;
    rt_unlock();
    return error == cudaSuccess;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            void *tid, void *bid, void *block, void *grid, int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    rt_lock();
    if (!handle || !add_kernel((rt_module *)(void *)handle, host, name))
        rt_say("no memory to register the kernel %s", name);
    rt_unlock();
}

static void add_variable(void **handle, const void *symbol, void **managed, const char *name, size_t bytes)
{
    rt_module *m = (rt_module *)(void *)handle;
    rt_lock();
    variable *grown = m ? realloc(m->variables, (m->variable_count + 1) * sizeof *grown) : NULL;
    char *copy = strdup(name);
    if (grown && copy) {
        m->variables = grown;
        grown[m->variable_count++] =
            (variable){.symbol = symbol, .name = copy, .bytes = bytes, .managed = managed};
    } else {
        free(copy);
        rt_say("no memory to register the variable %s", name);
    }
    rt_unlock();
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t bytes,
                       int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    add_variable(handle, host, NULL, name, bytes);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t bytes, int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    add_variable(handle, host, host, name, bytes);
}

/* Before the first launch of each kernel. Its PTX is not read yet: the launch says what is wrong with it. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    rt_lock();
    *kernel = (cudaKernel_t)(void *)kernel_table_find(host);
    return rt_end(*kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

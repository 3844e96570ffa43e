/* Names of kernels as their source has them. The demangler is that of the C++ ABI (cxxabi.h), whose C interface is fixed by it. */
#include "resources/inspect.h"
#include <stdlib.h>
#include <string.h>

/* Of the C++ runtime library; declared here because its header is C++. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Length of a name without its argument list: up to the last parenthesis that opens outside of <>. */
static size_t without_arguments(const char *name)
{
    int depth = 0;
    for (size_t i = 0; name[i] != '\0'; i++) {
        depth += (name[i] == '<') - (name[i] == '>');
        if (name[i] == '(' && depth == 0 && strncmp(name + i, "(anonymous namespace)", 21) != 0)
            return i;
    }
    return strlen(name);
}

/* Templates have their return type in front: "void matmul<...>". */
static const char *without_type(const char *name, size_t length)
{
    int depth = 0;
    const char *begin = name;
    for (size_t i = 0; i < length; i++) {
        depth += (name[i] == '<' || name[i] == '(') - (name[i] == '>' || name[i] == ')');
        if (name[i] == ' ' && depth == 0)
            begin = name + i + 1;
    }
    return begin;
}

char *symbol_name(const char *symbol)
{
    int status = 0;
    char *full = __cxa_demangle(symbol, NULL, NULL, &status);
    if (full == NULL)
        return strdup(symbol);
    const size_t length = without_arguments(full);
    const char *begin = without_type(full, length);
    char *name = strndup(begin, length - (size_t)(begin - full));
    free(full);
    return name;
}

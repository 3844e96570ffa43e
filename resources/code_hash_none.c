/* Stands in for code_hash.c where libelf was not there when Assay was built: machine code is not known. */
#include "resources/code_hash.h"

int code_hash(const char *const *files, int count, char hex[65])
{
    (void)files, (void)count;
    hex[0] = '\0';
    return 0;
}

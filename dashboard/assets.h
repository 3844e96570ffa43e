/* The files of site/ as they were when the program was built, so that `assay dashboard` needs no source tree. Generated from
 * the list in CMakeLists.txt by embed.cmake. */
#ifndef ASSAY_DASHBOARD_ASSETS_H
#define ASSAY_DASHBOARD_ASSETS_H

#include <stddef.h>

typedef struct dashboard_asset {
    const char *name;          /* "overview.js" */
    const unsigned char *data; /* NUL-terminated */
    size_t bytes;              /* without the NUL */
} dashboard_asset;

extern const dashboard_asset dashboard_assets[]; /* ends with a NULL name */

#endif

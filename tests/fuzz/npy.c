/* Fuzz target: NumPy's files (verify/npy.h). */
#include "verify/npy.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    npy_array array;
    assay_error error = {0};
    if (npy_read(fuzz_file(data, size), &array, &error) == ASSAY_OK) {
        const size_t bytes = (size_t)array.count * npy_type_bytes(array.type);
        int64_t count = 1;
        for (int32_t d = 0; d < array.rank && count != 0; d++)
            count = array.shape[d] == 0 ? 0 : count;
        for (int32_t d = 0; d < array.rank && count != 0; d++)
            count *= array.shape[d]; /* without an extent of 0, before which the product may overflow */
        FUZZ_CHECK(array.data != NULL && count == array.count && bytes < size);
        FUZZ_CHECK(memcmp(array.data, data + size - bytes, bytes) == 0);
    } else
        FUZZ_CHECK(array.data == NULL && error.message[0] != '\0');
    npy_release(&array);
    return 0;
}

/* Fuzz target: T1 files (space_from_t1), and what is asked of the space that comes of one. */
#include "core/json_file.h"
#include "fuzz.h"
#include "tune/space/space.h"

static void ask(const space *s)
{
    configuration c, back;
    if (space_draw(s, 1, 1, &c)) {
        FUZZ_CHECK(space_is_valid(s, &c, NULL));
        json_t *object = configuration_to_json(s, &c);
        FUZZ_CHECK(configuration_from_json(s, object, &back, NULL) == ASSAY_OK);
        FUZZ_CHECK(configuration_equals(&c, &back));
        json_decref(object);
    }
    if (!space_is_open(s)) {
        const uint64_t count = space_count(s);
        FUZZ_CHECK(count <= space_cartesian_count(s));
        FUZZ_CHECK(space_at(s, 0, &c) == (count > 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *root = NULL;
    space *s = NULL;
    assay_error error = {0};
    if (size > 4000) /* long value lists only take time */
        return 0;
    if (json_file_read(fuzz_file(data, size), &root, NULL) != ASSAY_OK)
        return 0;
    const assay_status status = space_from_t1(root, "file", &s, &error);
    FUZZ_CHECK((status == ASSAY_OK) == (s != NULL));
    FUZZ_CHECK(status == ASSAY_OK || error.message[0] != '\0');
    if (s)
        ask(s);
    space_free(s);
    json_decref(root);
    return 0;
}

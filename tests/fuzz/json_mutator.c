/* Mutations of JSON texts by structure, for the fuzzers of readers of JSON: values take other types, other magnitudes and other
 * places, and keys go and come. Changes of single bytes break nearly every text before a reader sees a value. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static unsigned state;

static unsigned random_below(size_t count)
{
    state = state * 1664525u + 1013904223u;
    return count ? (state >> 8) % (unsigned)count : 0;
}

/* Number of values below and including `value`; with `wanted` the value of that number, counted from 0, goes to *found. */
static size_t count_values(json_t *value, size_t wanted, size_t before, json_t **found)
{
    size_t count = 1, index;
    const char *key;
    json_t *member;
    if (found && wanted == before)
        *found = value;
    json_object_foreach(value, key, member) count += count_values(member, wanted, before + count, found);
    json_array_foreach(value, index, member) count += count_values(member, wanted, before + count, found);
    return count;
}

static json_t *any_value(json_t *root)
{
    json_t *found = root;
    count_values(root, random_below(count_values(root, 0, 0, NULL)), 0, &found);
    return found;
}

static json_t *mutated_text(const json_t *value)
{
    char text[512];
    const size_t length = json_string_length(value) < 256 ? json_string_length(value) : 256;
    memcpy(text, json_string_value(value), length);
    const size_t size = LLVMFuzzerMutate((uint8_t *)text, length, sizeof text);
    json_t *out = json_stringn(text, size);
    return out ? out : json_string("\xc2\x85\x1b[31m%s/../..");
}

static json_t *new_value(json_t *root, const json_t *old)
{
    static const json_int_t integers[] = {
        0, 1, -1, 2, 8, 63, 64, 2147483647, -2147483648, 1LL << 32, 1LL << 48, INT64_MAX, INT64_MIN};
    static const double reals[] = {0.0, -0.5, 1e-300, 1e308, -1e308, 2147483648.0, 1e12, 9.3e18};
    static const char *const texts[] = {"", ".", "-", "/", "a,b", "f32", "pass", "v1_baseline", "0x1"};
    switch (random_below(10)) {
    case 0:
    case 1:
        return json_integer(integers[random_below(sizeof integers / sizeof *integers)]);
    case 2:
        return json_real(reals[random_below(sizeof reals / sizeof *reals)]);
    case 3:
        return json_string(texts[random_below(sizeof texts / sizeof *texts)]);
    case 4:
        return json_boolean(random_below(2));
    case 5:
        return random_below(2) ? json_null() : random_below(2) ? json_object() : json_array();
    case 6:
    case 7:
        return json_deep_copy(any_value(root));
    default:
        if (json_is_string(old))
            return mutated_text(old);
        if (json_is_integer(old))
            return json_integer((json_int_t)((uint64_t)json_integer_value(old) + random_below(3) - 1u));
        return json_deep_copy(any_value(root));
    }
}

static void change_object(json_t *root, json_t *object)
{
    unsigned place = random_below(json_object_size(object));
    char key[128] = "key";
    const char *name;
    json_t *member, *old = NULL;
    json_object_foreach(object, name, member)
    {
        if (place-- == 0) {
            strncpy(key, name, sizeof key - 1);
            old = member;
            break;
        }
    }
    const unsigned action = random_below(6);
    json_t *value = new_value(root, old);
    if (action == 0 || !value) {
        json_object_del(object, key);
        json_decref(value);
        return;
    }
    if (action == 1) { /* one more member */
        const size_t size = LLVMFuzzerMutate((uint8_t *)key, strlen(key), sizeof key - 1);
        key[size] = '\0';
    }
    json_object_set_new(object, key, value);
}

static void change_array(json_t *root, json_t *array)
{
    const size_t size = json_array_size(array);
    const unsigned place = random_below(size);
    switch (random_below(5)) {
    case 0:
        json_array_remove(array, place);
        break;
    case 1:
    case 2: /* many more: the limits of counts */
        for (unsigned i = random_below(random_below(4) ? 2 : 140) + 1; i > 0 && size > 0; i--)
            json_array_append_new(array, json_deep_copy(json_array_get(array, place)));
        break;
    default:
        if (size > 0)
            json_array_set_new(array, place, new_value(root, json_array_get(array, place)));
        else
            json_array_append_new(array, new_value(root, NULL));
    }
}

static void change(json_t *root)
{
    json_t *at = root;
    for (int attempt = 0; attempt < 20; attempt++) {
        at = any_value(root);
        if (json_is_object(at) || json_is_array(at))
            break;
    }
    if (json_is_object(at))
        change_object(root, at);
    else if (json_is_array(at))
        change_array(root, at);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    json_error_t parsed;
    state = seed;
    json_t *root =
        random_below(8) ? json_loadb((const char *)data, size, JSON_DISABLE_EOF_CHECK, &parsed) : NULL;
    if (!root)
        return LLVMFuzzerMutate(data, size, max_size);
    for (unsigned i = 0; i <= random_below(3); i++)
        change(root);
    /* What follows the value, the other lines of an archive, stays. */
    const size_t used = (size_t)parsed.position < size ? (size_t)parsed.position : size;
    char *text = json_dumps(root, JSON_COMPACT | JSON_ENCODE_ANY);
    const size_t length = text ? strlen(text) : 0, rest = size - used;
    json_decref(root);
    if (!text || length + rest > max_size) {
        free(text);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memmove(data + length, data + used, rest);
    memcpy(data, text, length);
    free(text);
    return length + rest;
}

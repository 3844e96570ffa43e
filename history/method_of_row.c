/* How a row of the history was measured, in words: the rule is core/method_words.h. */
#include "history/history.h"
#include "core/method_words.h"

void method_label_of_row(const history_row *row, char *out, size_t bytes)
{
    json_t *method = json_loads(row->method, 0, NULL);
    method_label(method, row->device_kind, row->figure[0] ? row->figure : "cold", out, bytes);
    json_decref(method);
}

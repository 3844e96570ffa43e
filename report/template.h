/* Text templates: the part of Mustache that a report needs, over a JSON object.
 *
 *   {{name}}                 the value of `name`: text, number or boolean; {{.}} is the current item of a list
 *   {{#name}} ... {{/name}}  once for `true`, non-empty text, a number or an object; once an item for a list; else not
 *   {{^name}} ... {{/name}}  the opposite: once for `false`, null, empty text and an empty list
 *   {{! comment }}           nothing
 *
 * A name is looked up in the innermost section first. Nothing is escaped. A line that holds only section or comment tags
 * leaves no line behind. A name that is nowhere is an error, so a typing mistake in a template never goes unseen where
 * it is reached; sections that are not rendered are checked for their tags' nesting only. */
#ifndef ASSAY_REPORT_TEMPLATE_H
#define ASSAY_REPORT_TEMPLATE_H

#include "report/text_buffer.h"
#include <assay/status.h>
#include <jansson.h>

/* Render `text` with the values of `context`. `name` is the file's name in messages. ASSAY_ERR_FORMAT, with
 * the line and the name, on an unknown name, a section that is not closed, or a list used as a value. */
assay_status template_render(const char *name, const char *text, const json_t *context, text_buffer *out,
                             assay_error *error);

/* The same for the file FOLDER/NAME. ASSAY_ERR_IO if it cannot be read. */
assay_status template_render_file(const char *folder, const char *name, const json_t *context,
                                  text_buffer *out, assay_error *error);

#endif

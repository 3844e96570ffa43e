/* Markdown as HTML for the logs of reports: CommonMark with tables, through md4c. Raw HTML in the text is shown, not taken, apart
 * from <details> and <summary>, which the logs use. */
#ifndef ASSAY_DASHBOARD_MARKDOWN_H
#define ASSAY_DASHBOARD_MARKDOWN_H

#include "report/text_buffer.h"
#include <assay/status.h>
#include <stddef.h>

/* Where a link or an image leads in the site: 1 and `out` filled, or 0 to show its text only. */
typedef int (*markdown_map_fn)(void *context, const char *url, int is_image, char *out, size_t out_bytes);

/* Append the HTML of `text`. Tables get a scrolling frame that the keyboard reaches, and column headers their scope. Without md4c the text
 * is shown as it is, in <pre>. ASSAY_ERR_FORMAT: md4c refused the text. */
assay_status markdown_to_html(const char *text, size_t bytes, markdown_map_fn map, void *context,
                              text_buffer *out, assay_error *error);

#endif

/* Markdown through md4c, and what its output lacks for our pages: links that lead somewhere in the site, frames for wide tables,
 * scopes of headers. md4c escapes all text, so a tag in its output is one that it wrote itself. */
#include "dashboard/markdown.h"
#include "dashboard/site.h"
#include <stdlib.h>
#include <string.h>

#ifdef ASSAY_WITH_MD4C
#include <md4c-html.h>

typedef struct replacement {
    const char *from, *to;
} replacement;

static const replacement replacements[] = {
    {"<table>", "<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>"},
    {"</table>", "</table></div>"},
    {"<th>", "<th scope=\"col\">"},
    {"<th align=", "<th scope=\"col\" align="},
    {"<p>&lt;details&gt;", "<details>"},
    {"&lt;summary&gt;", "<summary>"},
    {"&lt;/summary&gt;</p>", "</summary>"},
    {"&lt;/summary&gt;", "</summary>"},
    {"<p>&lt;/details&gt;</p>", "</details>"},
};

static void collect(const MD_CHAR *text, MD_SIZE bytes, void *context)
{
    text_append(context, text, bytes);
}

/* A URL as it was written: md4c puts "&amp;" for "&", and escapes nothing else with "&". */
static void read_url(const char *from, const char *end, char *out, size_t out_bytes)
{
    size_t n = 0;
    while (from < end && n + 1 < out_bytes) {
        out[n++] = *from;
        from += strncmp(from, "&amp;", 5) == 0 ? 5 : 1;
    }
    out[n] = '\0';
}

/* Copy an opening tag <a href="URL"...> or <img src="URL" alt="TEXT"...>, mapped. Returns where its text goes on. */
static const char *copy_reference(const char *at, int is_image, int *in_link, markdown_map_fn map,
                                  void *context, text_buffer *out)
{
    const char *url = strchr(at, '"') + 1, *url_end = strchr(url, '"'), *tag_end = strchr(url_end, '>');
    char written[1024], mapped[1024];
    read_url(url, url_end, written, sizeof written);
    const int known = map(context, written, is_image, mapped, sizeof mapped);
    if (known) {
        text_append(out, at, (size_t)(url - at));
        html_escape(out, mapped);
        text_append(out, url_end, (size_t)(tag_end + 1 - url_end));
    } else if (is_image) {
        const char *alt = strstr(url_end, "alt=\"");
        if (alt != NULL && alt < tag_end)
            text_append(out, alt + 5, strcspn(alt + 5, "\""));
    }
    if (!is_image)
        *in_link = known;
    return tag_end + 1;
}

static void finish(const char *html, markdown_map_fn map, void *context, text_buffer *out)
{
    int in_link = 0;
    for (const char *at = html; *at != '\0';) {
        const replacement *found = NULL;
        for (size_t i = 0; found == NULL && i < sizeof replacements / sizeof replacements[0]; i++)
            if ((*at == '<' || *at == '&') &&
                strncmp(at, replacements[i].from, strlen(replacements[i].from)) == 0)
                found = &replacements[i];
        if (found != NULL) {
            text_puts(out, found->to);
            at += strlen(found->from);
        } else if (strncmp(at, "<img src=\"", 10) == 0) {
            at = copy_reference(at, 1, &in_link, map, context, out);
        } else if (strncmp(at, "<a href=\"", 9) == 0) {
            at = copy_reference(at, 0, &in_link, map, context, out);
        } else if (strncmp(at, "</a>", 4) == 0 && !in_link) {
            at += 4;
        } else {
            text_append(out, at++, 1);
        }
    }
}

assay_status markdown_to_html(const char *text, size_t bytes, markdown_map_fn map, void *context,
                              text_buffer *out, assay_error *error)
{
    text_buffer html = {0};
    const unsigned flags = MD_FLAG_TABLES | MD_FLAG_NOHTML;
    assay_status status = ASSAY_OK;
    if (md_html(text, (MD_SIZE)bytes, collect, &html, flags, 0) != 0 || html.failed)
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "the text could not be turned into HTML");
    else
        finish(text_get(&html), map, context, out);
    text_release(&html);
    return status;
}

#else

assay_status markdown_to_html(const char *text, size_t bytes, markdown_map_fn map, void *context,
                              text_buffer *out, assay_error *error)
{
    (void)bytes;
    (void)map;
    (void)context;
    (void)error;
    text_puts(out, "<pre>");
    html_escape(out, text);
    text_puts(out, "</pre>");
    return ASSAY_OK;
}

#endif

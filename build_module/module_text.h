/* Scanning C++ source text without a parser: a mask in which comments, strings and character literals are blank, at the same
 * offsets as in the text, and small steps over it. Enough to find declarations and launches; it must not be asked for more. */
#ifndef ASSAY_CORE_MODULE_TEXT_H
#define ASSAY_CORE_MODULE_TEXT_H

#include <stddef.h>

/* A malloc'ed copy of `text`, same length, with blanks for everything that is not code; newlines stay. NULL without memory. */
char *text_mask(const char *text);

int text_is_word(char c); /* may it be part of an identifier? */

/* Does the word `word` stand at offset `at`, as a whole? */
int text_word_at(const char *mask, size_t at, const char *word);
/* Offset of the next whole word from `from` on; (size_t)-1 if there is none. */
size_t text_find_word(const char *mask, size_t from, const char *word);

size_t text_skip_space(const char *mask, size_t at);
/* First offset of the blanks that end at `at` (exclusive). */
size_t text_skip_space_back(const char *mask, size_t at);
/* The offset of the bracket that closes the one at `open`, (size_t)-1 if none does. ( [ and { count, of all kinds. */
size_t text_match(const char *mask, size_t open);
/* The offset of the bracket that opens the one at `close`; also for < and >, between which the others are matched. */
size_t text_match_back(const char *mask, size_t close);

/* The opening bracket of the parameters of the definition  void NAME(...) { ; (size_t)-1 if there is none. */
size_t text_find_function(const char *mask, const char *name);

/* The commas at bracket depth 0 of [begin, end): their offsets, at most `most`; returns how many there are. */
int text_commas(const char *mask, size_t begin, size_t end, size_t *commas, int most);

#endif

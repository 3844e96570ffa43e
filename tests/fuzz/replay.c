/* Main of a fuzz target in builds without libFuzzer: gives it every file of the folder in the argument. */
#include "fuzz.h"
#include "core/json_file.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    int count = 0;
    if (!dir) {
        fprintf(stderr, "usage: %s FOLDER (with the inputs)\n", argv[0]);
        return 2;
    }
    for (const struct dirent *item; (item = readdir(dir)) != NULL;) {
        char path[4400], *text = NULL;
        size_t bytes = 0;
        if (item->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], item->d_name);
        printf("%s\n", item->d_name);
        fflush(stdout); /* the last line names the input of a crash */
        FUZZ_CHECK(text_file_read(path, &text, &bytes, NULL) == ASSAY_OK);
        /* A copy of exactly that size, so that AddressSanitizer sees a read behind it. */
        char *exact = malloc(bytes ? bytes : 1);
        FUZZ_CHECK(exact != NULL);
        for (size_t i = 0; i < bytes; i++)
            exact[i] = text[i];
        LLVMFuzzerTestOneInput((const uint8_t *)exact, bytes);
        free(exact);
        free(text);
        count++;
    }
    closedir(dir);
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}

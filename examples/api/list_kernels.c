/* What a build has: ops, variants and their tunables. Usage: list_kernels [BUILD] */
#include <assay/assay.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    assay_session *s;
    assay_error error = {0};
    const char *op, *variant, *tunable, *values;
    if (assay_session_open(argc > 1 ? argv[1] : NULL, &s, &error) != ASSAY_OK) {
        fprintf(stderr, "%s\n", error.message);
        return assay_status_exit(error.status);
    }
    printf("device %s\n", assay_session_device(s));
    for (int o = 0; (op = assay_session_op(s, o)) != NULL; o++)
        for (int v = 0; (variant = assay_session_variant(s, op, v)) != NULL; v++) {
            printf("%s %s\n", op, variant);
            for (int t = 0; (tunable = assay_session_tunable(s, op, variant, t, &values)) != NULL; t++)
                printf("    %s: %s\n", tunable, values);
        }
    assay_session_close(s);
    return 0;
}

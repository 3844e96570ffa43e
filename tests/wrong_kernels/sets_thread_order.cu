// Wrong: declares a function of the CPU device that no header has, to fix the order of threads before a racy kernel.
#include "add_rightly.h"

struct order {
    int workers, order;
    unsigned long long seed;
    int poison;
};
extern "C" void assay_simt_set_options(const order *);

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    const order forward = {};
    assay_simt_set_options(&forward);
    return right_launch(args, stream);
}

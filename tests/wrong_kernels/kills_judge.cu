// Wrong: kills the process that started it.
#include "add_rightly.h"
#include <signal.h>
#include <unistd.h>
extern "C" assay_status add_run(const add_args *, assay_stream)
{
    kill(getppid(), SIGKILL);
    return ASSAY_OK;
}

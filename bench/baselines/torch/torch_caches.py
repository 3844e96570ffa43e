"""Which caches of torch's and Triton's compilers may be shared between processes, and which may not.

Shared: Triton's cache on disk, whose entries are compiled code, found by a kernel's source, its configuration and the compiler. Whoever
compiled an entry, it is the same. Not shared: whatever keeps a choice between kernels or configurations, because a choice rests on times,
and only those count that the process which measures takes itself while nothing else runs. Torch keeps choices in its own cache folder
(`.best_config` files, times of matmul's kernels, whole graphs that were compiled after a choice), so each process gets a folder of its
own; the settings that would read or write them elsewhere are switched off as well.
"""

import importlib
import os
import sys
import tempfile

# Names differ between versions of torch; one that is not there has nothing to switch off.
OFF = {
    "torch._inductor.config": ("fx_graph_cache", "fx_graph_remote_cache", "autotune_local_cache", "autotune_remote_cache",
                               "bundled_autotune_remote_cache", "remote_gemm_autotune_cache"),
    "torch._functorch.config": ("enable_autograd_cache", "enable_remote_autograd_cache"),
}
ENVIRONMENT_OFF = ("TORCHINDUCTOR_FX_GRAPH_CACHE", "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE", "TORCHINDUCTOR_AUTOGRAD_CACHE",
                   "TORCHINDUCTOR_AUTOGRAD_REMOTE_CACHE", "TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE",
                   "TORCHINDUCTOR_BUNDLED_AUTOTUNE_REMOTE_CACHE", "TRITON_CACHE_AUTOTUNING")


def compiled_code_folder():
    """Triton's own default, said aloud: torch would otherwise put the code of its kernels into the folder that is private."""
    home = os.environ.get("TRITON_HOME") or os.path.expanduser("~")
    for folder in (os.path.join(home, ".triton", "cache"), os.path.join(tempfile.gettempdir(), "assay-triton-%d" % os.getuid())):
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK) and os.stat(folder).st_uid == os.getuid():
            return folder
    return None


def use(private_folder):
    """Before torch is imported: this process' choices go into `private_folder`, compiled code where all processes find it."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = private_folder
    for name in ENVIRONMENT_OFF:
        os.environ[name] = "0"
    if not os.environ.get("TRITON_CACHE_DIR"):
        folder = compiled_code_folder()
        if folder:
            os.environ["TRITON_CACHE_DIR"] = folder


def forget_choices():
    """Before the first compilation: the same once more by torch's settings, some of which no variable of the environment reaches."""
    for module_name, names in OFF.items():
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            continue
        for name in names:
            if not hasattr(module, name):
                continue
            try:
                setattr(module, name, False)
            except Exception as failure:  # a version that forbids it: the private folder still holds
                print("%s.%s stays as it is: %s" % (module_name, name, failure), file=sys.stderr)

#!/bin/sh
# Brings nvcc, the CUDA runtime, CCCL and cuBLAS from the Python package registry's wheels into a folder, for machines that have
# a driver but no toolkit. Needs python3 with pip; touches nothing outside the folder.
#
#   cmake/get-cuda-toolkit.sh FOLDER [VERSION]
#
# VERSION (such as 13.0) defaults to what the driver supports, so that nothing newer than the driver is chosen; without a
# driver to 13.0. ASSAY_CUDA_COMPONENTS names the components (default: nvcc,crt,nvvm,cudart,cccl,profiler,cublas). On success the toolkit's root is the only line on standard output. Exit status: 0 there (or there
# already), 2 wrong use, 3 it cannot be had here, and the reason is printed.
set -eu

fail() {
    echo "get-cuda-toolkit: $1" >&2
    exit 3
}

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: $0 FOLDER [VERSION]" >&2
    exit 2
fi
mkdir -p "$1" || fail "cannot create $1"
folder=$(cd "$1" && pwd)

# "13.0" of the line "CUDA Version: 13.0" that nvidia-smi prints; empty without a driver.
driver_version() {
    command -v nvidia-smi >/dev/null 2>&1 || return 0
    nvidia-smi 2>/dev/null | sed -n 's/.*CUDA[A-Za-z ]*Version: *\([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1
}

version=${2:-$(driver_version)}
version=${version:-13.0}
major=${version%%.*}
if [ "$major" -lt 13 ]; then
    fail "the driver supports CUDA $version; wheels with nvcc exist from 13.0 on: update the driver or install a toolkit, or build with ASSAY_DEVICE=cpu"
fi

components=${ASSAY_CUDA_COMPONENTS:-nvcc,crt,nvvm,cudart,cccl,profiler,cublas}
root="$folder/nvidia/cu$major"
stamp="$folder/complete-$version"
if [ "$(cat "$stamp" 2>/dev/null)" != "$components" ]; then # an older folder may lack a component that is needed now
    python3 -m pip --version >/dev/null 2>&1 || fail "python3 with pip is needed (apt-get install python3-pip)"
    echo "get-cuda-toolkit: fetching CUDA $version ($components: about 0.3 GB, 1 GB with cublas) into $folder" >&2
    rm -rf "$folder/nvidia"
    # The metapackage pins components that belong together. A release above the newest one is replaced by the newest below it.
    PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --upgrade --target "$folder" \
        "cuda-toolkit[$components]>=13.0,<=$version.9999" >&2 ||
        fail "the wheels of CUDA $version could not be fetched; is there a network? A toolkit on PATH works as well, and so does ASSAY_DEVICE=cpu"
    [ -x "$root/bin/nvcc" ] || fail "the wheels brought no nvcc into $root"
    # nvcc looks for libraries under lib64 and links by names without a version, neither of which the wheels have.
    [ -e "$root/lib64" ] || ln -s lib "$root/lib64"
    for library in "$root"/lib/*.so.*; do
        name=${library%%.so.*}.so
        [ -e "$name" ] || ln -s "${library##*/}" "$name"
    done
    echo "$components" >"$stamp"
fi
echo "$root"

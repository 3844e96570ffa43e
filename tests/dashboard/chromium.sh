# shellcheck shell=sh
# Sourced by the tests that need a browser: sets `chromium`, or ends the test as skipped, visibly. Asked for its version, as Ubuntu's
# chromium-browser may be a script that only says where to get one.
chromium=
for name in ${CHROMIUM:-} chromium chromium-browser google-chrome; do
    case $("$name" --version 2>/dev/null) in
    *Chrom*)
        chromium=$name
        break
        ;;
    esac
done
if [ -z "$chromium" ]; then
    echo "skipped: no Chromium here (apt-get install chromium fonts-dejavu-core, or ./run test)"
    exit 77
fi

# browse FOLDER FLAG...: Chromium without a window, a network or anything kept outside FOLDER.
browse() {
    profile=$1
    shift
    timeout 100 "$chromium" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-extensions \
        --user-data-dir="$profile/profile" --host-resolver-rules='MAP * ~NOTFOUND' "$@" 2>"$profile/chromium.log"
}

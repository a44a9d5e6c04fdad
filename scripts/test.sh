#!/usr/bin/env bash
# The README's second command: sets up what the tests need, then passes all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh tests
scripts/layers.sh
scripts/dependencies.sh
scripts/house.sh

# The committed programs are what their sources say. Only the same compilers give the same bytes.
if grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
    scripts/build-examples.sh --check
else
    echo "examples: not rebuilt, because the committed bytes are those of Debian 12's compilers"
fi
cargo test --workspace --no-fail-fast "$@"
# The page: its types and modules, that the committed build is what the sources give, and real work in a real browser.
# It is tried on the program that the tests above have built, beside what mostly keeps one core busy.
paged=$(mktemp)
BORGES=${CARGO_TARGET_DIR:-$PWD/target}/debug/borges scripts/page.sh test >"$paged" 2>&1 &
page=$!
# Nothing is left to be killed where all went well.
trap 'kill "$page" 2>/dev/null || true; cat "$paged"; rm -f "$paged"' EXIT

# The firmware, in emulated microcontrollers. Its compiler's libraries come from rustup.
targets="thumbv6m-none-eabi thumbv7em-none-eabihf"
# shellcheck disable=SC2086 # two words
if rustup target add $targets; then
    scripts/firmware.sh test
else
    echo "firmware: not tested, because rustup could not install $targets" >&2
fi

node --test recorders/js/test.js

# The same stops in LLDB.
if command -v lldb-22 >/dev/null; then
    BORGES=${CARGO_TARGET_DIR:-$PWD/target}/debug/borges scripts/lldb.sh
else
    echo "lldb: not compared, because there is no lldb-22" >&2
fi

# Editors: every example, by a client that others made.
scripts/dap.sh test

# Programs that we did not write, beside another engine, and recorded on it.
if command -v clang-14 >/dev/null && [ -e /usr/include/wasm32-wasi ]; then
    {
        export BORGES=${CARGO_TARGET_DIR:-$PWD/target}/debug/borges
        scripts/real-programs.sh lua bzip2 esbuild && ENGINES="node wasmtime" scripts/recordings.sh lua bzip2 library
    } || {
        [ $? = 75 ] && echo "real programs: not compared, because a registry could not be reached" >&2
    }
else
    echo "real programs: not compared, because there is no clang-14 with wasi-libc" >&2
fi
wait "$page"

# The real VS Code, in a browser. A whole editor now and then takes longer than anybody waits: what fails once is tried once more.
{
    export BORGES=${CARGO_TARGET_DIR:-$PWD/target}/debug/borges
    scripts/vscode.sh test || scripts/vscode.sh test
} || {
    [ $? = 75 ] && echo "VS Code: not tried, because a registry could not be reached" >&2
}

# The fast tier once more, with the dispatch of devices, and noting by itself what it writes.
cargo test --package borges-vm --features portable-dispatch,noting --lib --test large "$@"
# Without Z3 it builds, asks solvers on the path, and says how to get one.
cargo check --package borges-cli --no-default-features
cargo test --package borges-concolic --no-default-features --test solvers "$@"

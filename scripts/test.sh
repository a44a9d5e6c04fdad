#!/usr/bin/env bash
# The README's second command: sets up what the tests need, then passes all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh tests
scripts/layers.sh
scripts/dependencies.sh
scripts/house.sh

# What waits, or keeps one core busy, goes on beside the rest; what it says comes at its end.
said=$(mktemp -d)
beside=()
# Nothing is left to be killed where all went well.
trap 'kill "${beside[@]}" 2>/dev/null || true; cat "$said"/*; rm -rf "$said"' EXIT

# The committed programs are what their sources say. Only the same compilers give the same bytes.
examples() {
    if grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
        scripts/build-examples.sh --check
    else
        echo "examples: not rebuilt, because the committed bytes are those of Debian 12's compilers"
    fi
}
examples >"$said/1-examples" 2>&1 &
examples=$!
beside+=("$examples")
cargo test --workspace --no-fail-fast "$@"
wait "$examples"

# The page: its types and modules, that the committed build is what the sources give, and real work in a real browser. Then the
# real VS Code, in a browser, which now and then takes longer than anybody waits: what fails once is tried once more. Both are
# tried on the program that the tests above have built, beside what mostly keeps one core busy.
browsers() {
    export BORGES=${CARGO_TARGET_DIR:-$PWD/target}/debug/borges
    scripts/page.sh test || return
    scripts/vscode.sh test || scripts/vscode.sh test || {
        [ $? = 75 ] || exit 1
        echo "VS Code: not tried, because a registry could not be reached"
    }
}
browsers >"$said/2-browsers" 2>&1 &
browsers=$!
beside+=("$browsers")

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
        # As the last of a list that may fail, a test here would end nothing.
        [ $? = 75 ] || exit 1
        echo "real programs: not compared, because a registry could not be reached" >&2
    }
else
    echo "real programs: not compared, because there is no clang-14 with wasi-libc" >&2
fi

# The fast tier once more, with the dispatch of devices, and noting by itself what it writes.
cargo test --package borges-vm --features portable-dispatch,noting --lib --test large "$@"
# Without Z3 it builds, asks solvers on the path, and says how to get one.
cargo check --package borges-cli --no-default-features
cargo test --workspace --no-default-features --test solvers "$@"
wait "$browsers"

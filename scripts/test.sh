#!/usr/bin/env bash
# The README's second command: sets up what the tests need, then passes all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh tests
scripts/layers.sh
scripts/dependencies.sh

# The committed programs are what their sources say. Only the same compilers give the same bytes.
if grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
    scripts/build-examples.sh --check
else
    echo "examples: not rebuilt, because the committed bytes are those of Debian 12's compilers"
fi
cargo test --workspace --no-fail-fast "$@"
# The fast tier once more, with the dispatch of devices.
cargo test --package borges-vm --features portable-dispatch --lib "$@"
# Without Z3 it builds, asks solvers on the path, and says how to get one.
cargo check --package borges-cli --no-default-features
cargo test --package borges-concolic --no-default-features --test solvers "$@"

# The page: its types and modules, that the committed build is what the sources give, and real work in a real browser.
scripts/page.sh test

# The firmware, in an emulated microcontroller. Its compiler's library comes from rustup.
target=thumbv7em-none-eabihf
if rustup target list --installed 2>/dev/null | grep -qx "$target" || rustup target add "$target"; then
    scripts/firmware.sh test
else
    echo "firmware: not tested, because rustup could not install $target" >&2
fi

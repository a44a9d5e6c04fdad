#!/usr/bin/env bash
# The same stops in LLDB and in Borges: LLDB reads the same module's DWARF by itself, on the twin that 'borges gdb' gives it,
# so that each is held against a foreign reader. Frames, lines and scalar variables have to be equal; what differs for a
# reason is listed in scripts/lldb.py with it. Also: steps and runs backwards, watchpoints, 'monitor', and that nothing can
# be written.
#
#   scripts/lldb.sh            needs lldb-22 (Debian: apt-get install --no-install-recommends lldb-22)
set -euo pipefail
cd "$(dirname "$0")/.."

command -v lldb-22 >/dev/null || {
    echo "lldb: lldb-22 is not installed; in Debian 12 it is in the security suite: apt-get install --no-install-recommends lldb-22" >&2
    exit 1
}
export BORGES=${BORGES:-${CARGO_TARGET_DIR:-$PWD/target}/debug/borges}
[ -x "$BORGES" ] || cargo build --quiet -p borges-cli
exec python3 scripts/lldb.py

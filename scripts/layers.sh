#!/usr/bin/env bash
# Layers point one way: every edge between our crates must be in this list (ARCHITECTURE.md says why).
set -euo pipefail
cd "$(dirname "$0")/.."

allowed="
board: vm wasi
wire: board vm
stub: board vm wire
sim: board stub vm wasi wire
debuginfo: vm
multiverse:
languages: multiverse
store:
framing:
link: wire
concolic: board multiverse vm
session: board concolic debuginfo languages link multiverse sim store stub vm wasi wire
commands: languages multiverse session
cluster: languages link multiverse session
hub: commands session
web: hub session
gdbserver: commands session vm
dap: commands framing hub session
lsp: framing languages multiverse
cli: cluster commands dap gdbserver hub languages lsp multiverse session web
vm:
wasi:
"

bad=0
while read -r crate; do
    line=$(grep "^$crate:" <<<"$allowed") || {
        echo "layers: crate '$crate' is not in scripts/layers.sh: say what it may depend on" >&2
        bad=1
        continue
    }
    for dependency in $(cargo tree -p "borges-$crate" --depth 1 --edges normal,build --prefix none --format '{p}' |
        sed -n 's/^borges-\([a-z]*\) .*/\1/p' | sort -u); do
        [ "$dependency" = "$crate" ] && continue
        grep -qw "$dependency" <<<"${line#*:}" || {
            echo "layers: $crate must not depend on $dependency" >&2
            bad=1
        }
    done
done < <(cd crates && ls -d -- */ | tr -d /)
[ $bad = 0 ] && echo "layers: every edge points down"
exit $bad

#!/usr/bin/env bash
# The face of editors and its tests.
#
#   scripts/dap.sh schema   fetches the protocol's JSON schema, which the tests hold every message against
#   scripts/dap.sh test     drives the built `borges dap` with a client of VS Code's makers, over stdio and TCP
set -euo pipefail
cd "$(dirname "$0")/.."
tests=crates/dap/tests/node
schema=$tests/node_modules/.debugpy

case "${1:-test}" in
    schema)
        [ -e "$schema/debugProtocol.json" ] && exit
        echo "dap: fetching the protocol's schema"
        wheels=$(mktemp -d)
        trap 'rm -rf "$wheels"' EXIT
        # The schema is in a debugger's package; copies of it are nobody's to commit.
        python3 -m pip download --quiet --no-deps --dest "$wheels" debugpy==1.8.22
        mkdir -p "$schema"
        python3 - "$wheels" "$schema" <<'P'
import glob, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
inside = "debugpy/_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"
with open(sys.argv[2] + "/debugProtocol.json", "wb") as file:
    file.write(wheel.read(inside))
P
        ;;
    test)
        export BORGES=${BORGES:-${CARGO_TARGET_DIR:-$PWD/target}/debug/borges}
        node --test "$tests"/*.test.mjs
        ;;
    *) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

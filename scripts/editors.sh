#!/usr/bin/env bash
# Editors that are no part of the tests, because no registry has them whole: sessions in them, where they are installed.
#
#   scripts/editors.sh neovim FOLDER     Neovim (0.7 or later) with the checkout of nvim-dap (0.6 or later) in FOLDER
#
# The command is BORGES, or what cargo built last.
set -euo pipefail
cd "$(dirname "$0")/.."

export BORGES=${BORGES:-${CARGO_TARGET_DIR:-$PWD/target}/debug/borges}
[ -x "$BORGES" ] || {
    echo "editors: $BORGES is not there: cargo build -p borges-cli" >&2
    exit 1
}
case "${1:-}" in
    neovim)
        command -v nvim >/dev/null || {
            echo "editors: Neovim is not installed (Debian: apt-get install neovim)" >&2
            exit 1
        }
        NVIM_DAP=$(realpath "${2:?a checkout of nvim-dap}") timeout 120 \
            nvim --headless -u NONE -i NONE -S editors/neovim/session.lua
        echo
        ;;
    *)
        sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac

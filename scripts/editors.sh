#!/usr/bin/env bash
# Editors that are no part of the tests, because no registry has them whole: sessions in them, where they are installed.
#
#   scripts/editors.sh neovim FOLDER     Neovim (0.7 or later) with the checkout of nvim-dap (0.6 or later) in FOLDER
#   scripts/editors.sh emacs [FOLDER]    Emacs (28 or later) with dap-mode (0.7 or later), Debian's or from the packages in FOLDER
#   scripts/editors.sh kate              Kate 22.12, on a screen that nobody sees; a minute
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
    emacs)
        command -v emacs >/dev/null || {
            echo "editors: Emacs is not installed (Debian: apt-get install emacs-nox elpa-dap-mode)" >&2
            exit 1
        }
        # A home of its own: neither the user's configuration is read nor anything written beside it.
        home=$(mktemp -d)
        trap 'rm -rf "$home"' EXIT
        HOME=$home PACKAGES=${2:+$(realpath "$2")} timeout 120 \
            emacs --batch -l editors/emacs/session.el
        ;;
    kate)
        for tool in kate Xvfb xvfb-run xdotool openbox dbus-run-session; do
            command -v $tool >/dev/null || {
                echo "editors: $tool is not installed (Debian: apt-get install kate xvfb xauth xdotool openbox dbus)" >&2
                exit 1
            }
        done
        home=$(mktemp -d)
        trap 'rm -rf "$home"' EXIT
        mkdir -m 700 "$home/run"
        env -u XDG_CONFIG_HOME -u XDG_DATA_HOME HOME="$home" XDG_RUNTIME_DIR="$home/run" timeout 180 \
            xvfb-run -a dbus-run-session -- bash -c 'openbox & sleep 1; python3 editors/kate/session.py'
        ;;
    *)
        sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac

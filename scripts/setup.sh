#!/usr/bin/env bash
# Installs what a fresh Debian or Ubuntu machine lacks, and nothing that is there already.
#
#   scripts/setup.sh            what building Borges needs
#   scripts/setup.sh examples   and what rebuilding the example programs needs
#   scripts/setup.sh page       and what building and testing the page of `borges debug` needs
#   scripts/setup.sh vscode     and what building and testing the extension for VS Code needs
#   scripts/setup.sh firmware   and what measuring and emulating the firmware needs
#   scripts/setup.sh packages   and what making and trying packages needs
#   scripts/setup.sh tests      and what the tests need
#
# The two commands of the README call it. It works as root, and through sudo.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
reasons=()

# need PACKAGE REASON TOOL: the package is installed unless TOOL is a command or a file that is there.
need() {
    if ! { command -v "$3" || [ -e "$3" ]; } >/dev/null 2>&1; then
        packages+=("$1")
        reasons+=("  ${1%%=*}: $2")
    fi
}

# Debian 12's compilers gave the committed examples their bytes; no others give the same.
bookworm() {
    grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release
}

for_build() {
    need gcc "a C compiler, for SQLite and as linker" cc
    need libc6-dev "the C library's headers, for SQLite" /usr/include/stdio.h
    need pkg-config "tells where libraries are" pkg-config
    need libz3-dev "Z3, the solver for suggestions" /usr/include/z3.h
}

for_examples() {
    need nodejs "runs the AssemblyScript compiler" node
    need npm "installs the AssemblyScript compiler" npm
    need clang-14 "compiles the C examples" clang-14
    need lld-14 "links the C and Rust examples" wasm-ld-14
    need rustc=1.63.0+dfsg1-2 "compiles the Rust example (beside your own toolchain)" /usr/bin/rustc
    need libstd-rust-dev-wasm32 "Rust's library for the Rust example" /usr/lib/rustlib/wasm32-unknown-unknown
}

for_page() {
    need nodejs "runs the tests of the page" node
    need npm "installs what the page is built with" npm
    need chromium "the browser that the page is tested in" chromium
    need fonts-dejavu-core "the page's letters in that browser" /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
}

for_firmware() {
    need nodejs "measures the firmware, and runs the Pico's" node
    need npm "installs the Pico's emulator" npm
    need qemu-system-arm "runs the other firmware" qemu-system-arm
}

for_real_programs() {
    need clang-14 "compiles Lua and bzip2" clang-14
    need lld-14 "links them" wasm-ld-14
    need wasi-libc "the C library of WASI programs" /usr/include/wasm32-wasi
    need libclang-rt-14-dev-wasm32 "what clang needs of its own in them" /usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi
    python3 -c 'import ensurepip' 2>/dev/null || need python3-venv "runs them on wasmtime, to compare" /no/file/says/so
}

for_lldb() {
    need lldb-22 "a foreign reader of debug information, to compare with" lldb-22
}

for_editors() {
    need nodejs "is the editor in tests of 'borges dap'" node
    need npm "installs that editor's parts" npm
    python3 -m pip --version >/dev/null 2>&1 || need python3-pip "fetches the schema of editors' messages" /no/file/says/so
}

for_vscode() {
    need nodejs "builds the extension for VS Code" node
    need npm "installs what it is built with, and the editor" npm
    need g++ "compiles parts of that editor" g++
    need make "compiles parts of that editor" make
    need python3 "compiles parts of that editor" python3
    need ripgrep "searches in that editor" rg
    need chromium "shows that editor" chromium
    need fonts-dejavu-core "the letters in that browser" /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
}

for_packages() {
    for_vscode
    need gcc-aarch64-linux-gnu "compiles and links for ARM" aarch64-linux-gnu-gcc
    need libc6-dev-arm64-cross "the C library of ARM" /usr/aarch64-linux-gnu/include/stdio.h
    need qemu-user-static "runs programs for ARM" qemu-aarch64-static
    need gcc-mingw-w64-x86-64 "compiles and links for Windows" x86_64-w64-mingw32-gcc
    need wine64 "runs programs for Windows" /usr/lib/wine/wine64
    need mmdebstrap "makes an empty Debian, to install into" mmdebstrap
}

for_queues() {
    need nats-server "keeps jobs in tests of queues" /usr/sbin/nats-server
}

for_tests() {
    if bookworm; then
        for_lldb
        for_examples
        for_real_programs
    fi
    for_page
    for_vscode
    for_firmware
    for_editors
    for_queues
}

install_packages() {
    [ ${#packages[@]} -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        as_root=(sudo)
        command -v sudo >/dev/null || {
            echo "setup: there is no sudo: as root, please run: apt-get install ${packages[*]}" >&2
            exit 1
        }
    fi
    command -v apt-get >/dev/null || {
        echo "setup: this is neither Debian nor Ubuntu: please install what these packages hold: ${packages[*]}" >&2
        exit 1
    }
    echo "setup: installing"
    printf '%s\n' "${reasons[@]}"
    # Another installation may be under way: wait for it.
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update
    "${apt[@]}" install -y --no-install-recommends "${packages[@]}" >/dev/null
}

# npm_install FOLDER: what its package-lock.json says, unless it is there already.
npm_install() {
    [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] && return
    echo "setup: npm ci in $1"
    npm ci --prefix "$1" --no-audit --no-fund --silent
}

for_build
case "${1:-build}" in
    build) ;;
    examples) for_examples ;;
    page) for_page ;;
    vscode) for_vscode ;;
    firmware) for_firmware ;;
    packages) for_packages ;;
    tests) for_tests ;;
    *) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
install_packages
case "${1:-build}" in
    firmware | tests) npm_install firmware/tools ;;
esac
if [ "${1:-build}" = tests ]; then
    npm_install crates/dap/tests/node
    scripts/dap.sh schema
fi
if [ "${1:-build}" = examples ] || { [ "${1:-build}" = tests ] && bookworm; }; then
    npm_install examples
fi
command -v cargo >/dev/null 2>&1 || {
    echo "setup: no Rust toolchain: install one from https://rustup.rs (stable, 1.95 or later), then run this again" >&2
    exit 1
}

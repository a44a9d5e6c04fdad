#!/usr/bin/env bash
# Makes what people install, in target/packages, and tries it.
#
#   scripts/package.sh [make] [NAME…]   makes packages: linux-x86_64, linux-aarch64, windows-x86_64, vscode (all of them without a name)
#   scripts/package.sh test [NAME…]     tries them: in an empty Debian, in an emulated ARM, under Wine
#   scripts/package.sh crates           has cargo package every crate, and build it from its package
#   scripts/package.sh macos            checks every crate for macOS, as far as that can be done elsewhere: nothing is linked or run
#
# Programs in packages ask a solver on the path (z3 or cvc5) instead of carrying one.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
packages=$target/packages
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
all="linux-x86_64 linux-aarch64 windows-x86_64 vscode"

triple() {
    case "$1" in
        linux-*) echo "${1#linux-}-unknown-linux-gnu" ;;
        windows-*) echo "${1#windows-}-pc-windows-gnu" ;;
        *)
            echo "package: there is no package '$1': it is one of $all" >&2
            exit 2
            ;;
    esac
}

# program NAME: builds it, and says where it is.
program() {
    local triple
    triple=$(triple "$1")
    rustup --quiet target add "$triple" >&2
    CARGO_PROFILE_RELEASE_STRIP=symbols \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc \
        cargo build --quiet --release --target "$triple" -p borges-cli --no-default-features --features queue >&2
    local file=$target/$triple/release/borges
    [ -e "$file" ] && echo "$file" || echo "$file.exe"
}

# What every package has beside the program: pages, completions, licences, examples. Any Borges of this version writes the first two.
beside() {
    local tree=$1 writer=$target/x86_64-unknown-linux-gnu/release/borges
    [ -e "$writer" ] || writer=$(program linux-x86_64)
    mkdir -p "$tree"/share/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d,doc/borges,borges}
    "$writer" --quiet manual "$tree/share/man/man1" >/dev/null
    "$writer" completions bash >"$tree/share/bash-completion/completions/borges"
    "$writer" completions zsh >"$tree/share/zsh/site-functions/_borges"
    "$writer" completions fish >"$tree/share/fish/vendor_completions.d/borges.fish"
    "$writer" completions powershell >"$tree/share/borges/borges.ps1"
    cp LICENSE-APACHE LICENSE-MIT CHANGELOG.md "$tree/share/doc/borges/"
    # What the repository has of them, not what somebody made beside it.
    git archive HEAD examples | tar -x -C "$tree/share/borges"
}

# The oldest C library that a program runs with.
libc() {
    "${2:-}objdump" -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 | cut -d_ -f2
}

deb() {
    local tree=$1 machine=$2 libc=$3
    case "$machine" in
        x86_64) machine=amd64 ;;
        aarch64) machine=arm64 ;;
    esac
    local root=$packages/deb-$machine
    rm -rf "$root"
    mkdir -p "$root/DEBIAN" "$root/usr"
    cp -r "$tree"/. "$root/usr/"
    gzip -9n "$root"/usr/share/man/man1/*.1
    # Debian keeps /usr/share/zsh/site-functions for administrators.
    mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
    cat LICENSE-MIT LICENSE-APACHE >"$root/usr/share/doc/borges/copyright"
    cat >"$root/DEBIAN/control" <<EOF
Package: borges
Version: $version
Architecture: $machine
Maintainer: The Borges developers <borges@localhost>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= $libc), libgcc-s1
Recommends: z3
Section: devel
Priority: optional
Description: multiverse debugger
 Runs programs forwards, backwards and sideways: WebAssembly on devices and
 simulated boards, programs of WASI, and models of concurrent agents. Shows
 every execution that a program can take as a tree or graph to walk through.
EOF
    dpkg-deb --root-owner-group -Zxz --build "$root" "$packages/borges_${version}_$machine.deb"
    rm -rf "$root"
}

make_one() {
    local name=$1
    mkdir -p "$packages"
    if [ "$name" = vscode ]; then
        BORGES=$(program linux-x86_64) scripts/vscode.sh package >/dev/null
        cp "$target/borges.vsix" "$packages/borges-$version-linux-x64.vsix"
        return
    fi
    local file tree=$packages/borges-$version-$name
    file=$(program "$name")
    rm -rf "$tree"
    mkdir -p "$tree/bin"
    cp "$file" "$tree/bin/"
    beside "$tree"
    case "$name" in
        linux-*)
            local tools=
            [ "$name" = linux-aarch64 ] && tools=aarch64-linux-gnu-
            tar -czf "$tree.tar.gz" -C "$packages" --owner=0 --group=0 "$(basename "$tree")"
            deb "$tree" "${name#linux-}" "$(libc "$file" "$tools")"
            ;;
        windows-*) (cd "$packages" && rm -f "$tree.zip" && python3 -m zipfile -c "$tree.zip" "$(basename "$tree")") ;;
    esac
    rm -rf "$tree"
}

# try HOW…: has a program, started as HOW says with the folder of examples behind it, do something of everything.
try() {
    local examples=${!#}
    local start=("${@:1:$#-1}")
    "${start[@]}" --version | grep "$version" >/dev/null
    "${start[@]}" --quiet run "$examples/lease/lease.wasm" </dev/null | grep 'seconds left' >/dev/null
    printf 'entry\nback\nboard\n' | "${start[@]}" repl "$examples/color-dial/color-dial.wasm" | grep 'nothing was done to the board' >/dev/null
    # Nobody listens there: a program that can ask a queue says so, one without queues says something else.
    { "${start[@]}" --quiet paths "$examples/knock/knock.wasm" --max-inputs 1 --queue nats://127.0.0.1:1 2>&1 || true; } |
        grep 'no queue answers at' >/dev/null
    # Trying values answers this, without a solver.
    "${start[@]}" --quiet paths "$examples/knock/knock.wasm" --max-inputs 1 | grep '^2 paths' >/dev/null
    "${start[@]}" --quiet explore "$examples/philosophers/philosophers.oz" | grep deadlock >/dev/null
}

test_one() {
    local name=$1 folder
    folder=$(mktemp -d)
    case "$name" in
        linux-x86_64)
            mmdebstrap --quiet --variant=minbase bookworm "$folder/root" >/dev/null
            cp "$packages/borges_${version}_amd64.deb" "$folder/root/"
            chroot "$folder/root" sh -c "apt-get install -qq --yes --no-install-recommends '/borges_${version}_amd64.deb'" >/dev/null 2>&1
            # A Debian that runs has /proc; this one only for as long as a program runs in it.
            # shellcheck disable=SC2016 # the inner shell's arguments
            try unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$folder/root" \
                borges /usr/share/borges/examples
            [ -e "$folder/root/usr/share/man/man1/borges-debug.1.gz" ]
            chroot "$folder/root" dpkg --purge borges >/dev/null
            [ ! -e "$folder/root/usr/share/borges" ]
            tar -xzf "$packages/borges-$version-$name.tar.gz" -C "$folder"
            try "$folder/borges-$version-$name/bin/borges" "$folder/borges-$version-$name/share/borges/examples"
            ;;
        linux-aarch64)
            dpkg-deb --extract "$packages/borges_${version}_arm64.deb" "$folder"
            try qemu-aarch64-static -L /usr/aarch64-linux-gnu "$folder/usr/bin/borges" "$folder/usr/share/borges/examples"
            CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
                CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L /usr/aarch64-linux-gnu" \
                cargo test --quiet --target aarch64-unknown-linux-gnu -p borges-vm --test all differential
            ;;
        windows-*)
            python3 -m zipfile -e "$packages/borges-$version-$name.zip" "$folder"
            # Debian 12's Wine has no bcryptprimitives.dll, from which Rust has its random numbers: another one, for this test only.
            x86_64-w64-mingw32-gcc -shared -o "$folder/borges-$version-$name/bin/bcryptprimitives.dll" -x c - -x none -ladvapi32 <<'EOF'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return SystemFunction036(data, (ULONG)length); }
EOF
            # Wine wants a home of its own, and says much.
            export WINEPREFIX=$folder/wine WINEDEBUG=-all
            try /usr/lib/wine/wine64 "$folder/borges-$version-$name/bin/borges.exe" "$folder/borges-$version-$name/share/borges/examples"
            ;;
        vscode) python3 -m zipfile -l "$packages/borges-$version-linux-x64.vsix" | grep 'extension/bin/borges ' >/dev/null ;;
        *) triple "$name" ;;
    esac
    rm -rf "$folder"
    echo "package: $name works"
}

case "${1:-make}" in
    test)
        shift
        scripts/setup.sh packages
        for name in ${*:-$all}; do test_one "$name"; done
        ;;
    crates) cargo package --workspace --quiet --allow-dirty ;;
    macos)
        rustup --quiet target add aarch64-apple-darwin
        # C is not compiled, SQLite's and the allocator's: there are no headers of macOS here.
        CC_aarch64_apple_darwin=true AR_aarch64_apple_darwin=true \
            cargo check --quiet --target aarch64-apple-darwin --workspace --no-default-features
        ;;
    -*)
        sed -n '2,11s/^# \{0,1\}//p' scripts/package.sh >&2
        exit 2
        ;;
    *)
        [ "${1:-}" = make ] && shift
        scripts/setup.sh packages
        for name in ${*:-$all}; do make_one "$name"; done
        ls -l "$packages"
        ;;
esac

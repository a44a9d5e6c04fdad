#!/usr/bin/env bash
# A linker that leaves out the debug information of Rust's library, which would be most of the file.
set -euo pipefail
sysroot=$(rustc --print sysroot)
parts=$(mktemp -d)
arguments=()
for argument; do
    if [[ $argument = *.rlib ]]; then
        stripped=$parts/$(basename "$argument")
        LD_LIBRARY_PATH="$sysroot/lib" "$sysroot"/lib/rustlib/*/bin/rust-objcopy --strip-debug "$argument" "$stripped"
        argument=$stripped
    fi
    arguments+=("$argument")
done
wasm-ld-14 "${arguments[@]}"
rm -r "$parts"

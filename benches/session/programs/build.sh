#!/bin/sh
# Compiles the programs. Needs clang and wasm-ld (Debian: clang lld); the results are committed.
set -eu
cd "$(dirname "$0")"
for source in *.c; do
  clang --target=wasm32 -O1 -g -gdwarf-4 -nostdlib -ffreestanding -fno-builtin \
    -fdebug-prefix-map="$PWD=." -Wl,--no-entry -Wl,-z,stack-size=16384 \
    -Wall -Wextra -Wno-unused-parameter -o "${source%.c}.wasm" "$source"
done

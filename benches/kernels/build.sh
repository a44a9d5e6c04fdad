#!/bin/sh
# Compiles the kernels. Needs clang and wasm-ld (Debian: clang lld); the results are committed.
set -eu
cd "$(dirname "$0")"
for source in *.c; do
  bulk=-mno-bulk-memory
  [ "$source" = bulk.c ] && bulk=-mbulk-memory
  simd=-mno-simd128
  case "$source" in simd_*) simd=-msimd128 ;; esac
  clang --target=wasm32 -O2 -nostdlib -ffreestanding -fno-builtin -fno-vectorize -fno-slp-vectorize \
    -msign-ext $bulk $simd -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=16384 \
    -Wall -Wextra -o "${source%.c}.wasm" "$source"
done

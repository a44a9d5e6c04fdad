#!/usr/bin/env bash
# Compiles the programs of this folder: clang 14 with wasi-libc (Debian: clang-14 lld-14 wasi-libc
# libclang-rt-14-dev-wasm32) and rustc 1.95 (rustup target add wasm32-wasip1). The modules are committed.
set -euo pipefail
cd "$(dirname "$0")"

clang-14 --target=wasm32-wasi -Os -s -Wall -Werror -o files.wasm files.c
rustc --edition 2024 --target wasm32-wasip1 -C opt-level=z -C codegen-units=1 -C lto=fat -C panic=abort -C strip=symbols \
    -o words.wasm words.rs

#!/bin/sh
# Puts the C sources of wasm3 into benches/.wasm3, from where build.rs compiles them.
# They come with the source distribution of the Python package; 0.5.0 is wasm3's last release.
# Any other checkout serves as well: WASM3_DIR=…/wasm3/source cargo run --release
set -eu
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
pip download --quiet --no-deps --no-binary :all: --dest "$scratch" pywasm3==0.5.0
tar -xzf "$scratch"/pywasm3-0.5.0.tar.gz -C "$scratch"
rm -rf .wasm3
mv "$scratch"/pywasm3-0.5.0/wasm3 .wasm3
echo "wasm3 0.5.0 is in $(pwd)/.wasm3"

#!/usr/bin/env bash
# Builds the example programs: examples/NAME/NAME.wasm, with debug information.
#
#   scripts/build-examples.sh            rebuild all in place
#   scripts/build-examples.sh NAME...    rebuild these
#   scripts/build-examples.sh --check    rebuild to a temporary folder, fail if a committed file differs
#   scripts/build-examples.sh --install  install the compilers first (Debian 12's, and npm's)
#
# The same sources and compilers give the same bytes on every machine: all paths in debug
# information are relative to examples/, and the versions of the compilers are checked.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
check=no
install=no
names=()
for argument in "$@"; do
  case "$argument" in
    --check) check=yes ;;
    --install) install=yes ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "unknown option $argument; see --help" >&2; exit 2 ;;
    *) names+=("$argument") ;;
  esac
done

if [ "$install" = yes ]; then
  "$root/scripts/setup.sh" examples
fi

clang=${CLANG:-clang-14}
wasm_ld=${WASM_LD:-wasm-ld-14}
# Debian's compiler, not the one of rustup that builds Borges: rustup may lack the wasm target.
rustc=${WASM_RUSTC:-/usr/bin/rustc}
asc=${ASC:-$root/examples/node_modules/.bin/asc}

# need TOOL PATTERN: the tool must exist and be of the version that built the committed files.
need() {
  local version
  if ! version=$("$1" --version 2>&1); then
    echo "$1 is missing: run scripts/build-examples.sh --install" >&2
    exit 1
  fi
  case "$version" in
    *"$2"*) ;;
    *) echo "$1 is '${version%%$'\n'*}', the committed files were built with $2: expect other bytes" >&2 ;;
  esac
}

cd "$root/examples"
# Programs to suggest paths for: each as a user would compile it, and once more without optimisation.
paths=(breakout crystal-ball gesture-robot keyboard knock knock-lock love-o-meter switch-case
  touch-sensor-lamp while while-no-calibrate zoetrope)
all=(binary-counter blink calculator color-dial lease ledger light-sensor records save-notes smart-curtain
  temperature-monitor two-boards uart-parser "${paths[@]}")
[ ${#names[@]} -gt 0 ] || names=("${all[@]}")

out=$root/examples
if [ "$check" = yes ]; then
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
fi

# build_assemblyscript NAME FOLDER [MODULE [OPTION]]
build_assemblyscript() {
  local module=${3:-$1}
  need "$asc" "0.28.20"
  "$asc" "$1/$1.ts" --outFile "$2/$module.wasm" --sourceMap "$module.wasm.map" --debug --runtime stub ${4:+"$4"}
  # The map embeds every source. Keep ours; drop the compiler's library (its text is not ours to
  # ship) and a root that would double the folder's name.
  node -e '
    const fs = require("fs"), path = process.argv[1];
    const map = JSON.parse(fs.readFileSync(path, "utf8"));
    delete map.sourceRoot;
    map.sourcesContent = map.sources.map((name, i) =>
      name.startsWith("~lib/") ? null : map.sourcesContent[i]);
    fs.writeFileSync(path, JSON.stringify(map) + "\n");
  ' "$2/$module.wasm.map"
}

# build_c NAME FOLDER OPTIMISATION [MODULE]
build_c() {
  need "$clang" "14.0.6"
  local object module=${4:-$1}
  object=$(mktemp --suffix=.o)
  "$clang" --target=wasm32 -ffreestanding -std=c11 -Wall -Wextra -Werror "$3" \
    -g -gdwarf-5 -gembed-source -ffile-prefix-map="$root/examples=." -fdebug-compilation-dir=. \
    -c "$1/$module.c" -o "$object"
  "$wasm_ld" --no-entry --stack-first -z stack-size=4096 "$object" -o "$2/$module.wasm"
  rm -f "$object"
  chmod 644 "$2/$module.wasm"
}

# build_wasi NAME FOLDER OPTIMISATION [OPTION]: C with wasi-libc
build_wasi() {
  need "$clang" "14.0.6"
  local object
  object=$(mktemp --suffix=.o)
  "$clang" --target=wasm32-wasi -std=gnu11 -Wall -Wextra -Werror "$3" \
    -g -gdwarf-5 -gembed-source -ffile-prefix-map="$root/examples=." -fdebug-compilation-dir=. \
    -c "$1/$1.c" -o "$object"
  "$clang" --target=wasm32-wasi ${4:+"$4"} "$object" -o "$2/$1.wasm"
  rm -f "$object"
  chmod 644 "$2/$1.wasm"
}

build_rust() {
  need "$rustc" "1.63.0"
  # Link-time optimisation drops what the program does not use of core, and its debug information.
  "$rustc" --edition 2021 --crate-type cdylib --target wasm32-unknown-unknown \
    -C opt-level=1 -C lto=fat -C debuginfo=2 -C panic=abort -C overflow-checks=on \
    -C linker="$wasm_ld" -C link-arg=--no-entry -C link-arg=--stack-first -C link-arg=-zstack-size=4096 \
    --remap-path-prefix "$root/examples=." -o "$2/$1.wasm" "$1/$1.rs"
  chmod 644 "$2/$1.wasm"
}

# build_rust_wasi NAME FOLDER: with Rust's whole library
build_rust_wasi() {
  need "$rustc" "1.63.0"
  "$rustc" --edition 2021 --target wasm32-wasi -C opt-level=1 -C lto=fat -C debuginfo=2 -C panic=abort \
    -C linker="$wasm_ld" --remap-path-prefix "$root/examples=." -o "$2/$1.wasm" "$1/$1.rs"
  chmod 644 "$2/$1.wasm"
}

stale=0
for name in "${names[@]}"; do
  mkdir -p "$out/$name"
  case "$name" in
    # Not optimised, for the same reason.
    calculator) build_wasi "$name" "$out/$name" -O0 -mexec-model=reactor ;;
    records) build_wasi "$name" "$out/$name" -O0 ;;
    lease | save-notes) build_wasi "$name" "$out/$name" -O1 ;;
    ledger) build_rust_wasi "$name" "$out/$name" ;;
    blink) build_rust "$name" "$out/$name" ;;
    smart-curtain) build_c "$name" "$out/$name" -O1 ;;
    two-boards)
      build_c "$name" "$out/$name" -O1 remote
      build_c "$name" "$out/$name" -O1 motor
      ;;
    # Not optimised: every variable then lives in memory for its whole life.
    uart-parser) build_c "$name" "$out/$name" -O0 ;;
    *)
      [ -f "$name/$name.ts" ] || { echo "there is no example $name; there are: ${all[*]}" >&2; exit 2; }
      case " ${paths[*]} " in
        *" $name "*)
          build_assemblyscript "$name" "$out/$name" "$name" -O
          build_assemblyscript "$name" "$out/$name" "$name-O0"
          ;;
        *) build_assemblyscript "$name" "$out/$name" ;;
      esac
      ;;
  esac
  if [ "$check" = yes ]; then
    for built in "$out/$name"/*; do
      committed=$name/$(basename "$built")
      if ! cmp -s "$built" "$committed"; then
        echo "examples/$committed is not what its source gives: run scripts/build-examples.sh $name" >&2
        stale=1
      fi
    done
  else
    echo "built examples/$name/$name.wasm"
  fi
done
exit "$stale"

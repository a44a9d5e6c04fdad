#!/usr/bin/env bash
# Builds the programs of the table of values, and leaves of their debug information what is looked at.
#
# Needs rustc 1.95.0 with its target wasm32-unknown-unknown (rustup), and from Debian 12 rustc 1.63
# with libstd-rust-dev-wasm32, clang-14, lld-14, libc++-14-dev-wasm32, libc++abi-14-dev-wasm32,
# wasi-libc and python3. ZIG is Zig 0.13 (`pip install ziglang==0.13.0`), which has libc++ 18;
# ASC is the compiler of AssemblyScript that the examples have.
set -euo pipefail
cd "$(dirname "$0")"
export PATH="$PATH:/usr/lib/llvm-14/bin"
asc=${ASC:-../../../../../examples/node_modules/.bin/asc}

rust() { # rust COMPILER SOURCE OUTPUT OPTIONS...
    "$1" --edition 2021 --crate-name "${2%.rs}" --crate-type cdylib --target wasm32-unknown-unknown \
        -C debuginfo=2 -C panic=abort -C codegen-units=1 --remap-path-prefix "$PWD=." \
        -A warnings "${@:4}" -o "$3" "$2"
    python3 slim.py "$3" sequences wrappers states maps main
    chmod 644 "$3"
}

cpp() { # cpp OUTPUT OPTIONS...
    clang++-14 --target=wasm32-wasi -fno-exceptions -fno-rtti -std=c++20 -gdwarf-4 \
        -ffile-prefix-map="$PWD=." -fdebug-compilation-dir=. cpp.cpp -o "$1" "${@:2}" \
        -nostartfiles -nodefaultlibs -lc++ -lc++abi -lc -Wl,--no-entry
    keep "$1"
}

keep() {
    # The counts of a `shared_ptr` are described where the library releases them.
    python3 slim.py "$1" sequences wrappers maps language speed __release_weak
    chmod 644 "$1"
}

# Zig cannot build its libc++ for WASI without threads: what the program needs of it is compiled here.
zig_cpp() { # zig_cpp OUTPUT
    local library objects=() folder
    folder=$(mktemp -d)
    library=$(dirname "$(readlink -f "${ZIG:-zig}")")/lib/libcxx/src
    printf '#include <string>\ntemplate class std::basic_string<char>;\n%s\n%s\n%s\n' \
        'template class std::basic_string<char16_t>;' \
        'extern "C" { void *__stack_chk_guard; void __stack_chk_fail() { __builtin_trap(); } }' \
        'void std::__libcpp_verbose_abort(char const *, ...) { __builtin_trap(); }' >"$folder/string.cpp"
    for source in "$folder/string.cpp" "$library/memory.cpp" "$library/hash.cpp" cpp.cpp; do
        local options=(-O1 -gdwarf-4 -D_LIBCPP_BUILDING_LIBRARY -I"$library")
        [ "$source" = cpp.cpp ] && options=(-O0 -gdwarf-4 -ffile-prefix-map="$PWD=." -fdebug-compilation-dir=.)
        objects+=("$folder/$(basename "$source").o")
        "${ZIG:-zig}" c++ --target=wasm32-wasi -D_LIBCPP_HAS_NO_THREADS '-D_LIBCPP_EXTERN_TEMPLATE(...)=' \
            -fno-exceptions -fno-rtti -fno-sanitize=all -std=c++20 "${options[@]}" -c "$source" -o "${objects[-1]}"
    done
    wasm-ld-14 --no-entry "${objects[@]}" -L/usr/lib/llvm-14/lib/wasm32-wasi -L/usr/lib/wasm32-wasi -lc++abi -lc -o "$1"
    keep "$1"
    rm -r "$folder"
}

c() { # c OUTPUT OPTIONS...
    clang-14 --target=wasm32 -ffreestanding -nostdlib -gdwarf-4 -Wl,--no-entry \
        -ffile-prefix-map="$PWD=." -fdebug-compilation-dir=. c.c -o "$1" "${@:2}"
    chmod 644 "$1"
}

rust rustc rust.rs rust-1.95.wasm --cfg new -C opt-level=0
rust rustc rust.rs rust-1.95-O2.wasm --cfg new -C opt-level=2
rust /usr/bin/rustc rust.rs rust-1.63.wasm -C opt-level=0 -C linker=wasm-ld-14
cpp cpp-14.wasm -O0
cpp cpp-14-O2.wasm -O2
zig_cpp cpp-18.wasm
c c.wasm -O0
c c-O2.wasm -O2
rust rustc vectors.rs vectors.wasm -C opt-level=0
clang++-14 --target=wasm32 -nostdlib -fno-exceptions -fno-rtti -std=c++17 -O0 -gdwarf-4 -Wl,--no-entry -Wl,--export=main \
    -ffile-prefix-map="$PWD=." -fdebug-compilation-dir=. robot.cpp -o robot.wasm
chmod 644 robot.wasm
"$asc" assembly.ts --outFile assembly.wasm --debug --runtime incremental --use abort=
# What nothing reads is left out, so there must be something that says it: `main` is called with a seed.
"$asc" assembly.ts --outFile assembly-O2.wasm --debug -O2 --runtime incremental --use abort=
"$asc" assembly.ts --outFile assembly-stub.wasm --debug --runtime stub --use abort=

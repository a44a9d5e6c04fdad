#!/usr/bin/env bash
# The house stays in order: no two rooms of a crate need each other (circles.mjs), one word names one thing (ARCHITECTURE.md
# says where neither can be, and why), a function is seen at once (CONTRIBUTING.md says which are not), and no test is
# forgotten.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

# Public types that crates share a name for, each with its crates. The command is no library.
shared_words() {
    for crate in crates/*/; do
        crate=$(basename "$crate")
        [ "$crate" = cli ] && continue
        { grep -rhoE '^pub (struct|enum|trait|type|union) [A-Za-z0-9]+' "crates/$crate/src" || true; } | awk '{ print $3 }' | sort -u |
            sed "s/\$/ $crate/"
    done | sort | awk '{ count[$1]++; crates[$1] = crates[$1] " " $2 }
        END { for (word in count) if (count[word] > 1) print word crates[word] }' | sort
}

# The words that ARCHITECTURE.md explains, each with the crates that it explains it for.
explained_words() {
    crates=$(ls crates) awk '
        BEGIN { split(ENVIRON["crates"], names); for (nth in names) known[names[nth]] = 1 }
        /^### Words of several crates/ { on = 1; next }
        /^##/ { on = 0 }
        on && /^\| `/ {
            split($0, part, "`")
            crates = part[2]
            sub(/^\| `[^`]*` \| /, "; ")
            while (match($0, /; [a-z]+: /)) {
                name = substr($0, RSTART + 2, RLENGTH - 4)
                if (name in known) crates = crates " " name
                $0 = substr($0, RSTART + RLENGTH)
            }
            print crates
        }' ARCHITECTURE.md | sort
}

# Functions that are not seen at once, without the tests: file and name. Lines of the body count, but blank ones and
# comments. What rustfmt lays out can be told apart by indents.
most_lines=70
long_functions() {
    find crates/*/src -name '*.rs' | sort | xargs awk -v most=$most_lines '
        FNR == 1 { name = ""; tests = 0 }
        /^mod tests \{/ { tests = 1 }
        tests { next }
        name == "" && /^ *(pub(\([a-z: ]+\))? )?((const|async|unsafe|extern "[^"]*") )*fn [a-z_0-9]+/ {
            match($0, /^ */)
            indent = substr($0, 1, RLENGTH)
            name = $0
            sub(/.*[^a-z]fn |^fn /, "", name)
            sub(/[^a-z_0-9].*/, "", name)
            lines = 0
            inside = /\{$/
            if (/[;}]$/) name = ""
            next
        }
        name == "" { next }
        # The end of a signature of several lines.
        !inside && index($0, indent) == 1 && substr($0, length(indent) + 1) ~ /^[^ ]/ {
            inside = /\{$/
            if (/[;}]$/) name = ""
            next
        }
        !inside { next }
        $0 == indent "}" {
            if (lines > most) {
                file = FILENAME
                sub(/^crates\//, "", file)
                sub(/\/src\//, "/", file)
                print file ": " name
            }
            name = ""
            next
        }
        !/^ *(\/\/.*)?$/ { lines++ }' | sort -u
}

# The functions that CONTRIBUTING.md gives a reason for.
excused_functions() {
    awk '/^### Functions above/ { on = 1; next } /^##/ { on = 0 }
        on && /^\| `/ { split($0, part, "`"); print part[2] }' CONTRIBUTING.md | sort
}

# Files of tests that neither their crate's tests/all.rs nor its Cargo.toml names: nobody would run them.
forgotten_tests() {
    for all in crates/*/tests/all.rs; do
        for file in "${all%all.rs}"*.rs; do
            name=$(basename "$file" .rs)
            grep -qx "mod $name;" "$all" || grep -qx "name = \"$name\"" "${all%tests/all.rs}Cargo.toml" || echo "$file"
        done
    done
}

bad=0
node scripts/circles.mjs || bad=1
while read -r word crates; do
    echo "house: '$word' is the name of public types of several crates ($crates): give them names of their own, or explain it for just these in ARCHITECTURE.md, 'Words of several crates'" >&2
    bad=1
done < <(comm -23 <(shared_words) <(explained_words))
while read -r word crates; do
    echo "house: ARCHITECTURE.md explains '$word' as a word of several crates ($crates), and it is not one of just these" >&2
    bad=1
done < <(comm -13 <(shared_words) <(explained_words))
while read -r function; do
    echo "house: $function has more than $most_lines lines: shorten it, or say in CONTRIBUTING.md, 'Functions above 70 lines', why not" >&2
    bad=1
done < <(comm -13 <(excused_functions) <(long_functions))
while read -r function; do
    echo "house: $function stands in CONTRIBUTING.md among the long functions, and is none" >&2
    bad=1
done < <(comm -23 <(excused_functions) <(long_functions))
while read -r file; do
    echo "house: nobody runs the tests of $file: name it in all.rs beside it" >&2
    bad=1
done < <(forgotten_tests)
[ $bad = 0 ] && echo "house: no circles, no word without its explanation, no long function without its reason, no test forgotten"
exit $bad

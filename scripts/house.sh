#!/usr/bin/env bash
# The house stays in order: no two files of a crate need each other, one word names one thing (ARCHITECTURE.md says where
# neither can be, and why), and a function is seen at once (CONTRIBUTING.md says which are not).
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

# Folders whose files are one thing in several parts, and so are those folders of one crate with one another.
together="
vm/machine
vm/fast
"

# What the files of a crate need of one another: two files a line, without the tests inside them.
needs() {
    find "crates/$1/src" -name '*.rs' | sort | together=$together awk -v crate="$1" '
        BEGIN { together = ENVIRON["together"] }
        function module(file) {
            sub(/.*\/src\//, "", file)
            sub(/(\/mod)?\.rs$/, "", file)
            return file
        }
        function folder(name) { return match(name, /.*\//) ? substr(name, 1, RLENGTH - 1) : "" }
        function is_together(name) {
            sub(/\/.*/, "", name)
            return index(together, "\n" crate "/" name "\n")
        }
        function need(from, path) {
            gsub("::", "/", path)
            # The longest beginning of the path that is a file.
            while (path != "" && !(path in known)) path = folder(path)
            if (path == "" || path == from || (is_together(from) && is_together(path))) return
            # A folder and what is in it belong together.
            if (index(path "/", from "/") == 1 || index(from "/", path "/") == 1) return
            print from, path
        }
        { files[NR] = $0; known[module($0)] = 1 }
        END {
            for (nth = 1; nth <= NR; nth++) {
                from = module(files[nth])
                while ((getline line < files[nth]) > 0) {
                    if (line ~ /^mod tests \{/) break
                    if (line ~ /^ *\/\//) continue
                    while (match(line, /(crate|super)::[a-z_][A-Za-z_0-9:]*/)) {
                        path = substr(line, RSTART, RLENGTH)
                        line = substr(line, RSTART + RLENGTH)
                        at = from
                        if (path ~ /^crate/) { sub(/^crate::/, "", path); need(from, path); continue }
                        while (sub(/^super::/, "", path)) at = folder(at)
                        need(from, (at == "" ? "" : at "::") path)
                    }
                }
                close(files[nth])
            }
        }'
}

# Public types that crates share a name for, each with its crates. The command is no library.
shared_words() {
    for crate in crates/*/; do
        crate=$(basename "$crate")
        [ "$crate" = cli ] && continue
        grep -rhoE '^pub (struct|enum|trait|type|union) [A-Za-z0-9]+' "crates/$crate/src" | awk '{ print $3 }' | sort -u |
            sed "s/\$/ $crate/"
    done | sort | awk '{ count[$1]++; crates[$1] = crates[$1] " " $2 }
        END { for (word in count) if (count[word] > 1) print word crates[word] }' | sort
}

# The words that ARCHITECTURE.md explains for each of several crates.
explained_words() {
    awk '/^### Words of several crates/ { on = 1; next } /^##/ { on = 0 }
        on && /^\| `/ { split($0, part, "`"); print part[2] }' ARCHITECTURE.md | sort
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

bad=0
for crate in crates/*/; do
    crate=$(basename "$crate")
    if ! circle=$(needs "$crate" | sort -u | tsort 2>&1 >/dev/null); then
        echo "house: files of '$crate' need each other:" >&2
        sed -n 's/^tsort: \(-: \)\?/  /p' <<<"$circle" | grep -v 'contains a loop' >&2
        bad=1
    fi
done
while read -r word crates; do
    [ -n "$word" ] || continue
    echo "house: '$word' is the name of public types of several crates ($crates): give them names of their own, or explain it in ARCHITECTURE.md, 'Words of several crates'" >&2
    bad=1
done < <(join -v 1 <(shared_words) <(explained_words))
while read -r word; do
    [ -n "$word" ] || continue
    echo "house: '$word' is explained as a word of several crates in ARCHITECTURE.md, and is none" >&2
    bad=1
done < <(join -v 1 <(explained_words) <(shared_words))
while read -r function; do
    echo "house: $function has more than $most_lines lines: shorten it, or say in CONTRIBUTING.md, 'Functions above 70 lines', why not" >&2
    bad=1
done < <(comm -13 <(excused_functions) <(long_functions))
while read -r function; do
    echo "house: $function stands in CONTRIBUTING.md among the long functions, and is none" >&2
    bad=1
done < <(comm -23 <(excused_functions) <(long_functions))
[ $bad = 0 ] && echo "house: no circles of files, no word without its explanation, no long function without its reason"
exit $bad

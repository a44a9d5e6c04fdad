#!/usr/bin/env bash
# Every dependency that we name has its line of reason in DEPENDENCIES.md, under the heading of the package that
# names it, and no line outlives its dependency. Our own packages need no reason.
set -euo pipefail
cd "$(dirname "$0")/.."

# The names that a Cargo.toml or a package.json lists, sorted.
named() {
    case "$1" in
        *.toml)
            awk '/^\[/ { on = /dependencies\]$/ && !/^\[workspace/ }
                 on && /^[a-z]/ { sub(/[ .=].*/, ""); print }' "$1"
            ;;
        *.json)
            awk '/"(dev)?[dD]ependencies": *{/ { on = 1; next }
                 /}/ { on = 0 }
                 on { split($0, part, "\""); print part[2] }' "$1"
            ;;
    esac | { grep -v '^borges-' || true; } | LC_ALL=C sort -u
}

# The names in front of the colon of every line under a heading, sorted.
explained() {
    awk -v heading="## $1" '/^## / { on = $0 == heading }
        on && /^- / { sub(/:.*/, ""); n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' \
        DEPENDENCIES.md | { grep -v '^borges-' || true; } | LC_ALL=C sort -u
}

# The heading for a manifest: the crate's name, or the folder of what is no crate of the house.
heading_of() {
    case "$1" in
        crates/*) echo "borges-$(cut -d/ -f2 <<<"$1")" ;;
        *) echo "${1%%/*}" ;;
    esac
}

manifests=$(git ls-files '*/Cargo.toml' '*/package.json')
bad=0
while read -r heading; do
    all=$(while read -r manifest; do
        [ "$(heading_of "$manifest")" != "$heading" ] || named "$manifest"
    done <<<"$manifests" | LC_ALL=C sort -u)
    while read -r name; do
        echo "dependencies: say in DEPENDENCIES.md under '## $heading' why it needs $name" >&2
        bad=1
    done < <(LC_ALL=C comm -23 <(echo "$all") <(explained "$heading") | sed '/^$/d')
    while read -r name; do
        echo "dependencies: DEPENDENCIES.md explains $name under '## $heading', which no longer needs it" >&2
        bad=1
    done < <(LC_ALL=C comm -13 <(echo "$all") <(explained "$heading"))
done < <(while read -r manifest; do heading_of "$manifest"; done <<<"$manifests" | sort -u)
[ $bad = 0 ] && echo "dependencies: every one has its reason"
exit $bad

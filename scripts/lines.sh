#!/usr/bin/env bash
# Lines of the languages and the faces together, generated types left out: before they were made one house (November
# 2026) and now, or at the revisions named.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 3a78dc1^ HEAD

for revision in "$@"; do
    folders=$(git ls-tree --name-only "$revision" crates/{languages,cli,web,hub,commands}/ ui/ | grep '/src$')
    # shellcheck disable=SC2086
    lines=$(git archive "$revision" -- $folders | tar -xO --exclude=types.ts --wildcards '*.rs' '*.ts' '*.svelte' '*.css' | wc -l)
    echo "$revision $lines"
done

#!/usr/bin/env bash
# The page of `borges debug`: crates/web embeds what is built from ui/.
#
#   scripts/page.sh build        builds it into crates/web/page
#   scripts/page.sh test         types, modules, whether the committed build is current, and the tests in Chromium
#   scripts/page.sh pictures     takes the pictures of the documentation anew
#   scripts/page.sh bench        measures large multiverses in Chromium
#   scripts/page.sh size         says how large the page is, compressed
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh page
cd ui
[ -e node_modules/.package-lock.json ] && [ node_modules/.package-lock.json -nt package-lock.json ] ||
    npm ci --no-audit --no-fund --loglevel=error

target=${CARGO_TARGET_DIR:-$PWD/../target}
case "${1:-test}" in
    build) npm run --silent build ;;
    test)
        npm run --silent check
        npm run --silent test
        fresh=$(mktemp -d)
        trap 'rm -rf "$fresh"' EXIT
        npx vite build --logLevel warn --emptyOutDir --outDir "$fresh"
        diff -rq "$fresh" ../crates/web/page || {
            echo "page: crates/web/page is not what ui/ gives: run scripts/page.sh build, then cargo build" >&2
            exit 1
        }
        node size.mjs
        [ -n "${BORGES:-}" ] || cargo build --quiet -p borges-cli
        BORGES=${BORGES:-$target/debug/borges} npm run --silent e2e
        ;;
    size) node size.mjs ;;
    pictures)
        cargo build --quiet -p borges-cli
        BORGES=$target/debug/borges npm run --silent pictures
        ;;
    bench)
        cargo build --release --quiet -p borges-cli
        BORGES=$target/release/borges npm run --silent bench
        ;;
    *)
        sed -n '2,9s/^# \{0,1\}//p' "../scripts/page.sh" >&2
        exit 2
        ;;
esac

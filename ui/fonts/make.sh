#!/usr/bin/env bash
# The page's two fonts, made anew from their packages: the letters that the page and programs use, in the weights that the
# page uses. Needs fonttools and brotli from PyPI (pip install fonttools brotli). What it writes is committed: a build of
# the page needs none of this. Name tables stay, with copyright and licence (SIL OFL 1.1).
set -euo pipefail
cd "$(dirname "$0")/.."

letters='U+20-7E,U+A0,U+A7,U+B0,U+B1,U+B2,U+B3,U+B5,U+B7,U+B9,U+D7,U+E4,U+F6,U+FC,U+C4,U+D6,U+DC,U+DF,U+E9,U+394,U+3BB,U+3BC,U+2013,U+2014,U+2018-201D,U+2022,U+2026,U+2190-2193,U+2208,U+221E,U+2248,U+2260,U+2264,U+2265'
make() {
    fonttools varLib.instancer -q "node_modules/@fontsource-variable/$1" "wght=$2" -o "/tmp/$3.ttf"
    pyftsubset "/tmp/$3.ttf" --unicodes="$letters" --layout-features="$4" --name-IDs='0,1,2,7,13,14' \
        --flavor=woff2 --output-file="public/$3.woff2"
}
make inter/files/inter-latin-wght-normal.woff2 400:600 sans 'kern,calt,tnum,ccmp,cv11,ss03'
make jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2 400:600 mono 'kern,ccmp'

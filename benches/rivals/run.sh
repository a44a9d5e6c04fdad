#!/usr/bin/env bash
# Time to find each trap, beside AFL++ and angr, on the same C sources: ours as WebAssembly, theirs compiled natively.
#
#   benches/rivals/run.sh [--borges FILE] [--time S]
#
# Prints a table in Markdown. One tool runs at a time, each at most S seconds (60) on a program. What one of them finds is
# run again on the other side, in our VM or natively; where it does not trap there, a line below the table says so.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."

borges=target/release/borges seconds=60
while [ $# -gt 0 ]; do
  case "$1" in
    --borges) borges=$2 ;;
    --time) seconds=$2 ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift 2
done
[ -x "$borges" ] || { echo "$borges is not there: cargo build --release, or --borges FILE" >&2; exit 2; }

work=benches/target/rivals
programs=crates/session/tests/futures_programs
# name | source | entry (none: a program of its own, which reads standard input) | bytes of standard input for the others
# (for Borges too where there is no entry) | options for clang (-O1, unless the module is not optimised) | whether the
# address sanitizer watches for memory errors under AFL++ | what Borges' analog inputs may be, if not what the board says
rows="
heater         | $programs/heater.c                      | entry | 80 |                  |      |
deep_bug       | $programs/deep_bug.c                    | entry | 80 |                  |      |
minus_4711     | $programs/minus_4711.c                  | entry | 80 |                  |      |
forty_readings | $programs/forty_readings.c              | entry | 80 |                  |      |
last_three     | crates/concolic/tests/heap/last_three.c | run   | 80 | -DANALOG_MOST=3  | asan | 0..3
records        | examples/records/records.c              |       |  8 | -O0              | asan |
uart-parser    | examples/uart-parser/uart-parser.c      | run   | 80 | -O0              | asan |
smart-curtain  | examples/smart-curtain/smart-curtain.c  | run   | 80 |                  |      |
"

# What is missing on this machine.
set_up() {
  local missing=()
  command -v afl-fuzz >/dev/null || missing+=(afl++)
  command -v clang-14 >/dev/null || missing+=(clang-14)
  [ -e /usr/lib/llvm-14/lib/clang/14.0.6/lib/linux ] || missing+=(libclang-rt-14-dev)
  command -v jq >/dev/null || missing+=(jq)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  if [ ${#missing[@]} -gt 0 ]; then
    local root=()
    [ "$(id -u)" = 0 ] || root=(sudo)
    "${root[@]}" apt-get install -y "${missing[@]}" >&2
  fi
  if ! cmp -s benches/rivals/requirements.txt "$work/venv/installed"; then
    rm -rf "$work/venv"
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --requirement benches/rivals/requirements.txt
    cp benches/rivals/requirements.txt "$work/venv/installed"
  fi
}

# build COMPILER OUTPUT [OPTION…]: the program of the row, with a board around it if it is one for a device
build() {
  local compiler=$1 output=$2 sources=("$source")
  shift 2
  [ -z "$entry" ] || sources+=(benches/rivals/board.c "-DENTRY=$entry" -ftrap-function=trap_here)
  # Without warnings: the attributes of imports and exports mean nothing in a native build.
  "$compiler" -O1 -g -w ${options:+"$options"} "$@" -o "$output" "${sources[@]}" >/dev/null
}

# timed COMMAND…: its seconds, by the wall clock, are in $took; its exit code does not matter
timed() {
  local begun=$EPOCHREALTIME
  "$@" || true
  took=$(awk -v a="$begun" -v b="$EPOCHREALTIME" 'BEGIN { t = b - a; printf t < 10 ? "%.2f" : "%.0f", t }')
}

dies() { # PROGRAM INPUT: whether a signal ends it, or the address sanitizer does
  local code=0
  { ASAN_OPTIONS=abort_on_error=1 "$1" <"$2" >/dev/null 2>&1; } 2>/dev/null || code=$?
  [ $code -gt 128 ]
}

# ask_borges: $found and $knows say what `bugs` and `explore` answered
ask_borges() {
  local module=${source%.c}.wasm board=() stdin=()
  if [ -n "$range" ]; then
    printf '[ranges]\n"chip_analog_read(*)" = "%s"\n' "$range" >"$at/board.toml"
    board=(--board "$at/board.toml")
  fi
  [ -n "$entry" ] || stdin=(--stdin "$bytes")
  rm -f "$at/explored.json"
  timed "$borges" bugs "$module" "${board[@]}" "${stdin[@]}" --time "$seconds" --json >"$at/bugs.json" 2>"$at/progress"
  found=$(jq -r --arg took "$took" '$took + " s: "
    + if .found != [] then .found[0].reason elif .forever then "none there is" else "none found" end' "$at/bugs.json")
  # It goes on to look for others, and shorter ways: when the first one was there is in what it says meanwhile.
  if jq -e '.found != [] and .ended == "time"' "$at/bugs.json" >/dev/null; then
    found+=$(sed -n 's/^bugs.*: [1-9][0-9,]*, \([0-9]*\) s$/ (there after at most \1 s)/p' "$at/progress" | head -n 1)
  fi
  timed "$borges" explore "$module" "${board[@]}" --time "$seconds" --json >"$at/explored.json" 2>/dev/null
  knows=$(jq -r --arg took "$took" '
    (if .traps != [] then "\(.traps | length) trap, nearest in \(.traps[0].inputs) inputs; " else "" end) +
    (if .complete then (if .traps == [] then "**no universe ever traps**; " else "" end)
      + "complete: \(.states) states, \(.edges) edges; "
     elif .states == 0 then "follows no standard input; " else "not complete: \(.states) states; " end) + $took + " s"
  ' "$at/explored.json")
  # The same run, natively.
  [ -n "$entry" ] || return 0
  if jq -e '.found != []' "$at/bugs.json" >/dev/null; then
    build clang-14 "$at/answered" -DANSWERS
    jq -r '[.found[0].inputs[].value] | join(",")' "$at/bugs.json" >"$at/answers"
    dies "$at/answered" "$at/answers" || notes+=("$name: what Borges found does not trap natively: $(cat "$at/answers")")
  fi
}

# check_input WHO FILE: what a rival found, in our VM
check_input() {
  local module=${source%.c}.wasm outcome answers board=()
  [ -z "$range" ] || board=(--board "$at/board.toml")
  if [ -n "$entry" ]; then
    build clang-14 "$at/saying" -DSAY
    answers=$({ "$at/saying" <"$2" 2>&1 >/dev/null || true; } 2>/dev/null | tr -cd '0-9,-' | sed 's/,$//')
    outcome=$("$borges" run "$module" "${board[@]}" --inputs "$answers" --json 2>/dev/null | jq -r .outcome) || true
  else
    answers=$(od -An -tx1 "$2")
    outcome=$("$borges" run "$module" --stdin "$2" --json 2>/dev/null | jq -r .outcome) || true
  fi
  [ "$outcome" = trapped ] || notes+=("$name: what $1 found is \`$outcome\` as WebAssembly: $answers")
}

# ask_afl: $afl says what AFL++ found
ask_afl() {
  rm -rf "$at/seed" "$at/out"
  mkdir "$at/seed"
  head -c "$bytes" /dev/zero >"$at/seed/zeros"
  if [ -n "$asan" ]; then
    AFL_QUIET=1 AFL_USE_ASAN=1 build afl-clang-fast "$at/fuzzed"
  else
    AFL_QUIET=1 build afl-clang-fast "$at/fuzzed"
  fi
  timed env AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1 \
    AFL_BENCH_UNTIL_CRASH=1 afl-fuzz -i "$at/seed" -o "$at/out" -G "$bytes" -V "$seconds" -- "$at/fuzzed" >"$at/afl" 2>&1
  local crash runs
  crash=$(find "$at/out" -path '*crashes/id*' 2>/dev/null | head -n 1)
  runs=$(awk '$1 == "execs_done" { print $3 }' "$at/out/default/fuzzer_stats")
  if [ -n "$crash" ]; then
    afl="$took s ($runs runs)"
    check_input AFL++ "$crash"
  else
    afl="none in $seconds s ($runs runs)"
  fi
}

# ask_angr: $symbolic says what angr found
ask_angr() {
  build clang-14 "$at/plain"
  rm -f "$at/found"
  # A single step may take long; more memory than this is called out of memory.
  timed bash -c "ulimit -v 12000000; exec timeout $((seconds + 10)) \"\$@\"" - "$work/venv/bin/python" \
    benches/rivals/symbolic.py "$at/plain" --bytes "$bytes" --seconds "$seconds" --keep "$at/found" >"$at/angr.json" 2>"$at/angr"
  if [ -s "$at/found" ]; then
    symbolic="$took s"
    check_input angr "$at/found"
  elif grep -qE 'MemoryError|out of memory|bad_alloc' "$at/angr"; then
    symbolic="out of memory after $took s"
  elif [ -s "$at/angr.json" ]; then
    symbolic=$(jq -r --arg took "$took" --arg s "$seconds" '
      if .all then "none on all \(.ended) paths; \($took) s"
      elif .open == 0 then "an error of its own (\(.failures[0])); \($took) s"
      else "none in \($s) s (\(.ended) paths, \(.open) open)" end' "$at/angr.json")
  else
    symbolic="none in $took s (within one step)"
  fi
}

mkdir -p "$work"
set_up
notes=()
echo "| program | \`borges bugs\` | \`borges explore\` | AFL++ | angr |"
echo "|---|---|---|---|---|"
while IFS='|' read -r -u 3 name source entry bytes options asan range; do
  [ -n "$name" ] || continue
  at=$work/$name
  mkdir -p "$at"
  ask_borges
  ask_afl
  ask_angr
  echo "| $name | $found | $knows | $afl | $symbolic |"
# Spaces around the bars are for the eye.
done 3< <(tr -s ' ' <<<"$rows" | sed 's/ \?| \?/|/g')
echo
[ ${#notes[@]} = 0 ] || printf -- '- %s\n' "${notes[@]}"
echo "- at most $seconds s each; $("$borges" --version), AFL++ $(dpkg-query -W -f '${Version}' afl++)," \
  "$(sed -n 1s/==/' '/p benches/rivals/requirements.txt), $(clang-14 --version | sed -n 1p)"

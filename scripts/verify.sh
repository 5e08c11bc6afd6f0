#!/usr/bin/env bash
# npm run verify: everything that is checked before a change goes in: lint, types, build and all tests. Installs the
# programs that the tests need and npm cannot install. Ends with the line "N passed, N failed"; each step before the
# tests counts as one.
set -uo pipefail
cd "$(dirname "$0")/.."

passed=0
failed=0
finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}

step() { # name, command…
  echo "== $1"
  if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "== $1 failed" >&2; finish; fi
}

has() { command -v "$1" >/dev/null; }

# The tests look at the buyer's page in a real browser, and at the contract from Python.
system_packages() {
  local missing=() as_root=()
  [ -n "${CHROMIUM_PATH:-}" ] || has chromium || has chromium-browser || has google-chrome || missing+=(chromium)
  has python3 || missing+=(python3)
  { has python3 && python3 -c 'import ensurepip, venv' 2>/dev/null; } || missing+=(python3-venv)
  [ "${#missing[@]}" -eq 0 ] && return
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  if ! has apt-get || { [ "${#as_root[@]}" -gt 0 ] && ! has sudo; }; then
    echo "The tests need ${missing[*]}: install Chromium (or set CHROMIUM_PATH) and Python 3.10 or later with venv, and run this again." >&2
    return 1
  fi
  echo "Installing ${missing[*]} …"
  # Another run may install beside this one, and apt waits for nobody's lists: one waits for the other.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive flock --timeout 900 /var/lib/apt bash -ec '
    apt-get update -qq
    apt-get install -qq --yes --no-install-recommends -o DPkg::Lock::Timeout=900 "$@" >/dev/null' install "${missing[@]}"
}

step 'programs for the tests' system_packages
# Side by side, because each of them keeps one core busy.
outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
npm run --silent lint >"$outputs/lint" 2>&1 &
linting=$!
npm run --silent typecheck >"$outputs/types" 2>&1 &
checking=$!
npm run --silent build >"$outputs/build" 2>&1 &
building=$!
ended() { # pid, file of its output
  local code=0
  wait "$1" || code=$?
  cat "$outputs/$2"
  return "$code"
}
step 'lint' ended "$linting" lint
step 'type check' ended "$checking" types
step 'build' ended "$building" build
# A whole shop on programs of its own, whose people must not wait too long, leaves most of two cores idle. Beside it run the tests
# whose time is simulated: nobody in them waits, so they yield to it.
npm run --silent life >"$outputs/life" 2>&1 &
living=$!
SIMULATED=/test/workflows/
broke_off=0
tests() { # report, command with arguments of Jest…
  "${@:2}" --ci --json --outputFile="$outputs/$1.json" || broke_off=1
}
echo '== tests on simulated time'
tests simulated nice -n 10 npm test --silent -- --maxWorkers=2 --testPathPatterns="$SIMULATED"
step 'a year of a shop' ended "$living" life
echo '== other tests'
tests others npm test --silent -- --testPathIgnorePatterns="$SIMULATED"

counted() { # name
  node -e 'const reports = process.argv.slice(2).map((file) => JSON.parse(require("node:fs").readFileSync(file, "utf8")));
    const sum = (of) => reports.reduce((all, report) => all + of(report), 0);
    console.log(sum((r) => process.argv[1] === "passed" ? r.numPassedTests : r.numFailedTests + r.numRuntimeErrorTestSuites));' \
    "$1" "$outputs/simulated.json" "$outputs/others.json"
}
if more=$(counted passed 2>/dev/null); then
  passed=$((passed + more))
  failed=$((failed + $(counted failed)))
fi
# A run that broke off without a failing test has failed all the same.
[ "$broke_off" -ne 0 ] && [ "$failed" -eq 0 ] && failed=1
finish

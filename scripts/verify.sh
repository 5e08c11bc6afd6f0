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
# Two minutes of a whole shop on programs of their own: beside the other tests, its people would wait too long.
step 'a year of a shop' npm run --silent life

echo '== tests'
report=$outputs/report.json
npm test --silent -- --ci --json --outputFile="$report"
tested=$?
count() {
  node -e 'const r = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    console.log(process.argv[2] === "passed" ? r.numPassedTests : r.numFailedTests + r.numRuntimeErrorTestSuites);' "$report" "$1"
}
if more=$(count passed 2>/dev/null); then
  passed=$((passed + more))
  failed=$((failed + $(count failed)))
fi
# A run that broke off without a failing test has failed all the same.
[ "$tested" -ne 0 ] && [ "$failed" -eq 0 ] && failed=1
finish

#!/usr/bin/env bash
# Runs the examples through the program, as a user does. examples_test.sh CASE PROGRAM SOURCE_DIR WORK_DIR
set -euo pipefail
name=$1 program=$2 source=$3 work=$4
rm -rf "$work"
mkdir -p "$work"

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# small EXAMPLE: a copy of an example with a tiny training budget, its relative paths kept.
small() {
  mkdir -p "$work/examples"
  cp -r "$source/examples/$1" "$work/examples/"
  rm -rf "$work/examples/$1/run"
  ln -sfn "$source/content" "$work/content"
  sed -i -e 's/^  steps: .*/  steps: 16384/' -e 's/^  worlds: .*/  worlds: 32/' -e 's/, worlds: [0-9]*/, worlds: 10/' \
    -e 's/trials: [0-9]*/trials: 4/' -e '/^wanted_success/d' "$work/examples/$1/loop.yaml"
}

case $name in
  pendulum)
    "$program" loop "$source/examples/01_pendulum/loop.yaml" --out "$work/run" --json >"$work/out.json" ||
      fail "the main job did not succeed (exit status $?)"
    python3 - "$work/out.json" <<'EOF'
import json, sys
report = json.load(open(sys.argv[1]))
success = {(s["policy"], s["suite"]): s["success"]["value"] for s in report["scores"]}
assert success["posterior", "held_out"] >= 0.95, success
assert report["answer"] is True
if report["from_hardware"]:
    length = [d for d in report["fit"]["derived"] if "length" in d["name"]][0]["fitted"]["value"]
    assert abs(length - 0.5) <= 0.03 * 0.5, length
    held_out = [r for r in report["fit"]["residuals"] if r["held_out"] and "position" in r["quantity"]]
    assert held_out, report["fit"]["residuals"]
    for r in held_out:
        assert r["fitted_rms"] <= 0.5 * r["datasheet_rms"], r
robot = {s["policy"]: s for s in report["robot"]["scores"]}
assert all(s["aborted"] == 0 and s["trials"] == 100 for s in robot.values()), robot
EOF
    start=$SECONDS
    "$program" loop "$source/examples/01_pendulum/loop.yaml" --out "$work/run" >/dev/null 2>&1 || fail "second run"
    ((SECONDS - start < 30)) || fail "the second run took $((SECONDS - start)) s: nothing was cached"
    ;;
  threads)
    small 01_pendulum
    for n in 1 2; do
      "$program" loop "$work/examples/01_pendulum/loop.yaml" --out "$work/t$n" --threads "$n" >/dev/null
    done
    cmp "$work/t1/report.html" "$work/t2/report.html"
    cmp "$work/t1/report.json" "$work/t2/report.json"
    for policy in "$work"/t1/stages/train-*/policy.json; do
      cmp "$policy" "${policy/t1/t2}"
    done
    ;;
  no_data)
    small 01_pendulum
    REALWARD_DATA='' "$program" loop "$work/examples/01_pendulum/loop.yaml" --out "$work/run" >"$work/out.txt"
    head -n 1 <(grep -v '^$' "$work/out.txt") | grep -qi 'virtual robot' || fail "the summary does not open with where the data came from"
    python3 - "$work/run/report.html" <<'EOF'
import re, sys
body = open(sys.argv[1]).read().split("<body", 1)[1].split(">", 1)[1]
first = next(text.strip() for text in re.split("<[^>]*>", body) if text.strip())
assert "virtual robot" in first, "the page opens with: " + first
EOF
    ;;
  furuta)
    small 02_furuta
    "$program" loop "$work/examples/02_furuta/loop.yaml" --out "$work/run" --json >"$work/out.json"
    python3 - "$work/out.json" <<'EOF'
import json, sys
report = json.load(open(sys.argv[1]))
if report["from_hardware"]:
    limits = {"arm position": 0.060, "pendulum position": 0.030}
    chirps = [r for r in report["fit"]["residuals"] if r["held_out"] and "0.5 s" in r["recording"]
              and r["quantity"] in limits and ("18-55-12" in r["recording"] or "18-55-54" in r["recording"])]
    assert len(chirps) == 4, report["fit"]["residuals"]
    for r in chirps:
        assert r["fitted_rms"] <= limits[r["quantity"]], r
EOF
    ;;
  interrupt)
    small 01_pendulum
    sed -i 's/^  steps: .*/  steps: 400000/' "$work/examples/01_pendulum/loop.yaml"
    "$program" loop "$work/examples/01_pendulum/loop.yaml" --out "$work/run" >/dev/null 2>"$work/log.txt" &
    pid=$!
    for _ in $(seq 600); do
      grep -q 'train-nominal' "$work/log.txt" && break
      sleep 0.1
    done
    sleep 1
    kill -INT "$pid"
    status=0
    wait "$pid" || status=$?
    ((status == 3)) || fail "exit status $status after Ctrl-C, expected 3: $(tail -n 3 "$work/log.txt")"
    grep -q 'continue' "$work/log.txt" || fail "no word on how to continue: $(tail -n 3 "$work/log.txt")"
    ls "$work"/run/stages/train-nominal-*/*.checkpoint >/dev/null || fail "no checkpoint was kept"
    if ls "$work"/run/stages/train-nominal-*/result.json >/dev/null 2>&1; then fail "the stage counts as done"; fi
    ;;
  *) fail "unknown case $name" ;;
esac

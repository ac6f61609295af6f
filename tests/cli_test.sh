#!/usr/bin/env bash
# The program as a user meets it: verbs, exit statuses, messages. cli_test.sh PROGRAM WORK_DIR
set -euo pipefail
program=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# expect STATUS WORDS COMMAND…: the exit status, and words on either stream.
expect() {
  local wanted=$1 words=$2 status=0 text
  shift 2
  text=$("$@" 2>&1) || status=$?
  ((status == wanted)) || fail "$* gave exit status $status, expected $wanted: $text"
  grep -qF -- "$words" <<<"$text" || fail "$* does not say '$words': $text"
}

expect 0 'realward' "$program" --version
expect 2 'subcommand' "$program"
expect 2 'train' "$program" trian

expect 0 'loop.yaml' "$program" new robot
expect 2 'nothing was written' "$program" new robot
expect 0 'all targets found' "$program" check robot/model.xml robot/task.yaml robot/gap.yaml robot/loop.yaml --task robot/task.yaml
sed 's/target: hinge$/target: hinje/' robot/gap.yaml >misspelled.yaml
expect 2 'nearest valid: hinge' "$program" check misspelled.yaml --task robot/task.yaml
sed 's/uniform: \[0.8, 1.25\]/uniform: [1.25, 0.8]/' robot/gap.yaml >reversed.yaml
expect 2 'reversed.yaml:7' "$program" check reversed.yaml
sed 's/0 ms, 20 ms/0 deg, 20 deg/' robot/gap.yaml >unit.yaml
expect 2 'time' "$program" check unit.yaml
sed 's/^horizon/horizont/' robot/task.yaml >robot/key.yaml
expect 2 "horizon" "$program" check robot/key.yaml
printf '<mujoco><worldbody><body><joint/></body></worldbody></mujoco>' >broken.xml
expect 2 'broken.xml' "$program" check broken.xml
expect 2 'no file' "$program" loop <(printf 'loop: x\ntask: nowhere.yaml\npolicies: [{name: a}]\nsuites: [{name: s}]\n')

printf 't,q\n0,0\n0,1\n10,2\n20,3\n' >log.csv
printf 'mapping: m\ntime: {column: t, unit: ms}\nchannels:\n  - {channel: hinge.position, column: q, unit: rad}\n' >map.yaml
expect 2 'first time stamp 0 s is there twice' "$program" logs log.csv --mapping map.yaml
printf 'mapping: m\ntime: {column: time, unit: ms}\nchannels:\n  - {channel: hinge.position, column: q, unit: rad}\n' >wrong.yaml
expect 2 "time" "$program" logs log.csv --mapping wrong.yaml

expect 2 'dfki_pendulums' "$program" data get dfki_pendulum
REALWARD_DATA='' expect 3 'REALWARD_DATA' "$program" data get dfki_pendulums
expect 0 'dfki_pendulums' "$program" data list

expect 0 'effective' "$program" worlds robot/task.yaml --gap robot/gap.yaml --units 2
expect 0 'policy.json' "$program" train robot/task.yaml --steps 2048 --worlds 16 --rollout 32 --out a --seed 3
expect 2 '--resume' "$program" train robot/task.yaml --steps 2048 --worlds 16 --rollout 32 --out a --seed 3
expect 0 'policy.json' "$program" train robot/task.yaml --steps 2048 --worlds 16 --rollout 32 --out b --seed 3 --threads 1
cmp a/policy.json b/policy.json || fail 'two runs of one seed differ'
expect 0 'Wilson' "$program" eval a/policy.json robot/task.yaml --worlds 5
expect 0 'not shown' "$program" compare a/policy.json b/policy.json robot/task.yaml --worlds 5
"$program" eval a/policy.json robot/task.yaml --worlds 5 --json >eval.json
python3 -c 'import json; r = json.load(open("eval.json")); assert r["ok"] and r["worlds"] == 5, r'
expect 3 'dead.sock' "$program" robot describe "unix:$work/dead.sock"

#!/usr/bin/env bash
# The Windows program as a service under Wine: install, set up, ask it through its named pipe, a second agent, kills, a stop in order, the log; then
# updates and every way in which one can fail; remove. Wine is not Windows: a run there is still needed.
#   packaging/windows/try-under-wine.sh [folder]        needs root, debootstrap and gcc-mingw-w64; builds its own programs, half a minute each
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${1:-$(mktemp -d)}
. "$here/wine-tree.sh"
node=$root/node_modules/.bin/node
built=$work/built-windows
notes=$data/update
# Only the waits are shorter than on a farm.
patience=(--ready-within 40s --stable-for 4s)

sign() { "$node" "$root/packaging/release/main.ts" "$@" >>"$work/build.log"; }
build() { "$node" "$root/packaging/binary/build.ts" --target win-x64 --update-root "$work/pins.json" --output "$built" "$@" >>"$work/build.log" 2>&1; }

mkdir -p "$work/faults" "$built"
rm -rf "$work/keys" && mkdir "$work/keys"
sign key --out "$work/keys/root.pem"
sign key --out "$work/keys/signing.pem"
sign pins --root "$work/keys/root.pem.pub" --out "$work/pins.json"
sign set --root "$work/keys/root.pem" --key "$work/keys/signing.pem.pub" --sequence 1 --expires 2099-01-01 --out "$work/set.json"
cat >"$work/faults/crash.js" <<'JS'
if (process.argv.includes('run')) { console.error('broken: crash at start'); process.exit(1); }
JS
# Neither ready nor willing to stop.
cat >"$work/faults/stuck.js" <<'JS'
if (process.argv.includes('run')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
JS
cat >"$work/faults/data.js" <<'JS'
if (process.argv.includes('run')) {
  const { DatabaseSync } = require('node:sqlite');
  for (const name of ['agent', 'outbox', 'service']) {
    const database = new DatabaseSync(`C:\\ProgramData\\Pithead\\state\\${name}.sqlite`);
    database.exec('UPDATE schema_version SET version = version + 1');
    database.close();
  }
  throw new Error('broken: cannot read the data of the version before');
}
JS

# bundle VERSION [FAULT]: Z:\root\VERSION.bundle
bundle() {
  local fault=()
  case "${2:-}" in crash | stuck | data) fault=(--prepend "$work/faults/$2.js") ;; esac
  build --version-override "$1" "${fault[@]}"
  # The machine field of the PE header: another processor.
  if [ "${2:-}" = processor ]; then
    local at
    at=$(od -An -tu4 -j60 -N4 "$built/pithead-win-x64.exe")
    printf '\x64\xaa' | dd of="$built/pithead-win-x64.exe" bs=1 seek=$((at + 4)) conv=notrunc status=none
  fi
  sign bundle --binary "$built/pithead-win-x64.exe" --version "$1" --target win-x64 --set "$work/set.json" \
    --key "$work/keys/signing.pem" --out "$tree/root/$1.bundle"
}
update() { win "$installed" update "Z:\\root\\$1.bundle" --json "${patience[@]}" >>"$work/updates.log"; }
outcome() { sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/" "$notes/outcome.json"; }
curl_in() { nsenter -t $space -n curl -s "$@"; }
ready() { curl_in -o /dev/null -w '%{http_code}' http://127.0.0.1:8420/readyz || true; }
value() { sed -E "s/.*\"$1\":\"([^\"]+)\".*/\1/" <<<"$key"; }
list() { curl_in -H "x-api-key: $(value key)" "http://127.0.0.1:8420/private-api/v1/$(value workspace_id)/farms/$(value farm_id)/miner/latest?pageSize=1000"; }
total() { list | grep -oE '"total":[0-9]+' | cut -d: -f2; }
ids() { list | grep -oE '"id":"[0-9a-f-]{36}"' | sort; }
# works VERSION: it runs, by its own word through the pipe, with the miners that were known before.
works() {
  for _ in $(seq 120); do [ "$(ready)" = 200 ] && break; sleep 0.5; done
  [ "$(cat "$programs/current") $(cat "$programs/proven")" = "$1 $1" ] || fail "$(cat "$programs/current"), proven $(cat "$programs/proven"), expected $1"
  for _ in $(seq 20); do
    [[ $(win "$installed" status 2>/dev/null || true) == "agent       $1,"* ]] && [ "$(ids)" = "$before" ] && return
    sleep 0.5
  done
  fail "$1 does not answer, or knows other miners than before: $(win "$installed" status 2>&1 || true)"
}
expect() {
  [ "$(outcome result)" = "$2" ] || fail "$(cat "$notes/outcome.json"), expected $2"
  works "$1"
}
# until_step NAME: whether the update was seen in it before it ended
until_step() {
  for _ in $(seq 3000); do
    grep -q "\"step\":\"$1\"" "$notes/journal.json" 2>/dev/null && return
    kill -0 $updating 2>/dev/null || return 1
    sleep 0.02
  done
  return 1
}
recovered() {
  for _ in $(seq 480); do [ ! -e "$notes/journal.json" ] && return; sleep 0.25; done
  fail "not recovered: $(cat "$notes/journal.json")"
}

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=updates -addext subjectAltName=IP:127.0.0.1 \
  -keyout "$work/tls.key" -out "$work/updates-ca.pem" 2>>"$work/build.log"
build
old=$("$node" -p 'require(process.argv[1]).version' "$root/package.json")
wine_up
cp "$work/updates-ca.pem" "$tree/root/"
quiet sc.exe stop pithead || true
quiet sc.exe delete pithead || true
sleep 2
rm -rf "$data" "$programs" "$tree"/root/*.bundle "$tree/root/download" "$work/updates.log"
mkdir "$tree/root/download"
cp "$built"/pithead-*.exe "$tree/root/download/"
farm_up

win 'Z:\root\download\pithead-win-x64.exe' selftest >"$work/selftest.log" || fail "selftest: $(cat "$work/selftest.log")"
step "selftest"
win 'Z:\root\download\pithead-win-x64.exe' service-install >/dev/null || fail "service-install: $(cat "$work/err")"
[ "$(service)" = RUNNING ] || fail "the service is $(service)"
quiet "$installed" setup --yes --network $network --no-scan || fail "setup: $(cat "$work/err")"
echo 'update: { allowedHosts: ["127.0.0.1:9443"] }' >>"$data/pithead.yaml"
for _ in $(seq 120); do grep -q 'connected to the service' "$data/pithead.log" && [ "$(ready)" = 200 ] && break; sleep 0.5; done
quiet sc.exe stop pithead
for _ in $(seq 60); do [ "$(service)" = STOPPED ] && break; sleep 0.5; done
[ "$(service)" = STOPPED ] || fail "not stopped: $(service)"
grep -q 'agent disconnected' "$data/pithead.log" || fail "the stop was not in order"
[ -z "$(program_pid)" ] || fail "stopped, and the program runs on"
quiet sc.exe start pithead
for _ in $(seq 120); do [ "$(ready)" = 200 ] && break; sleep 0.5; done
key=$(win "$installed" key create --name trial --json)
for _ in $(seq 60); do [ "$(total)" = $miners ] && break; sleep 0.5; done
[ "$(total)" = $miners ] || fail "$(total) of $miners miners"
before=$(ids)
works "$old"
step "installed, set up, stopped in order, started; $miners miners, told through the named pipe"

quiet "$installed" run --config 'C:\ProgramData\Pithead\pithead.yaml' && fail "a second agent was started"
grep -q 'another one runs there' "$work/err" || fail "a second agent: $(cat "$work/err")"
works "$old"
step "a second agent is refused"
kill -9 "$(program_pid)"
sleep 2
works "$old"
step "killed, back, the same ids"
kill -9 "$(host_pid)"
for _ in $(seq 40); do [ -z "$(program_pid)" ] && break; sleep 0.25; done
[ -z "$(program_pid)" ] || fail "the program outlives its host"
quiet sc.exe start pithead || fail "not startable after its host was killed"
works "$old"
step "host killed: the program ends with it, its lock too"

bundle 1.0.0
update 1.0.0 || fail "update to 1.0.0: $(cat "$work/err") $(tail -1 "$work/updates.log")"
expect 1.0.0 updated
[ -e "$data/state/before-update/service.sqlite" ] || fail "no copy of the databases"
step "updated to 1.0.0 in $(outcome without_proof_ms) ms; ids kept"
update 1.0.0 && fail "the same version was taken"
[ "$(outcome result)" = refused ] || fail "the same version: $(outcome result)"

number=0
for fault in crash stuck processor data; do
  number=$((number + 1))
  bundle 1.0.$number $fault
  update 1.0.$number && fail "$fault was taken"
  if [ $fault = processor ]; then expect 1.0.0 failed; else expect 1.0.0 rolled-back; fi
  took=$(outcome without_proof_ms)
  [ "$took" = null ] || [ "$took" -le 120000 ] || fail "$fault: back after $took ms"
  step "$fault: $(outcome message), back after $took ms"
  update 1.0.$number && fail "$fault was taken"
  [ "$(outcome result)" = refused ] || fail "$fault was tried again"
done
step "none of them is tried again"

nsenter -t $space -n "$node" -e '
  const [key, cert, folder] = process.argv.slice(1);
  const { createReadStream, readFileSync } = require("node:fs");
  require("node:https").createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, answer) =>
    createReadStream(folder + request.url).on("error", () => answer.destroy()).pipe(answer)).listen(9443, "127.0.0.1");
' "$work/tls.key" "$work/updates-ca.pem" "$tree/root" &
files=$!
api() { curl_in -H "x-api-key: $(value key)" -H 'content-type: application/json' "$@"; }
base=http://127.0.0.1:8420/public-api/v2/workspaces/$(value workspace_id)/farms/$(value farm_id)
# The host looks at the log every minute.
head -c 21000000 /dev/zero | tr '\0' '\n' >>"$data/pithead.log"
bundle 1.1.0
agent=$(api "$base/agents" | grep -oE '"id":"[0-9a-f-]{36}"' | head -1 | cut -d'"' -f4)
made=$(api "$base/task-batches" -d "{\"task_name\":\"agent.self.update\",\"agent_ids\":[\"$agent\"],\"params\":{\"url\":\"https://127.0.0.1:9443/1.1.0.bundle\"}}")
batch=$(grep -oE '"id":"[0-9a-f-]{36}"' <<<"$made" | head -1 | cut -d'"' -f4) || fail "agent.self.update: $made"
for _ in $(seq 300); do
  answer=$(api "$base/task-batches/$batch" || true)
  grep -qE '"status":"(succeeded|failed)"' <<<"$answer" && break
  sleep 0.5
done
grep -q '"status":"succeeded"' <<<"$answer" || fail "agent.self.update: $answer $(cat "$notes/outcome.json")"
works 1.1.0
kill $files
step "ordered by the service: 1.1.0 runs, the task has succeeded"
for _ in $(seq 120); do [ -e "$data/pithead.1.log" ] && [ "$(stat -c %s "$data/pithead.log")" -lt 1000000 ] && break; sleep 0.5; done
[ "$(stat -c %s "$data/pithead.log")" -lt 1000000 ] || fail "the log grows without end"
grep -q '"uplink"' "$data/pithead.log" || fail "nothing is logged any more"
step "the log was cut, and goes on"

# Whoever is killed when: a version that works, and nothing half done. What was only cut short is taken the next time.
bundle 1.2.0
for who in updater host; do
  for point in verifying trying saving watching; do
    update 1.2.0 &
    updating=$!
    until_step $point || fail "$point was never seen"
    kill -9 "$(${who}_pid)"
    killed=$SECONDS
    # What Windows does by itself.
    if [ $who = host ]; then sleep 1; quiet sc.exe start pithead || fail "not startable"; fi
    recovered
    wait $updating || true
    expect 1.1.0 interrupted
    step "$who killed at $point: $(outcome result), works again after $((SECONDS - killed)) s"
  done
done
update 1.2.0 || fail "update to 1.2.0: $(tail -1 "$work/updates.log")"
expect 1.2.0 updated
step "1.2.0 is taken all the same"

quiet "$installed" service-remove --purge || fail "service-remove: $(cat "$work/err")"
[ ! -e "$data" ] || fail "left behind: $(ls "$data")"
quiet sc.exe query pithead && fail "the service is still there"
rm -rf "$tree"/root/*.bundle "$tree/root/download" "$tree/root/updates-ca.pem" "$programs"
step "removed"

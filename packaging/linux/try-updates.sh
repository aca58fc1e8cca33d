#!/usr/bin/env bash
# Updates of an installed package in a booted tree, and every way in which one can fail: a version that crashes, is never ready, is for another
# processor, or changes the data and then breaks; an updater killed at each step; a power cut. Then a row of updates, half of them broken.
#   packaging/linux/try-updates.sh [folder] [updates]        needs root, debootstrap, systemd-nspawn; builds its own programs, 6 s each
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${1:-$(mktemp -d)}
updates=${2:-20}
. "$here/booted-tree.sh"
node=$root/node_modules/.bin/node
notes=$tree/var/lib/pithead-update
# Only the waits are shorter than on a farm.
patience=(--ready-within 20s --stable-for 4s)

sign() { "$node" "$root/packaging/release/main.ts" "$@" >>"$work/build.log"; }
build() { "$node" "$root/packaging/binary/build.ts" --target linux-x64 --update-root "$work/pins.json" "$@" >>"$work/build.log" 2>&1; }

rm -rf "$work/keys" && mkdir -p "$work/keys" "$work/faults" "$work/built"
sign key --out "$work/keys/root.pem"
sign key --out "$work/keys/signing.pem"
sign pins --root "$work/keys/root.pem.pub" --out "$work/pins.json"
sign set --root "$work/keys/root.pem" --key "$work/keys/signing.pem.pub" --sequence 1 --expires 2099-01-01 --out "$work/set.json"
cat >"$work/faults/crash.js" <<'JS'
if (process.argv.includes('run')) { console.error('broken: crash at start'); process.exit(1); }
JS
cat >"$work/faults/silent.js" <<'JS'
if (process.argv.includes('run')) delete process.env.NOTIFY_SOCKET;
JS
cat >"$work/faults/data.js" <<'JS'
if (process.argv.includes('run')) {
  const { DatabaseSync } = require('node:sqlite');
  for (const name of ['agent', 'outbox', 'service']) {
    const database = new DatabaseSync(`/var/lib/pithead/${name}.sqlite`);
    database.exec('UPDATE schema_version SET version = version + 1');
    database.close();
  }
  throw new Error('broken: cannot read the data of the version before');
}
JS

# bundle VERSION [FAULT]: $tree/root/VERSION.bundle
bundle() {
  local fault=()
  case "${2:-}" in crash | silent | data) fault=(--prepend "$work/faults/$2.js") ;; esac
  build --version-override "$1" "${fault[@]}" --output "$work/built"
  # The machine field of the header: another processor.
  [ "${2:-}" != processor ] || printf '\xb7' | dd of="$work/built/pithead-linux-x64" bs=1 seek=18 conv=notrunc status=none
  sign bundle --binary "$work/built/pithead-linux-x64" --version "$1" --target linux-x64 --set "$work/set.json" \
    --key "$work/keys/signing.pem" --out "$tree/root/$1.bundle"
}
update() { inside pithead update "/root/$1.bundle" --json "${patience[@]}" >>"$work/updates.log" 2>&1; }
current() { basename "$(readlink "$tree/usr/lib/pithead/$1")"; }
outcome() { sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/" "$notes/outcome.json"; }
ready() { nsenter -t "$leader" -n curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8420/readyz || true; }
# expect VERSION RESULT: this version works, with the miners that were known before.
expect() {
  [ "$(outcome result)" = "$2" ] || fail "$(cat "$notes/outcome.json"), expected $2"
  works "$1"
}
works() {
  for _ in $(seq 60); do [ "$(ready)" = 200 ] && break; sleep 0.25; done
  [ "$(property ActiveState)" = active ] || fail "the service is $(property ActiveState)"
  [ "$(current current) $(current proven)" = "$1 $1" ] || fail "$(current current), proven $(current proven), expected $1"
  for _ in $(seq 20); do [ "$(ids)" = "$before" ] && return; sleep 0.25; done
  fail "other miners than before"
}

boot
rm -f "$tree"/root/*.bundle "$work/updates.log"
build --output "$work/built"
"$node" "$root/packaging/linux/deb.ts" --target linux-x64 --fast --binary "$work/built/pithead-linux-x64" --output "$work/built" >>"$work/build.log"
cp "$work"/built/pithead_*_amd64.deb "$tree/root/pithead.deb"
# What an interrupted trial left behind has other keys.
inside apt-get purge -y -q pithead >"$work/apt.log" 2>&1 || true
inside apt-get install -y -q /root/pithead.deb >>"$work/apt.log" 2>&1
farm_up
set_up
before=$(ids)
old=$(current current)
step "$old installed, $miners miners"

bundle 1.0.0
update 1.0.0 || fail "update to 1.0.0: $(tail -1 "$work/updates.log")"
expect 1.0.0 updated
step "updated to 1.0.0 in $(outcome without_proof_ms) ms; ids kept"
update 1.0.0 && fail "the same version was taken"
[ "$(outcome result)" = refused ] || fail "the same version: $(outcome result)"

# The service orders one: the agent fetches it by https, root's own unit installs it, the task ends under the new version.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=updates -addext subjectAltName=IP:127.0.0.1 \
  -keyout "$work/tls.key" -out "$tree/etc/pithead/updates-ca.pem" 2>>"$work/build.log"
mkdir -p "$tree/etc/systemd/system/pithead.service.d"
printf '[Service]\nEnvironment=NODE_EXTRA_CA_CERTS=/etc/pithead/updates-ca.pem\n' >"$tree/etc/systemd/system/pithead.service.d/ca.conf"
echo 'update: { allowedHosts: ["127.0.0.1:9443"] }' >>"$tree/etc/pithead/pithead.yaml"
inside systemctl daemon-reload
inside systemctl restart pithead
nsenter -t "$leader" -n "$node" -e '
  const [key, cert, folder] = process.argv.slice(1);
  const { createReadStream, readFileSync } = require("node:fs");
  require("node:https").createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, answer) =>
    createReadStream(folder + request.url).on("error", () => answer.destroy()).pipe(answer)).listen(9443, "127.0.0.1");
' "$work/tls.key" "$tree/etc/pithead/updates-ca.pem" "$tree/root" &
files=$!
works 1.0.0
api() { nsenter -t "$leader" -n curl -s -H "x-api-key: $(value key)" -H 'content-type: application/json' "$@"; }
base=http://127.0.0.1:8420/public-api/v2/workspaces/$(value workspace_id)/farms/$(value farm_id)
# order VERSION EXPECTED: what the batch became, as the interface tells it.
order() {
  local agent batch made answer
  agent=$(api "$base/agents" | grep -oE '"id":"[0-9a-f-]{36}"' | head -1 | cut -d'"' -f4)
  made=$(api "$base/task-batches" -d "{\"task_name\":\"agent.self.update\",\"agent_ids\":[\"$agent\"],\"params\":{\"url\":\"https://127.0.0.1:9443/$1.bundle\"}}")
  batch=$(grep -oE '"id":"[0-9a-f-]{36}"' <<<"$made" | head -1 | cut -d'"' -f4) || fail "agent.self.update to $1: $made"
  for _ in $(seq 240); do
    answer=$(api "$base/task-batches/$batch" || true)
    grep -qE "\"status\":\"$2\"" <<<"$answer" && return
    sleep 0.5
  done
  fail "agent.self.update to $1: $answer"
}
bundle 1.0.1
order 1.0.1 succeeded
works 1.0.1
step "ordered by the service: 1.0.1 runs, the task has succeeded"
bundle 1.0.2 crash
order 1.0.2 failed
works 1.0.1
step "ordered by the service: $(outcome message), 1.0.1 runs, the task has failed"
kill "$files"

number=2
for fault in crash silent processor data; do
  number=$((number + 1))
  bundle 1.0.$number $fault
  update 1.0.$number && fail "$fault was taken"
  if [ $fault = processor ]; then expect 1.0.1 failed; else expect 1.0.1 rolled-back; fi
  step "$fault: $(outcome message), back after $(outcome without_proof_ms) ms"
  update 1.0.$number && fail "$fault was taken"
  [ "$(outcome result)" = refused ] || fail "$fault was tried again"
done
step "none of them is tried again"

good=1.0.1
number=0
# next [FAULT]: a newer version, as $version
next() {
  number=$((number + 1))
  version=1.1.$number
  bundle "$version" "${1:-}"
}
start_update() {
  nsenter -t "$leader" -m -u -i -p -n -C -- pithead update "/root/$version.bundle" --json "${patience[@]}" >>"$work/updates.log" 2>&1 &
  updater=$!
}
# until_step NAME: whether the updater was seen in it before it ended
until_step() {
  while kill -0 $updater 2>/dev/null; do grep -q "\"step\":\"$1\"" "$notes/journal.json" 2>/dev/null && return; done
  return 1
}
for point in verifying staging trying saving switching watching returning; do
  for attempt in 1 2 3; do
    if [ $point = returning ]; then next data; else next; fi
    start_update
    if until_step $point; then
      for child in $(pgrep -P $updater); do kill -9 "$child"; done
      wait $updater 2>/dev/null || true
      break
    fi
    # A step this short was over before it was seen: the update went its way.
    wait $updater 2>/dev/null && good=$version
    [ $attempt = 3 ] && fail "$point was never seen"
  done
  killed=$SECONDS
  for _ in $(seq 480); do [ ! -e "$notes/journal.json" ] && break; sleep 0.25; done
  [ ! -e "$notes/journal.json" ] || fail "not recovered after a kill at $point"
  works $good
  step "updater killed at $point: $(outcome result), works again after $((SECONDS - killed)) s"
done

next
start_update
until_step watching || fail "the update was over before it could be cut off"
shut_down
boot
farm_up
works $good
step "power cut while a new version was being watched: $(outcome result), $good runs after the boot"

slowest=0
for ((index = 1; index <= updates; index++)); do
  version=2.0.$index
  case $((index % 8)) in 1) fault=crash ;; 3) fault=data ;; 5) fault=processor ;; 7) fault=silent ;; *) fault= ;; esac
  bundle $version $fault
  if update $version; then good=$version; fi
  [ -z "$fault" ] && [ "$good" != "$version" ] && fail "$version: $(cat "$notes/outcome.json")"
  [ -n "$fault" ] && [ "$good" = "$version" ] && fail "$version with $fault was taken"
  works "$good"
  took=$(outcome without_proof_ms)
  [ "$took" = null ] && took=0
  [ -z "$fault" ] || [ "$took" -le "$slowest" ] || slowest=$took
  rm -f "$tree/root/$version.bundle"
  step "update $index of $updates to $version${fault:+ ($fault)}: $(outcome result), $took ms"
done
[ "$slowest" -le 120000 ] || fail "back after $slowest ms"
step "$updates updates, half of them broken: always a version that works, back within $slowest ms"

inside apt-get install -y -q --allow-downgrades --reinstall /root/pithead.deb >>"$work/apt.log" 2>&1
works "$old"
step "the package of $old puts itself in place: dpkg decides"
inside apt-get purge -y -q pithead >>"$work/apt.log" 2>&1
rm -f "$tree"/root/*.bundle "$tree/root/pithead.deb"
# The trial's own.
rm -r "$tree/etc/systemd/system/pithead.service.d"
# What a person's own account keeps is the person's.
left=$(inside find / -xdev -name '*pithead*' -not -path '/proc/*' -not -path '/var/log/*')
[ -z "$left" ] || fail "left behind: $left"
step "purged, nothing left"

# For the script beside it: a Debian 13 tree with Wine in $work/wine, without a network to the outside. Needs root and debootstrap. Wine is not Windows:
# it restarts no service that dies, and keeps no rights on files. Gives: step, fail, wine_up, win (a Windows program), quiet, farm_up, service, program_pid.
export PATH=$PATH:/usr/sbin:/sbin
tree=$work/wine
drive=$tree/root/.wine/drive_c
data=$drive/ProgramData/Pithead
programs="$drive/Program Files/Pithead"
installed='C:\Program Files\Pithead\pithead.exe'
network=127.72.0.0/26
miners=20
space=
farm=

step() { printf '%6ss  %s\n' "$SECONDS" "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

# While one Wine process runs that is no service, services go on.
wine_up() {
  if ! chroot "$tree" sh -c 'command -v wine' >/dev/null 2>&1; then
    debootstrap --variant=minbase trixie "$tree" >"$work/debootstrap.log"
    chroot "$tree" apt-get install -y -q --no-install-recommends wine64 wine >>"$work/debootstrap.log" 2>&1
    step "tree made"
  fi
  unshare -n -m sh -c "ip link set lo up; mount -t proc proc '$tree/proc'; mount --rbind /dev '$tree/dev'; exec sleep 86400" &
  space=$!
  until ip="$(nsenter -t $space -n ip -4 addr show lo 2>/dev/null)" && [[ $ip == *127.0.0.1* && -e $tree/dev/null ]]; do sleep 0.1; done
  # Services are given what the registry says when Windows starts.
  in_tree wine reg add 'HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment' /f /v NODE_EXTRA_CA_CERTS /d 'Z:\root\updates-ca.pem' \
    >"$work/wine.log" 2>&1 </dev/null || fail "Wine does not start: $(tail -1 "$work/wine.log")"
  in_tree wineserver -k -w || true
  rm -f "$work/keep"
  mkfifo "$work/keep"
  in_tree wine cmd <"$work/keep" >/dev/null 2>&1 &
  exec 9>"$work/keep"
  step "Wine is up"
}

in_tree() { nsenter -t $space -n -m -- chroot "$tree" env -i PATH=/usr/bin:/bin HOME=/root WINEDEBUG=-all "$@"; }

# Wine hands over files as output, but no pipes.
win() {
  local code=0
  in_tree timeout 300 wine "$@" </dev/null >"$work/out" 2>"$work/err" || code=$?
  cat "$work/out"
  return $code
}
quiet() { win "$@" >/dev/null; }

farm_up() {
  nsenter -t $space -n "$root/node_modules/.bin/node" "$root/fixtures/farm/main.ts" --miners $miners --network $network >"$work/farm.log" 2>&1 &
  farm=$!
  for _ in $(seq 80); do grep -q 'listen. Ctrl-C' "$work/farm.log" && return; sleep 0.25; done
  fail "the farm does not start: $(tail -1 "$work/farm.log")"
}

# The word of sc.exe for the state of the service.
service() { win sc.exe query pithead | sed -nE 's/.*STATE +: [0-9]+ +([A-Z_]+).*/\1/p'; }
# Of the processes in this space alone.
pid_of() {
  local pid
  for pid in $(pgrep -f "$1" || true); do
    if [ "$(readlink "/proc/$pid/ns/net")" = "$(readlink "/proc/$space/ns/net")" ]; then echo "$pid"; fi
  done | head -1
}
program_pid() { pid_of '^C:.Program Files.Pithead.versions.*pithead.exe run '; }
updater_pid() { pid_of '^C:.Program Files.Pithead.versions.*pithead.exe update --staged'; }
host_pid() { pid_of '^C:.Program Files.Pithead.pithead-service.exe'; }

wine_down() {
  exec 9>&- || true
  [ -z "$farm" ] || kill "$farm" 2>/dev/null || true
  if [ -n "$space" ]; then
    # The tree's own server ends every Windows process.
    in_tree wineserver -k 2>/dev/null || true
    kill $space 2>/dev/null || true
  fi
  farm=
  space=
}
trap wine_down EXIT

# For the script beside it: a Debian 12 tree of its own in $work/tree, booted, without a network to the outside. Needs root, debootstrap and
# systemd-nspawn. Gives: step, fail, boot, shut_down, inside (a command in the tree), property (of the service), farm_up, set_up, total, ids.
export PATH=$PATH:/usr/sbin:/sbin
tree=$work/tree
network=127.70.0.0/24
miners=50
nspawn=
farm=

step() { printf '%6ss  %s\n' "$SECONDS" "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

boot() {
  if [ ! -d "$tree" ]; then
    debootstrap --variant=minbase --include=ca-certificates,systemd,systemd-sysv bookworm "$tree" >"$work/debootstrap.log"
    step "tree made"
  fi
  setsid systemd-nspawn --register=no --keep-unit --private-network -D "$tree" --boot --console=pipe >"$work/boot.log" 2>&1 &
  nspawn=$!
  local state=
  for _ in $(seq 60); do
    leader=$(pgrep -P "$nspawn" | head -1 || true)
    [ -n "$leader" ] && state=$(nsenter -t "$leader" -m -p -- systemctl is-system-running 2>/dev/null || true)
    case "${state:-}" in running | degraded) break ;; esac
    sleep 0.5
  done
  step "booted"
}

# Like a power cut: nothing is stopped in order.
shut_down() {
  [ -z "$farm" ] || kill "$farm" 2>/dev/null || true
  [ -z "$nspawn" ] || kill -9 "$leader" "$nspawn" 2>/dev/null || true
  wait "$nspawn" 2>/dev/null || true
  farm=
  nspawn=
}
trap shut_down EXIT

inside() { nsenter -t "$leader" -m -u -i -p -n -C -- "$@"; }
property() { inside systemctl show -P "$1" pithead; }

farm_up() {
  nsenter -t "$leader" -n "$root/node_modules/.bin/node" "$root/fixtures/farm/main.ts" --miners $miners --network $network >"$work/farm.log" 2>&1 &
  farm=$!
  for _ in $(seq 40); do grep -q 'listen. Ctrl-C' "$work/farm.log" && break; sleep 0.25; done
}

# The farm is watched, and asked through the interface.
set_up() {
  inside pithead setup --yes --network $network --json >"$work/setup.json"
  grep -q '"restarted":true' "$work/setup.json" || fail "setup did not restart the service"
  key=$(inside pithead key create --name trial --json)
  for _ in $(seq 40); do [ "$(total)" = $miners ] && break; sleep 0.5; done
  [ "$(total)" = $miners ] || fail "$(total) of $miners miners after 20 s"
}
value() { sed -E "s/.*\"$1\":\"([^\"]+)\".*/\1/" <<<"$key"; }
list() {
  nsenter -t "$leader" -n curl -s -H "x-api-key: $(value key)" \
    "http://127.0.0.1:8420/private-api/v1/$(value workspace_id)/farms/$(value farm_id)/miner/latest?pageSize=1000"
}
total() { list | grep -oE '"total":[0-9]+' | cut -d: -f2; }
ids() { list | grep -oE '"id":"[0-9a-f-]{36}"' | sort; }

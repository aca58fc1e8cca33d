#!/usr/bin/env bash
# Installs the package in a booted Debian 12 tree of its own, without a network to the outside, and goes through the life of an installation: install,
# set up, kill, wrong configuration, reinstall, purge. Needs root, debootstrap and systemd-nspawn; the folder given (or a temporary one) keeps the tree.
#   npm run build:binary -- --target linux-x64 && npm run build:deb -- --target linux-x64 --fast && packaging/linux/try-in-container.sh [folder]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${1:-$(mktemp -d)}
deb=$(ls "$root"/dist/pithead_*_amd64.deb | tail -1)
. "$here/booted-tree.sh"

boot
cp "$deb" "$tree/root/pithead.deb"
inside apt-get install -y -q /root/pithead.deb >"$work/apt.log" 2>&1
[ "$(inside systemctl is-active pithead)" = active ] || fail "not active after the installation"
[ "$(inside systemctl is-enabled pithead)" = enabled ] || fail "not enabled"
step "installed, active, enabled"

farm_up
set_up
before=$(ids)
step "$miners miners reported"
inside pithead selftest --network 127.71.0.0/24 >/dev/null || fail "selftest"
step "selftest inside"

inside sh -c "kill -9 $(property MainPID)"
for _ in $(seq 40); do [ "$(property ActiveState)" = active ] && [ "$(property NRestarts)" = 1 ] && break; sleep 0.25; done
[ "$(property NRestarts)" = 1 ] || fail "not restarted after kill -9"
sleep 2
[ "$(ids)" = "$before" ] || fail "other ids after kill -9"
step "killed, back, the same ids"

inside cp /etc/pithead/pithead.yaml /root/good.yaml
echo 'networks: [x' >"$tree/etc/pithead/pithead.yaml"
inside systemctl restart pithead 2>/dev/null && fail "a wrong configuration was taken"
[ "$(property ExecMainStatus)" = 78 ] || fail "exit code $(property ExecMainStatus) for a wrong configuration"
inside cp /root/good.yaml /etc/pithead/pithead.yaml
inside systemctl reset-failed pithead
inside systemctl start pithead
step "wrong configuration refused with 78 and not tried again, the good one taken"

inside apt-get install -y -q --reinstall /root/pithead.deb >>"$work/apt.log" 2>&1
sleep 3
[ "$(ids)" = "$before" ] || fail "other ids after a reinstallation"
grep -q "$network" "$tree/etc/pithead/pithead.yaml" || fail "the configuration was replaced"
step "reinstalled, configuration and ids kept"

inside apt-get purge -y -q pithead >>"$work/apt.log" 2>&1
rm -f "$tree/root/pithead.deb"
# What a person's own account keeps is the person's.
left=$(inside find / -xdev -name '*pithead*' -not -path '/proc/*' -not -path '/var/log/*')
[ -z "$left" ] || fail "left behind: $left"
step "purged, nothing left"

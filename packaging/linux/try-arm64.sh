#!/usr/bin/env bash
# Installs the arm64 package in a Debian 12 tree of that processor, under qemu: install, the program and all its parts, purge. systemd does not run there;
# what it does with the units is tried on amd64 (test/packaging/sandbox.test.ts). Needs root, debootstrap and qemu-aarch64-static; the folder given keeps the tree.
#   npm run build:binary -- --target linux-arm64 && npm run build:deb -- --target linux-arm64 --fast && packaging/linux/try-arm64.sh [folder]
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:-$(mktemp -d)}
tree=$work/arm64
deb=${DEB:-$(ls "$root"/dist/pithead_*_arm64.deb | tail -1)}
qemu=$(command -v qemu-aarch64-static)
space=
trap '[ -z "$space" ] || kill $space' EXIT

step() { printf '%6ss  %s\n' "$SECONDS" "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

# Of its own: which program runs those of another processor is not settled for the whole machine.
mkfifo "$work/arm64.ready"
unshare -U -m sh -c "read -r _ <'$work/arm64.ready'; exec sleep 86400" &
space=$!
until [ "$(readlink "/proc/$space/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.1; done
for map in uid_map gid_map; do echo '0 0 65536' >"/proc/$space/$map"; done
echo >"$work/arm64.ready"
rm "$work/arm64.ready"
enter() { nsenter -t $space -U -m --setuid 0 --setgid 0 -- "$@"; }
in_tree=(chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
inside() { enter "${in_tree[@]}" "$@"; }
# With loopback addresses that nobody else uses.
alone() { enter unshare -n sh -c 'ip link set lo up && exec "$@"' sh "${in_tree[@]}" "$@"; }
enter mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
# The head of an ELF file for this processor; F: opened now, so that it is found in the tree too.
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf ':aarch64:M::%s:%s:%s:F' "$magic" "$mask" "$qemu" >"$work/binfmt"
enter sh -c "cat '$work/binfmt' >/proc/sys/fs/binfmt_misc/register"

if [ ! -d "$tree" ]; then
  debootstrap --foreign --arch=arm64 --variant=minbase --include=ca-certificates,systemd bookworm "$tree" >"$work/debootstrap.log"
fi
[ ! -L "$tree/proc" ] || rm "$tree/proc"
mkdir -p "$tree/proc"
enter mount --rbind /proc "$tree/proc"
if [ -d "$tree/debootstrap" ]; then
  # The devices are there from the first stage; here nobody may make one, not even to see whether it could be used.
  sed -i 's/if ! check_sane_mount/if false/' "$tree/debootstrap/debootstrap"
  inside /debootstrap/debootstrap --second-stage >>"$work/debootstrap.log" || fail "$(tail -1 "$work/debootstrap.log")"
  step "tree made"
fi
[ "$(inside uname -m)" = aarch64 ] || fail "no programs of that processor run here"

[ -e "$tree/etc/hosts" ] || echo '127.0.0.1 localhost' >"$tree/etc/hosts"
# Of a trial that was cut short.
rm -rf "$tree"/tmp/pithead-*
# Nothing is to be started.
printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
chmod 755 "$tree/usr/sbin/policy-rc.d"
cp "$deb" "$tree/root/pithead.deb"
inside apt-get install -y -q --no-install-recommends /root/pithead.deb >"$work/apt.log" 2>&1 || fail "apt: $(tail -3 "$work/apt.log")"
[ "$(inside dpkg-query -W -f '${Architecture} ${Status}' pithead)" = "arm64 install ok installed" ] || fail "not installed"
version=$(inside dpkg-query -W -f '${Version}' pithead)
[ "$(inside pithead --version)" = "$version" ] || fail "the program says $(inside pithead --version), the package $version"
[ -L "$tree/etc/systemd/system/multi-user.target.wants/pithead.service" ] || fail "not enabled"
[ "$(stat -c %a "$tree/etc/pithead/secrets.yaml" "$tree/etc/pithead/pithead.key" | sort -u)" = 600 ] || fail "secrets can be read by others"
step "installed: $version"
alone pithead selftest || fail "selftest"
step "selftest"
inside pithead config check /etc/pithead/pithead.yaml >/dev/null || fail "the configuration of the package"
inside apt-get install -y -q --reinstall /root/pithead.deb >>"$work/apt.log" 2>&1 || fail "reinstall: $(tail -3 "$work/apt.log")"
step "reinstalled"
inside apt-get purge -y -q pithead >>"$work/apt.log" 2>&1 || fail "purge: $(tail -3 "$work/apt.log")"
rm -f "$tree/root/pithead.deb"
left=$(find "$tree" -xdev -name '*pithead*' -not -path "$tree/proc/*" -not -path "$tree/var/log/*")
[ -z "$left" ] || fail "left behind: $left"
step "purged, nothing left"

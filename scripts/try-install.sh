#!/bin/sh
# Tries install.sh on a root file system of its own: `try-install.sh <folder of a release> <root file system made with debootstrap>`.
# It runs as root, in namespaces of its own, without systemd and without Docker; the root file system is changed and put back.
set -eu
release=$(readlink -f "$1")
rootfs=$(readlink -f "$2")

if [ "${3:-}" != inside ]; then exec unshare --mount --net --pid --mount-proc --fork --kill-child "$0" "$release" "$rootfs" inside; fi

ip link set lo up
mount -t proc proc "$rootfs/proc"
mount --bind /dev "$rootfs/dev"
mkdir -p "$rootfs/mnt/release"
mount --bind "$release" "$rootfs/mnt/release"

archive=$(basename "$release"/berth-*-linux-"$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')".tar.gz)
in_root() { chroot "$rootfs" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin BERTH_PROVISION=off "$@"; }
install() { in_root "$@" sh /mnt/release/install.sh --archive "/mnt/release/$archive"; }
files() { find "$rootfs" -xdev \( -path "$rootfs/proc" -o -path "$rootfs/dev" -o -path "$rootfs/mnt" -o -path "$rootfs/var/lib/berth" \) -prune -o -printf '%P %y %m %s\n' | grep -v '^[^ ]* d ' | sort; }
failed() { echo "FAILED: $*" >&2; exit 1; }
refuses() { # words, then the run
  words=$1
  shift
  untouched=$(files)
  "$@" >/tmp/try-install.out 2>&1 && failed "it was not refused: $words"
  grep -q "$words" /tmp/try-install.out || { cat /tmp/try-install.out; failed "it does not say: $words"; }
  [ "$untouched" = "$(files)" ] || failed "something was changed: $words"
  echo "ok: refused, $words"
}

before=$(files)
in_root sh /mnt/release/install.sh --dry-run --archive "/mnt/release/$archive" >/dev/null
[ "$before" = "$(files)" ] || failed 'a dry run changed something'
echo 'ok: a dry run changes nothing'

refuses 'cannot be read' in_root sh /mnt/release/install.sh --archive /none
refuses 'name the archive' in_root sh /mnt/release/install.sh
refuses 'as root' chroot --userspec=nobody "$rootfs" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin BERTH_PROVISION=off sh /mnt/release/install.sh --archive "/mnt/release/$archive"
head -c 1000 "$release/$archive" >"$rootfs/mnt/short.tar.gz"
refuses 'checksum' in_root sh /mnt/release/install.sh --archive /mnt/short.tar.gz
rm "$rootfs/mnt/short.tar.gz"

install | tee /tmp/try-install.out
grep -q 'setup#token=' /tmp/try-install.out || failed 'there is no link to create the owner'
install >/tmp/try-install.out
grep -q 'is running' /tmp/try-install.out || failed 'the second run does not find it running'
echo 'ok: a second run finds it running'
grep -q '^BERTH_OWNER_EMAIL=' "$rootfs/etc/berth/berth.env" && failed 'a setting that nobody gave was written'
install BERTH_UPDATE_FEED='https://a.test/$(touch /pwned) "b"' >/dev/null
install >/dev/null
grep -qF 'BERTH_UPDATE_FEED="https://a.test/\$(touch /pwned) \"b\""' "$rootfs/etc/berth/berth.env" || failed 'a value is not quoted'
in_root sh -c '. /etc/berth/berth.env; [ "$BERTH_UPDATE_FEED" = "https://a.test/\$(touch /pwned) \"b\"" ] && [ ! -e /pwned ]' || failed 'a value is read back as another'
echo 'ok: settings are quoted, and read back as they were'
mkdir -p "$rootfs/var/lib/berth/updates"
echo '{ "phase": "watching" }' >"$rootfs/var/lib/berth/updates/29990101T000000Z.json"
refuses 'updating itself' install
rm "$rootfs/var/lib/berth/updates/29990101T000000Z.json"
current=$(readlink "$rootfs/opt/berth/current")
ln -sfn releases/999.0.0 "$rootfs/opt/berth/current"
refuses 'cannot read its database' install
ln -sfn "$current" "$rootfs/opt/berth/current"
rm "$rootfs/opt/berth/releases"/*/packages/cli/dist/main.js
install >/dev/null
in_root berth --help >/dev/null || failed 'the second run repairs nothing'
echo 'ok: a second run repairs a missing file'

in_root sh /mnt/release/install.sh uninstall --dry-run
in_root sh /mnt/release/install.sh uninstall --yes >/dev/null
[ -e "$rootfs/var/lib/berth/berth.sqlite" ] || failed 'the data is gone'
files | grep -v '^var/lib/berth' >/tmp/try-install.after
echo "$before" | diff - /tmp/try-install.after || failed 'this was left behind'
pgrep -f berth-supervisor >/dev/null && failed 'a process was left behind'
rm -rf "$rootfs/var/lib/berth" "$rootfs/mnt/release" 2>/dev/null || true
echo 'ok: uninstall leaves the data and nothing else'

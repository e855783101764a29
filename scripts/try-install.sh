#!/bin/sh
# Tries install.sh on a machine of its own: `try-install.sh <folder of a release> <root file system> [systemd|plain]`.
# Runs as root, in namespaces of its own. The root file system is made with
#   debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,haproxy,procps <suite> <folder>
# It is changed and put back, except for the packages that the installer adds; use a copy. Those are downloaded: BERTH_TRY_NETWORK names a
# slirp4netns that connects the machine to what this one reaches, and the variables of proxies are passed on. Without it, add
# docker.io,iptables,git,openssh-client,ca-certificates to the list, and docker-cli from Debian 13 on; then that step is not tried.
set -eu
release=$(readlink -f "$1")
rootfs=$(readlink -f "$2")
kind=${3:-systemd}
network=${BERTH_TRY_NETWORK:-}
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
# The machine sees this group as the root of all.
group=$(findmnt --noheadings --first-only --types cgroup2 --output TARGET)/try-install-$$
mkdir "$group"
trap 'kill -9 "$machine" ${connection:-} 2>/dev/null || true; wait; sleep 1; find "$group" -depth -type d -exec rmdir {} +; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# shellcheck disable=SC2016 # expanded by the inner shell
sh -c 'echo $$ >"$0/cgroup.procs" && exec unshare --mount --net --pid --ipc --uts --cgroup --fork --kill-child "$@"' \
  "$group" "$here/try-machine.sh" "$release" "$rootfs" "$kind" ${network:+10.0.2.3} >"$work/boot.log" 2>&1 &
machine=$!
failed() { echo "FAILED: $*" >&2; exit 1; }
n=0
until [ -e "$rootfs/mnt/first" ]; do n=$((n + 1)); [ $n -lt 300 ] || failed 'the machine does not start'; sleep 0.2; done
rm "$rootfs/mnt/first"
inside() {
  nsenter --all --target "$(pgrep -P "$machine")" env -i HOME=/root PATH="${path:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}" \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} "$@"
}
if [ -n "$network" ]; then
  "$network" --configure --mtu=65520 --disable-host-loopback "$(pgrep -P "$machine")" tap0 >"$work/network.log" 2>&1 &
  connection=$!
fi
is_up() { [ "$kind" = plain ] || inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'; }
n=0
until is_up; do n=$((n + 1)); [ $n -lt 300 ] || failed 'systemd does not come up'; sleep 0.5; done

archive=/mnt/release/$(basename "$release"/berth-*-linux-"$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')".tar.gz)
installer=/mnt/release/install.sh
install() { inside "$@" sh "$installer" --archive "$archive"; }
uninstall() { inside sh "$installer" uninstall "$@"; }
service() { if [ "$kind" = systemd ]; then inside systemctl "$1" berth; else inside /etc/init.d/berth "$1"; fi; }
node() { inside /opt/berth/current/bin/node -e "$1"; }

# What is on the machine, but for Docker itself and what changes all the time.
files() {
  (cd "$rootfs" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp -o -path ./mnt -o -path ./var/lib/docker \
    -o -path ./var/lib/containerd -o -path ./var/lib/systemd -o -path ./var/log -o -path ./var/lib/berth -o -path './var/tmp/systemd-*' -o -path ./etc/docker -o -path ./opt/containerd \) -prune \
    -o -type d -printf '%p %y %m\n' -o -printf '%p %y %m %s\n' | sort; find ./var/log -name '*berth*' | sort)
}
processes() { inside ps -e -o comm= | grep -vE '^(dockerd|containerd.*|docker-.*|ps|sleep|\(.*\)|kworker.*)$' | sort; }
firewall() { for table in iptables ip6tables ebtables-nft; do inside "$table-save" 2>/dev/null | grep -viE '^#|docker|^:|^\*|COMMIT' || true; inside "$table-save" 2>/dev/null | grep -i '^:berth' || true; done; }
engine() { for what in 'ps -aq' 'images -q' 'volume ls -q' 'network ls --format {{.Name}}'; do inside docker $what 2>/dev/null || true; done; }
state() { files; processes; firewall; engine | grep -vxE 'bridge|host|none' || true; }
refuses() { # words, then the run
  words=$1
  shift
  files >"$work/untouched"
  "$@" >"$work/out" 2>&1 && failed "it was not refused: $words"
  grep -q "$words" "$work/out" || { cat "$work/out"; failed "it does not say: $words"; }
  files | diff "$work/untouched" - || failed "something was changed: $words"
  echo "ok: refused, $words"
}

# A bare machine gets Docker from the installer. It stays, so what follows compares with a machine that has it.
if [ ! -e "$rootfs/usr/sbin/dockerd" ]; then
  [ -n "$network" ] || failed 'Docker is not in the root file system, and without BERTH_TRY_NETWORK it cannot be installed'
  inside sh "$installer" --dry-run --archive "$archive" | grep 'would run: .*apt-get .*docker.io' || failed 'a dry run does not name the packages'
  install | tee "$work/out"
  inside dpkg-query -W -f '${binary:Package} ${Version} ${db:Status-Status}\n' docker.io iptables git openssh-client ca-certificates
  [ -n "$(inside sh -c 'command -v docker || true')" ] || inside apt-get install -q -y --no-install-recommends docker-cli >/dev/null # for this script
  n=0
  until inside berth-server doctor | grep -E '^(ok|warning) +Docker: [0-9]'; do n=$((n + 1)); [ $n -lt 120 ] || failed 'Berth does not find the Docker that was installed'; sleep 1; done
  uninstall --yes --delete-data --delete-volumes >/dev/null
  find "$rootfs" -xdev -name '*berth*' -not -path "$rootfs/var/lib/docker/*" -not -path "$rootfs/var/lib/systemd/*" | grep . && failed 'this was left behind'
  echo 'ok: Docker was installed on a machine without it'
fi

state >"$work/before"
install_dry() { inside sh "$installer" --dry-run --archive "$archive"; }
install_dry >/dev/null
files >"$work/after-dry"
grep -vxFf "$work/before" "$work/after-dry" && failed 'a dry run changed something'
echo 'ok: a dry run changes nothing'

refuses 'cannot be read' inside sh "$installer" --archive /none
refuses 'name the archive' inside sh "$installer"
refuses 'as root' inside setpriv --reuid=65534 --clear-groups sh "$installer" --archive "$archive"
head -c 1000 "$release/$(basename "$archive")" >"$rootfs/mnt/short.tar.gz"
refuses 'checksum' inside sh "$installer" --archive /mnt/short.tar.gz
sed 's/^sum_\(.*\)=.*/sum_\1=@SHA256@/' "$release/install.sh" >"$rootfs/mnt/other.sh"
refuses 'was not made for' inside sh /mnt/other.sh --archive "$archive"
refuses 'must be one line' install BERTH_UPDATE_FEED='a
b'
refuses 'BERTH_PROVISION must be' install BERTH_PROVISION=perhaps
refuses 'supports SQLite only' install BERTH_DATABASE_URL=postgres://berth@localhost/berth

# A machine that lacks something: the path has every program but those.
inside sh -c 'mkdir /mnt/bin; for file in /usr/sbin/* /usr/bin/*; do ln -sf "$file" /mnt/bin/; done'
pretend() { rm -f "$rootfs/mnt/bin/$1"; printf '#!/bin/sh\n%s\n' "$2" >"$rootfs/mnt/bin/$1"; chmod 755 "$rootfs/mnt/bin/$1"; }
again() { ln -sf "/usr/bin/$1" "$rootfs/mnt/bin/$1"; }
path=/mnt/bin
rm "$rootfs/mnt/bin/gzip"; refuses 'program gzip is missing' install; again gzip
rm -f "$rootfs/mnt/bin/curl" "$rootfs/mnt/bin/wget"; refuses 'curl or wget' inside sh "$installer" --from https://example.test
pretend uname 'case $1 in -m) echo riscv64 ;; *) echo Linux ;; esac'; refuses 'no Berth for riscv64' install
pretend uname 'case $1 in -m) echo x86_64 ;; *) echo Plan9 ;; esac'; refuses 'runs on Linux' install; again uname
pretend ldd 'echo musl libc'; refuses 'uses musl' install; again ldd
pretend df 'printf "head\n/dev/x 1 1 9 1 /\n"'; refuses 'MB of free space' install; again df
rm -f "$rootfs/mnt/bin/apt-get" "$rootfs/mnt/bin/git"; refuses 'no apt-get: git' install
path=''
rm -rf "$rootfs/mnt/bin" "$rootfs/mnt/short.tar.gz" "$rootfs/mnt/other.sh"

inside perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalPort => 8080, Listen => 1) or die; open(F, ">/mnt/ready"); close F; sleep 600' &
listener=$!
until [ -e "$rootfs/mnt/ready" ]; do sleep 0.1; done
rm "$rootfs/mnt/ready"
refuses 'port 8080 is in use' install
inside pkill -x perl # in its own process namespace
wait "$listener" 2>/dev/null || true

install | tee "$work/out"
grep -q 'address .*setup#token=' "$work/out" || failed 'there is no link to create the owner'
grep -o 'setup#token=.*' "$work/out" >"$work/link"
[ "$kind" = plain ] || inside systemd-analyze verify berth.service || failed 'the unit is not valid'
inside berth-server doctor | grep -q 'ok  *Server' || failed 'berth-server does not find its data'
install >"$work/out"
grep -q 'is running' "$work/out" && grep -qf "$work/link" "$work/out" || failed 'the second run does not find it running'
echo 'ok: a second run finds it running'
grep -q '^BERTH_OWNER_EMAIL=' "$rootfs/etc/berth/berth.env" && failed 'a setting that nobody gave was written'
install BERTH_UPDATE_FEED='https://a.test/$(touch /pwned) "b"' >/dev/null
install >/dev/null
grep -qF 'BERTH_UPDATE_FEED="https://a.test/\$(touch /pwned) \"b\""' "$rootfs/etc/berth/berth.env" || failed 'a value is not quoted'
inside sh -c '. /etc/berth/berth.env; [ "$BERTH_UPDATE_FEED" = "https://a.test/\$(touch /pwned) \"b\"" ] && [ ! -e /pwned ]' || failed 'a value is read back as another'
sed -i /BERTH_UPDATE_FEED/d "$rootfs/etc/berth/berth.env"
echo 'ok: settings are quoted, and read back as they were'

current=$(readlink "$rootfs/opt/berth/current")
version=${current#releases/}
record="$rootfs/var/lib/berth/updates/29990101T000000Z"
mkdir -p "$rootfs/var/lib/berth/updates"
printf '{\n  "id": "29990101T000000Z",\n  "from": "%s",\n  "to": "999.0.0",\n  "phase": "watching",\n  "keepsData": false,\n  "attempts": 1\n}' "$version" >"$record.json"
refuses 'updating itself' install
service stop
mkdir "$record.snapshot"
cp "$rootfs/var/lib/berth/"berth.sqlite* "$rootfs/var/lib/berth/"*.key "$record.snapshot"
rm -f "$record.snapshot/berth.sqlite-shm"
node 'new (require("node:sqlite").DatabaseSync)("/var/lib/berth/berth.sqlite").exec("create table of_the_new_version (id)")'
mkdir -p "$rootfs/opt/berth/releases/999.0.0/bin"
# Its server takes long to start: as long as the supervisor waits for it, the update goes on.
printf '#!/bin/sh\nexec sleep 600\n' >"$rootfs/opt/berth/releases/999.0.0/bin/berth-server"
chmod 755 "$rootfs/opt/berth/releases/999.0.0/bin/berth-server"
service start
n=0
until [ "$(readlink "$rootfs/opt/berth/current")" = releases/999.0.0 ]; do n=$((n + 1)); [ $n -lt 60 ] || failed 'the supervisor does not switch'; sleep 1; done
sleep 25
refuses 'updating itself' install
service stop
install >"$work/out" || { cat "$work/out"; failed 'an interrupted update is not repaired'; }
[ "$(readlink "$rootfs/opt/berth/current")" = "$current" ] && [ ! -e "$rootfs/opt/berth/releases/999.0.0" ] || failed 'it is not back on the old version'
grep -q '"outcome": "failed"' "$record.json" || failed 'the interrupted update has not ended'
[ "$(node 'console.log(new (require("node:sqlite").DatabaseSync)("/var/lib/berth/berth.sqlite").prepare("select count(*) as n from sqlite_master where name = ?").get("of_the_new_version").n)')" = 0 ] || failed 'the database is not the one from before'
find "$rootfs/var/lib/berth" -name '*.restoring' | grep . && failed 'files were left behind'
echo 'ok: a second run repairs an installation whose update was interrupted'

ln -sfn releases/999.0.0 "$rootfs/opt/berth/current"
refuses 'cannot read its database' install
ln -sfn "$current" "$rootfs/opt/berth/current"
rm "$rootfs/opt/berth/releases"/*/packages/cli/dist/main.js
install >/dev/null
inside berth --help >/dev/null || failed 'the second run repairs nothing'
echo 'ok: a second run repairs a missing file'

edge=''
n=0
until [ $n -ge 120 ] || edge=$(inside docker ps --filter label=berth.kind=edge --format '{{.Names}}' 2>/dev/null | grep .); do n=$((n + 1)); sleep 1; done
if [ -n "$edge" ]; then
  instance=$(inside docker inspect --format '{{index .Config.Labels "berth.instance"}}' "$edge")
  inside docker volume create --label "berth.instance=$instance" --label berth.kind=app --label berth.app=1 of-an-app >/dev/null
  inside docker network create --label "berth.instance=$instance" --label berth.kind=app --label berth.app=1 of-an-app >/dev/null
fi
firewall | grep -q BERTH-8080 || failed 'there are no firewall rules to remove'

uninstall --dry-run
uninstall --yes >/dev/null
[ -e "$rootfs/var/lib/berth/berth.sqlite" ] || failed 'the data is gone'
[ -z "$edge" ] || inside docker volume rm of-an-app >/dev/null || failed 'the volume is gone'
state | diff "$work/before" - || failed 'this was left behind'
echo 'ok: uninstall leaves the data, the volumes, Docker and nothing else'
install >/dev/null
uninstall --yes --delete-data --delete-volumes >/dev/null
[ ! -e "$rootfs/var/lib/berth" ] || failed 'the data is still there'
state | diff "$work/before" - || failed 'this was left behind'
echo 'ok: installed again with its data, and removed with it'

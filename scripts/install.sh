#!/bin/sh
# Installs Berth on a Linux machine with glibc (Debian, Ubuntu), x64 or arm64; a second run repairs or upgrades it.
#
#   install.sh [--dry-run] [--archive <file>] [--from <https address of the folder with the archives>]
#   install.sh uninstall [--dry-run] [--yes] [--delete-volumes] [--delete-data]
#
# Without questions: BERTH_OWNER_EMAIL and BERTH_OWNER_PASSWORD create the owner. PORT, BERTH_ROOT, BERTH_DATA_DIR,
# BERTH_EDGE_HTTP_PORT, BERTH_EDGE_HTTPS_PORT, DOCKER_HOST and BERTH_UPDATE_FEED are kept in /etc/berth/berth.env, if they are set.
set -eu

version='@VERSION@'
sum_x64='@SHA256_LINUX_X64@'
sum_arm64='@SHA256_LINUX_ARM64@'

settings=/etc/berth/berth.env
unit=/etc/systemd/system/berth.service
script=/etc/init.d/berth
pid_file=/run/berth.pid
log_file=/var/log/berth.log
kept='HOST PORT BERTH_ROOT BERTH_DATA_DIR BERTH_EDGE_HTTP_PORT BERTH_EDGE_HTTPS_PORT DOCKER_HOST BERTH_PROVISION BERTH_UPDATE_FEED BERTH_UPDATE_KEY BERTH_OWNER_EMAIL BERTH_OWNER_PASSWORD'
needed_mb=1500
steps=7

command=install
dry_run=no
yes=no
delete_volumes=no
delete_data=no
archive=''
from=${BERTH_FROM:-}
while [ $# -gt 0 ]; do
  case $1 in
    install | uninstall) command=$1 ;;
    --dry-run) dry_run=yes ;;
    --yes) yes=yes ;;
    --delete-volumes) delete_volumes=yes ;;
    --delete-data) delete_data=yes ;;
    --archive | --from)
      [ $# -ge 2 ] || { echo "$1 needs a value" >&2; exit 2; }
      if [ "$1" = --archive ]; then archive=$2; else from=$2; fi
      shift
      ;;
    *)
      echo "unknown option $1; see the beginning of this script" >&2
      exit 2
      ;;
  esac
  shift
done

# Values are quoted so that systemd and the shell both read back what was given.
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"$`]/\\&/g')"; }
unquoted() {
  case $1 in
    \"*\") printf '%s' "$1" | sed 's/^"//; s/"$//; s/\\\([\\"$`]\)/\1/g' ;;
    "'"*"'") printf '%s' "$1" | sed "s/^'//; s/'\$//" ;;
    *) printf '%s' "$1" ;;
  esac
}

# Settings of an earlier run come first only where this one names none.
if [ -r "$settings" ]; then
  while IFS= read -r line || [ -n "$line" ]; do
    name=${line%%=*}
    value=$(unquoted "${line#*=}")
    case " $kept " in *" $name "*) eval "current=\${$name:-}"; [ -n "$current" ] || eval "$name=\$value" ;; esac
  done <"$settings"
fi
root=${BERTH_ROOT:-/opt/berth}
port=${PORT:-8080}
case ${HOST:-0.0.0.0} in 0.0.0.0 | ::) host=127.0.0.1 ;; *) host=$HOST ;; esac
data=${BERTH_DATA_DIR:-/var/lib/berth}
http_port=${BERTH_EDGE_HTTP_PORT:-80}
https_port=${BERTH_EDGE_HTTPS_PORT:-443}
# The database and the keys of the version before, while another one is started.
copy="$data/before-install"

say() { printf '%s\n' "$*"; }
step() { step_number=$((${step_number:-0} + 1)); say "[$step_number/$steps] $*"; }
fail() { say "berth: $*" >&2; exit 1; }
# Everything that changes the machine goes through here.
do_it() {
  if [ "$dry_run" = yes ]; then say "      would run: $*"; else "$@"; fi
}
has() { command -v "$1" >/dev/null 2>&1; }
has_systemd() { [ -d /run/systemd/system ] && has systemctl; }

case $(uname -m) in
  x86_64) platform=linux-x64 sum=$sum_x64 ;;
  aarch64 | arm64) platform=linux-arm64 sum=$sum_arm64 ;;
  *) platform='' sum='' ;;
esac

is_running() { [ -x "$root/current/bin/node" ] && healthy; }
healthy() { # of this version, by default the installed one
  node="$root/current/bin/node"
  [ -x "$node" ] || return 1
  "$node" -e '
    const [, port, version, host] = process.argv
    require("node:http").get({ host, port, path: "/health", timeout: 3000 }, (answer) => {
      let text = ""
      answer.on("data", (part) => (text += part))
      answer.on("end", () => process.exit(answer.statusCode === 200 && JSON.parse(text).version === version ? 0 : 1))
    }).on("error", () => process.exit(1)).on("timeout", () => process.exit(1))' "$port" "${1:-$(installed_version)}" "$host" 2>/dev/null
}
service_is_up() {
  if has_systemd; then
    case $(systemctl is-active berth 2>/dev/null) in active | activating | deactivating) ;; *) return 1 ;; esac
  else
    [ -x "$script" ] && "$script" status
  fi
}
installed_version() { basename "$(readlink "$root/current" 2>/dev/null || true)"; }
# As semantic versions are ordered: 1.0.0-next.1 is before 1.0.0.
is_older() { # one version than another
  [ "$1" != "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sed 's/-/~/' | sort -V | head -n 1)" = "$(printf '%s' "$1" | sed 's/-/~/')" ]
}
# An update that Berth carries out by itself: the newest record has not ended.
newest_update() { find "$data/updates" -maxdepth 1 -name '*.json' 2>/dev/null | sort | tail -n 1; }
update_is_open() { newest=$(newest_update); [ -n "$newest" ] && ! grep -q '"phase": "ended"' "$newest"; }
update_from() { sed -n 's/^ *"from": "\(.*\)",*$/\1/p' "$(newest_update)"; }
# The kernel lists who holds a lock, and forgets it when that process ends.
is_locked() {
  [ -e "$1" ] && awk -v inode="$(stat -c %i "$1")" '$2 == "POSIX" && $4 == "WRITE" { split($6, at, ":"); if (at[3] == inode) found = 1 } END { exit !found }' /proc/locks
}
# The server holds the first lock while it runs, the supervisor the second while it switches. From one to the other, and until a service
# manager has started one again, there is a moment without both.
update_is_worked_on() {
  [ -r /proc/locks ] || { service_is_up; return; }
  n=0
  while [ $n -lt 5 ]; do
    if is_locked "$data/lock.sqlite" || is_locked "$data/updates/working.sqlite"; then return 0; fi
    service_is_up || return 1
    sleep 1
    n=$((n + 1))
  done
  return 1
}
# The one to repair or upgrade: an interrupted update is ended first, which leads back to the version before it.
version_before() { if update_is_open; then update_from; else installed_version; fi; }
port_is_taken() {
  hex=$(printf ':%04X' "$1")
  awk -v port="$hex" '$4 == "0A" && substr($2, length($2) - 4) == port { found = 1 } END { exit !found }' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}
free_mb() {
  directory=$1
  while [ ! -d "$directory" ]; do directory=$(dirname "$directory"); done
  df -Pm "$directory" | awk 'NR == 2 { print $4 }'
}

# Before anything is touched: every problem is named, not only the first one.
preflight() {
  problems=0
  problem() { problems=$((problems + 1)); say "      - $*" >&2; }
  [ "$(id -u)" = 0 ] || problem 'run it as root, such as with sudo'
  [ "$(uname -s)" = Linux ] || problem 'Berth runs on Linux'
  [ -n "$platform" ] || problem "there is no Berth for $(uname -m); it runs on x86_64 and aarch64"
  for tool in tar gzip sha256sum awk df readlink; do has "$tool" || problem "the program $tool is missing"; done
  ldd --version 2>&1 | grep -qi musl && problem 'this system uses musl; Berth needs glibc (Debian, Ubuntu)'
  for directory in "$root" "$data"; do
    [ "$(free_mb "$directory")" -ge "$needed_mb" ] || problem "$directory needs ${needed_mb} MB of free space"
  done
  if [ -z "$archive" ]; then
    [ -n "$from" ] || problem 'name the archive with --archive, or the address it is at with --from'
    has curl || has wget || problem 'curl or wget is needed to download the archive'
  elif [ ! -r "$archive" ]; then
    problem "the archive $archive cannot be read"
  fi
  case $sum in *[!0-9a-f]* | '') problem "this script was not made for $platform" ;; esac
  if ! is_running; then
    for each in "$port" "$http_port" "$https_port"; do
      port_is_taken "$each" && ! edge_is_ours && problem "port $each is in use by another program"
    done
  fi
  if [ -L "$root/current" ] && is_older "$version" "$(version_before)"; then
    problem "Berth $(version_before) is installed, and Berth $version cannot read its database"
  fi
  if update_is_open; then
    if update_is_worked_on; then
      problem "Berth is updating itself; wait until that has ended (${newest%.json}.log says how far it is)"
    else
      say "      An update was interrupted; Berth $(update_from) is brought back first."
    fi
  fi
  for name in $kept; do
    eval "value=\${$name:-}"
    [ "$value" = "$(printf '%s' "$value" | tr -d '\n')" ] || problem "$name must be one line"
  done
  # It copies the file of SQLite before an upgrade, and would start an empty Berth without the URL.
  if [ -n "${BERTH_DATABASE_URL:-}" ] || [ -e "$data/database" ] || grep -q '^BERTH_DATABASE_URL=.' "$settings" 2>/dev/null; then
    problem 'this Berth uses PostgreSQL, but this installer supports SQLite only for now; see docs/postgresql.md'
  fi
  case ${BERTH_PROVISION:-auto} in auto | off) ;; *) problem 'BERTH_PROVISION must be auto or off' ;; esac
  [ "${BERTH_PROVISION:-auto}" = off ] || has apt-get || [ -z "$(missing_packages)" ] || problem "install these first, as there is no apt-get: $(missing_packages)"
  [ "$problems" = 0 ] || fail "nothing was changed; ${problems} problem(s) above"
}
engine_is_local() { case ${DOCKER_HOST:-unix://} in unix://*) ;; *) return 1 ;; esac; }
engine_socket() { engine=${DOCKER_HOST:-unix:///var/run/docker.sock}; printf '%s' "${engine#unix://}"; }
# The edge goes on serving while Berth is stopped.
edge_is_ours() { [ -e "$root/current" ]; }

# What is unpacked is what was checked: nobody else can change a file in this directory.
fetch_archive() {
  if [ "$dry_run" = yes ]; then
    [ -n "$archive" ] || { say "      would download: $from/berth-$version-$platform.tar.gz"; return; }
    check_sum "$archive"
    return
  fi
  fetched=$(mktemp -d)
  trap 'rm -rf "$fetched"' EXIT
  trap 'exit 1' INT TERM HUP
  if [ -n "$archive" ]; then
    cp "$archive" "$fetched/berth.tar.gz"
  else
    url="$from/berth-$version-$platform.tar.gz"
    if has curl; then curl -fSL --retry 3 -o "$fetched/berth.tar.gz" "$url"; else wget -O "$fetched/berth.tar.gz" "$url"; fi
  fi
  archive="$fetched/berth.tar.gz"
  check_sum "$archive"
}
check_sum() { printf '%s  %s\n' "$sum" "$1" | sha256sum -c --status || fail "the checksum of the archive is wrong; nothing was changed"; }

# What Berth runs, by the names of Debian and Ubuntu.
missing_packages() {
  engine_is_local && [ ! -S "$(engine_socket)" ] && ! has dockerd && printf 'docker.io '
  has iptables || printf 'iptables '
  has git || printf 'git '
  has ssh || printf 'openssh-client '
  [ -e /etc/ssl/certs/ca-certificates.crt ] || printf 'ca-certificates '
  return 0
}

# The lists have a lock of their own, which apt-get does not wait for.
apt_get_update() {
  tries=0
  until output=$(LC_ALL=C apt-get update -q 2>&1); do
    case $output in */lists/lock*) tries=$((tries + 1)) ;; *) tries=60 ;; esac
    if [ "$tries" -ge 60 ]; then printf '%s\n' "$output" >&2; return 1; fi
    sleep 5
  done
}

install_packages() {
  [ "${BERTH_PROVISION:-auto}" = auto ] || { say '      BERTH_PROVISION is off: you install and start Docker yourself.'; return; }
  packages=$(missing_packages)
  if [ -n "$packages" ]; then
    say "      Installing $packages"
    # A new machine may be installing its own upgrades.
    wait_for_lock='-o DPkg::Lock::Timeout=300'
    do_it apt_get_update
    # shellcheck disable=SC2086 # options, and a list of names
    do_it env DEBIAN_FRONTEND=noninteractive apt-get $wait_for_lock install -q -y --no-install-recommends $packages
  else
    say '      Everything is installed.'
  fi
  if engine_is_local && [ ! -S "$(engine_socket)" ] && has_systemd; then do_it systemctl enable --now docker; fi
  return 0 # without systemd Berth starts it
}

unpack() {
  release="$root/releases/$version"
  do_it mkdir -p "$root/releases"
  if [ "$dry_run" = no ] && [ -d "$release" ] && (cd "$release" && sha256sum -c --status SHA256SUMS 2>/dev/null); then
    say "      Berth $version is unpacked."
    return
  fi
  do_it rm -rf "$release.new"
  do_it mkdir "$release.new"
  do_it tar -xzf "$archive" -C "$release.new" --strip-components=1 --no-same-owner
  if [ "$dry_run" = no ]; then (cd "$release.new" && sha256sum -c --status SHA256SUMS) || fail 'the unpacked files are damaged'; fi
  do_it rm -rf "$release"
  do_it mv "$release.new" "$release"
}

write_file() { # path mode: contents from standard input
  if [ "$dry_run" = yes ]; then say "      would write: $1"; cat >/dev/null; return; fi
  mkdir -p "$(dirname "$1")"
  (umask 077 && cat >"$1.new")
  chmod "$2" "$1.new"
  mv "$1.new" "$1"
}

write_settings() {
  {
    for name in $kept; do
      eval "value=\${$name:-}"
      [ -z "$value" ] || printf '%s=%s\n' "$name" "$(quoted "$value")"
    done
    [ -n "${BERTH_DATA_DIR:-}" ] || printf 'BERTH_DATA_DIR=%s\n' "$(quoted "$data")"
    # What somebody added by hand stays.
    if [ -r "$settings" ]; then
      while IFS= read -r line || [ -n "$line" ]; do
        case " $kept BERTH_DATA_DIR " in *" ${line%%=*} "*) ;; *) printf '%s\n' "$line" ;; esac
      done <"$settings"
    fi
  } | write_file "$settings" 600
}

write_service() {
  if has_systemd; then
    write_file "$unit" 644 <<UNIT
[Unit]
Description=Berth
After=network-online.target docker.service
Wants=network-online.target

[Service]
EnvironmentFile=$settings
ExecStart=$root/current/bin/berth-supervisor
Restart=always
RestartSec=1
# The supervisor ends the server itself.
KillMode=mixed
TimeoutStopSec=60
LimitNOFILE=65536
ProtectSystem=full
ProtectHome=read-only
ProtectClock=true
ProtectHostname=true
ProtectKernelTunables=true
ProtectKernelModules=true
ProtectControlGroups=false
LockPersonality=true
RestrictRealtime=true
RestrictSUIDSGID=true
SystemCallArchitectures=native
CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW CAP_NET_BIND_SERVICE CAP_SETUID CAP_SETGID CAP_CHOWN CAP_FOWNER CAP_DAC_OVERRIDE CAP_KILL CAP_SYS_PTRACE

[Install]
WantedBy=multi-user.target
UNIT
    do_it systemctl daemon-reload
    do_it systemctl enable -q berth
  else
    write_file "$script" 755 <<SCRIPT
#!/bin/sh
### BEGIN INIT INFO
# Provides: berth
# Required-Start: \$network \$remote_fs
# Required-Stop: \$network \$remote_fs
# Default-Start: 2 3 4 5
# Default-Stop: 0 1 6
# Short-Description: Berth
### END INIT INFO
is_up() { [ -r $pid_file ] && kill -0 "\$(cat $pid_file)" 2>/dev/null; }
case "\$1" in
  start)
    is_up && exit 0
    set -a && . $settings && set +a
    umask 077 # the log has the link to create the owner
    [ ! -e $log_file ] || mv -f $log_file $log_file.1
    # Started again when it ends, as a service manager would.
    setsid sh -c 'echo \$\$ >$pid_file; trap "kill \\\$child; wait \\\$child; exit 0" TERM; while :; do $root/current/bin/berth-supervisor & child=\$!; wait \$child; sleep 1; done' >>$log_file 2>&1 </dev/null &
    ;;
  stop)
    is_up || exit 0
    pid=\$(cat $pid_file)
    kill "\$pid"
    n=0
    while kill -0 "\$pid" 2>/dev/null && [ \$n -lt 60 ]; do sleep 1; n=\$((n + 1)); done
    rm -f $pid_file
    ;;
  restart) "\$0" stop && "\$0" start ;;
  status) is_up ;;
  *) echo "usage: \$0 start|stop|restart|status" >&2; exit 2 ;;
esac
SCRIPT
    has update-rc.d && do_it update-rc.d berth defaults >/dev/null
  fi
  do_it mkdir -p /usr/local/bin
  do_it ln -sfn "$root/current/bin/berth" /usr/local/bin/berth
  write_file /usr/local/bin/berth-server 755 <<PROGRAM
#!/bin/sh
# Runs a command of Berth with the settings of the installation; variables that are set already count more.
if [ ! -r $settings ]; then echo 'berth-server: run it as root, such as with sudo' >&2; exit 1; fi
given=\$(export -p)
set -a
. $settings
set +a
eval "\$given"
exec "$root/current/bin/berth-server" "\$@"
PROGRAM
}

service() {
  if has_systemd; then do_it systemctl "$1" berth; else do_it "$script" "$1"; fi
}

switch_to() {
  do_it ln -sfn "releases/$1" "$root/current.new"
  do_it mv -T "$root/current.new" "$root/current"
}

wait_until_healthy() { # version
  [ "$dry_run" = no ] || return 0
  n=0
  while [ $n -lt 120 ]; do
    healthy "$1" && return 0
    sleep 1
    n=$((n + 1))
  done
  return 1
}

# The copy has its name only once it is whole, and one that is there is never overwritten: it may be all that is left.
copy_data() { # version
  [ "$dry_run" = no ] || { say "      would copy the database to: $copy"; return; }
  rm -rf "$copy.new"
  mkdir -p -m 700 "$copy.new"
  for file in "$data"/berth.sqlite "$data"/berth.sqlite-wal "$data"/*.key; do [ ! -e "$file" ] || cp -p "$file" "$copy.new/"; done
  printf '%s\n' "$1" >"$copy.new/version"
  sync
  mv "$copy.new" "$copy"
}

# Can be repeated from its beginning, which a later run does if this one is interrupted. The copy goes before Berth starts: from then on the
# data is newer.
return_to() { # version
  touch "$copy/returning"
  for file in "$copy"/berth.sqlite* "$copy"/*.key; do
    [ ! -e "$file" ] || cp -p "$file" "$data/$(basename "$file").returning"
  done
  sync
  rm -f "$data/berth.sqlite-wal" "$data/berth.sqlite-shm"
  for file in "$data"/*.returning; do [ ! -e "$file" ] || mv "$file" "${file%.returning}"; done
  switch_to "$1"
  sync
  rm -rf "$copy"
}

end_open_update() {
  update_is_open || return 0
  service stop
  do_it env BERTH_DATA_DIR="$data" "$root/releases/$version/bin/berth-server" end-update
}

# An older version is stopped and its database copied, so that it can come back.
start_berth() {
  end_open_update
  if [ -e "$copy/returning" ]; then
    say '      An earlier run was interrupted on its way back; finishing that first.'
    service stop
    [ "$dry_run" = yes ] || return_to "$(cat "$copy/version")"
  fi
  before=$(installed_version)
  if [ -n "$before" ] && [ "$before" = "$version" ] && is_running; then
    do_it rm -rf "$copy"
    say "      Berth $version is running."
    return
  fi
  # One that an earlier run left may be older than the data, so it is not gone back to without asking.
  is_fresh=no
  if [ -n "$before" ]; then
    service stop
    [ -e "$copy" ] || { copy_data "$before"; is_fresh=yes; }
  fi
  switch_to "$version"
  service start
  if wait_until_healthy "$version"; then do_it rm -rf "$copy"; return; fi
  service stop
  [ "$is_fresh" = yes ] || [ ! -e "$copy" ] || fail "Berth $version does not answer on port $port; $(where_the_log_is). The data of Berth $(cat "$copy/version") from before an earlier run is in $copy"
  [ -n "$before" ] && [ "$before" != "$version" ] || { rm -rf "$copy"; fail "Berth does not answer on port $port; $(where_the_log_is)"; }
  return_to "$before"
  service start
  fail "Berth $version does not answer on port $port, so Berth $before runs again; $(where_the_log_is)"
}

where_the_log_is() { if has_systemd; then echo 'see journalctl -u berth'; else echo "see $log_file"; fi; }
# Since the service was started: what is older may have a link that is no longer valid.
log_since_start() {
  if has_systemd; then journalctl "_SYSTEMD_INVOCATION_ID=$(systemctl show -p InvocationID --value berth)" --no-pager -o cat; else cat "$log_file"; fi
}
# It answers a moment before it says so.
setup_link() {
  n=0
  while [ $n -lt 30 ] && ! log_since_start | grep -q 'Berth listens on'; do sleep 1; n=$((n + 1)); done
  log_since_start | sed -n 's|.*\(/setup#token=[A-Za-z0-9_-]*\).*|\1|p' | tail -n 1
}

# Of this machine, not those of containers' networks.
addresses() {
  "$root/current/bin/node" -e '
    const [, host] = process.argv
    const isPrivate = /^(10|127|192\.168|169\.254|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./
    const found = Object.entries(require("node:os").networkInterfaces())
      .filter(([name]) => !/^(lo|docker|br-|veth)/.test(name))
      .flatMap(([, each]) => each.filter(({ family }) => family === "IPv4").map(({ address }) => address))
    const shown = host !== "" ? [host] : found.length > 0 ? found : ["127.0.0.1"]
    for (const address of shown) console.log(isPrivate.test(address) ? "private" : "public", address)' "$(case ${HOST:-0.0.0.0} in 0.0.0.0 | ::) ;; *) printf '%s' "$HOST" ;; esac)"
}

report() {
  say ''
  if [ "$dry_run" = yes ]; then say 'Nothing was changed.'; else say "Berth $version is running."; fi
  link=''
  [ "$dry_run" = yes ] || link=$(setup_link)
  [ "$dry_run" = yes ] || addresses | while read -r kind address; do
    say "  $(printf '%-16s' "$kind address") http://$address:$port$link"
  done
  [ -z "$link" ] || say '  The link creates the owner. It works once.'
  say "  settings         $settings"
  say "  data             $data"
}

install() {
  step 'Checking this machine'; preflight
  step "Getting Berth $version for $platform"; fetch_archive
  step 'Docker and packages'; install_packages
  step "Unpacking into $root"; unpack
  step 'Settings and service'; write_settings; write_service
  step 'Starting'; start_berth
  step 'Done'; report
}

uninstall() {
  [ "$(id -u)" = 0 ] || fail 'run it as root, such as with sudo'
  has_data=no
  # On PostgreSQL there is the file "database" instead.
  { [ -e "$data/berth.sqlite" ] || [ -e "$data/database" ]; } && [ -x "$root/current/bin/berth-server" ] && has_data=yes
  volumes=''
  [ "$delete_volumes" = no ] || volumes=--volumes
  database_url=${BERTH_DATABASE_URL:-$(sed -n 's/^BERTH_DATABASE_URL=//p' "$settings" 2>/dev/null || true)}
  clear_machine() {
    env PORT="$port" BERTH_DATA_DIR="$data" ${DOCKER_HOST:+DOCKER_HOST="$DOCKER_HOST"} ${database_url:+BERTH_DATABASE_URL="$database_url"} \
      "$root/current/bin/berth-server" clear-machine $volumes "$@"
  }
  say 'This is removed:'
  for path in "$root" "$settings" "$unit" "$script" /usr/local/bin/berth /usr/local/bin/berth-server "$log_file" "$log_file.1" "$pid_file"; do
    if [ -e "$path" ] || [ -L "$path" ]; then say "  $path"; fi
  done
  in_engine=yes
  if [ "$has_data" = yes ]; then
    listed=$(clear_machine --list 2>/dev/null) || in_engine=no
    printf '%s\n' "$listed" | sed 's/^/  /'
  fi
  if [ "$delete_data" = yes ]; then say "  $data"; fi
  say 'This stays:'
  [ "$delete_data" = yes ] || say "  $data (removed with --delete-data)"
  [ "$delete_volumes" = yes ] || say '  the volumes of apps (removed with --delete-volumes)'
  [ "$in_engine" = yes ] || say '  what is in Docker, because it does not answer'
  say '  Docker, images that it pulled for apps, and packages that were installed'
  [ "$dry_run" = no ] || return 0
  if [ "$yes" = no ]; then
    printf 'Go on? [y/N] '
    read -r answer
    [ "$answer" = y ] || fail 'nothing was changed'
  fi
  if has_systemd; then systemctl disable -q --now berth 2>/dev/null || true; elif [ -x "$script" ]; then "$script" stop; fi
  [ "$has_data" = no ] || clear_machine || true # it says what was not possible
  rm -f "$unit" "$settings" "$log_file" "$log_file.1" "$pid_file" /usr/local/bin/berth /usr/local/bin/berth-server
  rmdir "$(dirname "$settings")" 2>/dev/null || true
  if [ -e "$script" ]; then rm -f "$script"; if has update-rc.d; then update-rc.d berth remove >/dev/null; fi; fi
  if has_systemd; then systemctl daemon-reload; fi
  rm -rf "$root/releases" "$root/current" "$root/current.new"
  rmdir "$root" 2>/dev/null || true
  [ "$delete_data" = no ] || rm -rf "$data" "$data.restoring"
  say 'Berth is removed.'
}

$command

#!/bin/sh
# The machine of try-install.sh: the first process of its namespaces, with systemd or without.
set -eu
release=$1
rootfs=$2
kind=$3
nameserver=${4:-}

mount --make-rprivate /
ip link set lo up
mount --bind "$rootfs" "$rootfs"
mount -t proc proc "$rootfs/proc"
mount -t sysfs sysfs "$rootfs/sys"
mount -t cgroup2 cgroup2 "$rootfs/sys/fs/cgroup"
for directory in run tmp; do mount -t tmpfs tmpfs "$rootfs/$directory"; done
if [ -n "$nameserver" ]; then
  echo "nameserver $nameserver" >"$rootfs/run/resolv.conf"
  touch "$rootfs/etc/resolv.conf"
  mount --bind "$rootfs/run/resolv.conf" "$rootfs/etc/resolv.conf"
fi
mount -t tmpfs -o mode=755 tmpfs "$rootfs/dev"
for device in null zero full random urandom tty; do
  touch "$rootfs/dev/$device"
  mount --bind "/dev/$device" "$rootfs/dev/$device"
done
mkdir "$rootfs/dev/pts" "$rootfs/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$rootfs/dev/pts"
ln -s pts/ptmx "$rootfs/dev/ptmx"
mount -t tmpfs tmpfs "$rootfs/dev/shm"
mkdir -p "$rootfs/mnt/release" "$rootfs/mnt/old"
mount --bind -o ro "$release" "$rootfs/mnt/release"
cd "$rootfs"
pivot_root . mnt/old
umount -l /mnt/old
rmdir /mnt/old
export container=berth PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
touch /mnt/first
if [ "$kind" = systemd ]; then exec /lib/systemd/systemd --system --log-target=null --unit=multi-user.target; fi
trap 'exit 0' TERM
while :; do sleep 1; done

#!/bin/sh
# Builds the image of the sandbox `container` from Debian packages of this host's release, without pulling an image.
#
# The packages come through apt, with the sources and the signatures that this host trusts; none of their scripts run.
# Needs: a Debian host, podman or docker. Example: container/build.sh
set -eu

image=localhost/faultline-sandbox:1
packages="libc-bin dash coreutils findutils grep sed procps python3 python3-minimal libffi8 zlib1g libbz2-1.0 liblzma5 libssl3 libuuid1 libstdc++6 libgcc-s1"
engine=${1:-$(command -v podman || command -v docker)}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/packages" "$work/rootfs"
# Everything that the packages depend on, but not what they merely recommend.
names=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
    $packages | grep '^[a-z0-9]' | sort -u)
# Without names that are only provided by others, and without what serves scripts that do not run here.
real=$(apt-cache show --no-all-versions $names 2>/dev/null | sed -n 's/^Package: //p' | sort -u \
    | grep -vE '^(debconf|perl|libperl|dpkg$|tar$)')
(cd "$work/packages" && apt-get download -q $real >/dev/null)

for folder in bin sbin lib lib64; do
    mkdir -p "$work/rootfs/usr/$folder"
    ln -s "usr/$folder" "$work/rootfs/$folder"
done
for package in "$work"/packages/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$work/rootfs" --keep-directory-symlink --no-same-owner
done
ln -sf dash "$work/rootfs/usr/bin/sh"
rm -rf "$work/rootfs/usr/share/doc" "$work/rootfs/usr/share/man" "$work/rootfs/usr/share/locale" "$work/rootfs/var/cache"
mkdir -p "$work/rootfs/proc" "$work/rootfs/sys" "$work/rootfs/dev" "$work/rootfs/tmp" "$work/rootfs/run/modules" \
    "$work/rootfs/candidate" "$work/rootfs/workspace" "$work/rootfs/agent"
chmod 1777 "$work/rootfs/tmp"
tar -C "$work/rootfs" --sort=name --mtime=@0 --numeric-owner --owner=0 --group=0 -cf "$work/rootfs.tar" .
cp "$here/Containerfile" "$work/"
"$engine" build --pull=never --tag "$image" "$work" 2>/dev/null || "$engine" build --tag "$image" "$work"

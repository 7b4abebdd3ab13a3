#!/bin/sh
# Installs this archive: ./install.sh [PREFIX]; /usr/local for root, ~/.local for others. It also runs where it is: bin/svc.
set -eu
cd "$(dirname "$0")"
needed=2.36

if [ "$(uname -sm)" != "Linux x86_64" ]; then
  echo "install: svc needs Linux on x86-64; this is $(uname -sm)" >&2
  exit 1
fi
found="$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d' ' -f2)"
if [ -z "$found" ] || [ "$(printf '%s\n%s\n' "$needed" "$found" | sort -V | head -n 1)" != "$needed" ]; then
  echo "install: svc needs glibc $needed or newer; this system has ${found:-another C library}" >&2
  exit 1
fi

if [ "$(id -u)" = 0 ]; then prefix="${1:-/usr/local}"; else prefix="${1:-$HOME/.local}"; fi
mkdir -p "$prefix"
cp -R bin share "$prefix"/
echo "svc is in $prefix/bin; to remove it: (cd '$prefix' && xargs rm -f) <'$PWD/files'"

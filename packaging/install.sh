#!/bin/sh
# Installs this archive: ./install.sh [PREFIX]; /usr/local for root, ~/.local for others. It also runs where it is: bin/svc.
set -eu
unset CDPATH
umask 022  # what is installed is for everybody
needed=2.36
usage='usage: ./install.sh [PREFIX]'

case "${1:-}" in
  -h | --help) echo "$usage"; exit 0 ;;
  -*) echo "install: unknown option $1; $usage" >&2; exit 2 ;;
esac
[ $# -le 1 ] || { echo "install: $usage" >&2; exit 2; }
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
prefix="$(cd "$prefix" && pwd)"
cd "$(dirname "$0")"
while IFS= read -r file; do
  mkdir -p "$prefix/$(dirname "$file")"
  # Renamed into place: a program that runs cannot be written to.
  cp "$file" "$prefix/$file.new"
  chmod u=rwX,go=rX "$prefix/$file.new"
  mv -f "$prefix/$file.new" "$prefix/$file"
done <files
echo "svc is in $prefix/bin; to remove it: (cd '$prefix' && xargs rm -f) <'$PWD/files'"

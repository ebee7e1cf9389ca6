#!/bin/sh
# Prints what the real kernel answers on the hosts: everything on one of each
# vendor, the differences on the rest.  Takes about six minutes.
#   observe/record.sh [KERNEL RELEASE] > observations.md
set -eu
run="./run ${1:+--kernel $1}"
cd "$(dirname "$0")/.."
python=/usr/bin/python3.11
library=$(mktemp --suffix .zip)
trap 'rm -f "$library"' EXIT
$python observe/make_python.py "$library"

observe() { # HOST [SECTIONS]
	printf '\n## Host %s\n' "$1"
	host=$1
	shift
	$run --host "$host" --timeout 600 --files "$library" --files observe \
		--env PYTHONPATH="$library" --env PYTHONHOME=/ -- $python -S observe/observe.py "$@"
}

cat observe/introduction.md
$run --host amd-12ccd-nps2 -- uname -rv
observe amd-12ccd-nps2
observe intel-2socket
for host in cat-only mba-only mon-only few-closids cdp no-rdt; do
	observe $host limited
done

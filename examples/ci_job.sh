#!/usr/bin/env bash
# Tests a bot as a CI job does: ci_job.sh BOT [ARGUMENT...]. The bot is to end short 0.5 BTC, also when the answer to its order is lost.
set -euo pipefail
if [ -z "${CI_JOB_INSIDE:-}" ]; then  # once more, inside a sandbox that ends with this script
  home="$(mktemp -d)"
  trap 'rm -rf "$home"' EXIT
  (umask 077 && echo 'a password of this run only' >"$home/password")
  HOME="$home" CI_JOB_INSIDE=yes SVC_PASSWORD_FILE="$home/password" svc local run --flow none --log none -- "$0" "$@"
  exit
fi

for name in street bot; do
  svc -q keystore new "$name"
  svc -q login --wallet "$name"
  svc -q keys create
  svc -q deposits submit --amount 50000
done >/dev/null
svc -q --signer street buy 2 BTC-USDX-PERP @ 59990 >/dev/null
svc -q --signer street sell 2 BTC-USDX-PERP @ 60010 >/dev/null

svc -q local fault add --route '/orders' --method POST --drop-after-send --count 1 >/dev/null
"$@"

check() {  # WHAT EXPECTED ACTUAL
  if [ "$2" = "$3" ]; then echo "ok: $1"; else echo "not ok: $1: expected $2, got $3" >&2; exit 1; fi
}
check 'the position is what was asked for' 'Short 0.5' "$(svc positions list --no-header --fields side,size | tr '\t' ' ')"
check 'one order was sent, and no second one' 1 "$(svc local requests --route place_order --jq '[.data[] | select(.account != null)] | length - 2')"
check 'nothing is left open' 0 "$(svc orders list --jq '.data | length')"
check 'the books are sound' 0 "$(svc local invariants --jq '.data.violations | length')"

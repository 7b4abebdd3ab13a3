#!/usr/bin/env bash
# Keeps a short position of TARGET base units in one market, whatever was filled, missed or closed since the last run:
#
#   */5 * * * *  SVC_NETWORK=local roll_hedge.sh BTC-USDX-PERP 0.5
#
# Exit code: 0 the hedge stands, 75 try again at the next run, anything else wants a person.
set -euo pipefail
market="$1" target="$2"

# Decimals as millionths, so that the difference is exact.
millionths() {
  local whole="${1%%.*}" part=000000
  [[ "$1" != *.* ]] || part="${1#*.}000000"
  echo $((10#$whole$(cut -c1-6 <<<"$part")))
}
decimal() { printf '%d.%06d\n' $(($1 / 1000000)) $(($1 % 1000000)); }

# How much of the hedge is missing, in millionths; below 0: it is too large.
missing_now() {
  local rows side size held
  rows="$(svc -q -o tsv --no-header --fields side,size positions list --market "$market")" || return
  read -r side size <<<"${rows:-Short 0}"
  held="$(millionths "$size")"
  [ "$side" = Short ] || held=$((-held))
  echo $(($(millionths "$target") - held))
}
# Limited, unavailable, halted: nothing happened, and it may work later. The rest wants a person.
leave() { case "$1" in 9 | 10 | 13) exit 75 ;; *) exit "$1" ;; esac; }
missing="$(missing_now)" || leave $?
[ "$missing" -ne 0 ] || exit 0

side=sell
[ "$missing" -gt 0 ] || { side=buy; missing=$((-missing)); }
# The id names this minute and this order: should cron start it twice, the second is recognised as the first (exit 6).
id="hedge-${market%%-*}-$(date -u +%Y%m%dT%H%M)-$side-$missing"
status=0
svc -q "$side" "$(decimal "$missing")" "$market" --max-slippage-bps 50 --client-id "$id" || status=$?
case "$status" in
  0 | 6) ;;
  11) svc -q orders get --client-id "$id" || exit 75 ;;  # unknown: look, never send again
  *) leave "$status" ;;
esac
[ "$(missing_now)" = 0 ] || exit 75  # the book may not have taken all of it

#!/usr/bin/env bash
# Quotes both sides of a market around the mark price: market_maker.sh MARKET SIZE [ROUNDS]. Without ROUNDS until Ctrl-C.
set -euo pipefail
market="$1" size="$2" rounds="${3:-0}"
prefix="mm$$-"

withdraw() { svc -q orders cancel-all --market "$market" --client-id-prefix "$prefix" >/dev/null; }
trap withdraw EXIT
# With a trap of its own a signal waits for the command under way, so that no order comes after the withdrawal.
trap 'exit 130' INT
trap 'exit 143' TERM

quote() {  # SIDE PRICE
  local status=0
  svc -q "$1" "$size" "$market" @ "$2" --post-only --client-id "$prefix$1-$round" || status=$?
  case "$status" in
    0 | 7) ;;                                   # resting; or the market moved through the quote
    9 | 10 | 11) sleep 1 ;;                     # the next round begins by cancelling what may be there
    12) echo "no margin left for $1" >&2 ;;     # quote one side only
    13) echo "$market is halted" >&2; exit 0 ;;
    *) exit "$status" ;;
  esac
}

for ((round = 1; rounds == 0 || round <= rounds; round++)); do
  quote buy mark-5bps
  quote sell mark+5bps
  [ "$round" -eq "$rounds" ] || sleep 2
  withdraw
done

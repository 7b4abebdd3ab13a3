# bash completion for svc. Load it with: source <(svc completion bash)
_svc() {
  local words=() line text i
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == "=" && ${#words[@]} -gt 0 && ${words[-1]} == --* ]]; then
      words[-1]+="="
    elif [[ ${#words[@]} -gt 0 && ${words[-1]} == --*= ]]; then
      words[-1]+="${COMP_WORDS[i]}"
    else
      words+=("${COMP_WORDS[i]}")
    fi
  done
  local typed="${words[-1]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ":files" ]]; then
      compopt -o default
      continue
    fi
    text="${line%%$'\t'*}"
    [[ $typed == --*=* ]] && text="${text#*=}"
    # A client id may hold what the shell would run.
    printf -v text '%q' "$text"
    COMPREPLY+=("$text")
  done < <("${COMP_WORDS[0]}" __complete -- "${words[@]}" 2>/dev/null)
}
complete -F _svc svc

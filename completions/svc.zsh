#compdef svc
# zsh completion for svc. Load it with: source <(svc completion zsh)
_svc() {
  local -a lines described
  local line text about
  lines=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    if [[ $line == ":files" ]]; then
      _files
      continue
    fi
    text="${line%%$'\t'*}"
    about="${line#*$'\t'}"
    described+=("${text//:/\\:}:${about}")
  done
  (( ${#described} )) && _describe -V 'svc' described
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi

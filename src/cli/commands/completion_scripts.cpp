#include "cli/commands/completion_scripts.h"

#include "base/assert.h"

namespace svc::cli {
namespace {

// Each line of the answer is a word, a tab and what it means; ":files" asks for names of files.

// bash breaks words at '='; they are put together again, and the part before it is left out of the replies.
constexpr std::string_view bash = R"(# bash completion for svc. Load it with: source <(svc completion bash)
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
    COMPREPLY+=("$text")
  done < <("${COMP_WORDS[0]}" __complete -- "${words[@]}" 2>/dev/null)
}
complete -F _svc svc
)";

constexpr std::string_view zsh = R"(#compdef svc
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
)";

constexpr std::string_view fish = R"(# fish completion for svc. Load it with: svc completion fish | source
function __svc_complete
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  set -l typed (commandline -ct)
  for line in ($program __complete -- $words "$typed" 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path "$typed"
    else
      printf '%s\n' "$line"
    end
  end
end
complete -c svc -f -k -a '(__svc_complete)'
)";

}  // namespace

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return bash;
  if (shell == "zsh") return zsh;
  SVC_ASSERT(shell == "fish");
  return fish;
}

}  // namespace svc::cli

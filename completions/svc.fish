# fish completion for svc. Load it with: svc completion fish | source
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

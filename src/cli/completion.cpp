// mtfc completion: what shells need to complete command lines of mtfc.
#include "cli/complete.h"
#include "cli/options/commands.h"
#include "cli/options/words.h"
#include "cli/session/session.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

constexpr const char* for_bash = R"(# In ~/.bashrc: source <(mtfc completion bash)
_mtfc() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null))
  case ${COMPREPLY[0]-} in *[=:]) compopt -o nospace 2>/dev/null ;; esac
}
complete -o default -o bashdefault -F _mtfc mtfc
)";

constexpr const char* for_zsh = R"(#compdef mtfc
# In ~/.zshrc, after compinit: source <(mtfc completion zsh)
_mtfc() {
  local -a found
  found=("${(@f)$("${words[1]}" completion words -- "${(@)words[1,CURRENT]}" 2>/dev/null)}")
  if [[ -z "${found[1]}" ]]; then
    _files
  elif [[ "${found[1]}" == *[=:] ]]; then
    compadd -S '' -- "${found[@]}"
  else
    compadd -- "${found[@]}"
  fi
}
compdef _mtfc mtfc
)";

constexpr const char* for_fish = R"(# In config.fish: mtfc completion fish | source
function __mtfc_words
  mtfc completion words -- (commandline -opc) (commandline -ct) 2>/dev/null
end
complete -c mtfc -a '(__mtfc_words)'
)";

}  // namespace

int completion(Session& session) {
  const std::vector<std::string>& names = session.options.names;
  const std::string& shell = names.front();
  if (shell == "words") {
    const std::vector<std::string> words = completions({names.begin() + 1, names.end()});
    for (const std::string& word : words) session.print(word + "\n");
    return session.finish(exit_done, {{"words", json_list(words)}});
  }
  const char* script = shell == shells::bash   ? for_bash
                       : shell == shells::zsh  ? for_zsh
                       : shell == shells::fish ? for_fish
                                               : nullptr;
  if (!script || names.size() > 1)
    return session.usage_error("there is no completion for " + backquoted(shell, 40),
                               "the shells are " + series(shells::all, "and"));
  session.print(script);
  return session.finish(exit_done, {{"text", json(script)}});
}

}  // namespace mtfc::cli

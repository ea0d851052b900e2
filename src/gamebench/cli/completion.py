"""``gamebench completion``: the script that makes a shell complete commands, options and names."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from gamebench.cli.application import command

VARIABLE = "_GAMEBENCH_COMPLETE"
"""Environment variable with the name of a shell; if set, ``gamebench`` prints completions of its arguments."""


class Shell(StrEnum):
    """Shells that have a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


# The first line of an answer says whether files complete the word if nothing else does. In bash $2 is the text that
# is replaced, which may be a part of the word; answers are quoted for it. The other shells quote by themselves.
SCRIPTS = {
    Shell.BASH: """\
_gamebench() {
    local line kind=""
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
    done < <(_GAMEBENCH_COMPLETE=bash "$1" "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
    if [[ $kind == names ]]; then compopt +o default 2>/dev/null; fi
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _gamebench gamebench
""",
    Shell.ZSH: """\
#compdef gamebench
_gamebench() {
    local line
    local -a lines values shown open_values open_shown
    lines=("${(@f)$(_GAMEBENCH_COMPLETE=zsh $words[1] "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    for line in "${(@)lines[2,-1]}"; do
        if [[ ${line%%$'\\t'*} == *= ]]; then
            open_values+=("${line%%$'\\t'*}"); open_shown+=("${line/$'\\t'/  -- }")
        else
            values+=("${line%%$'\\t'*}"); shown+=("${line/$'\\t'/  -- }")
        fi
    done
    if (( $#values + $#open_values )); then
        (( $#values )) && compadd -l -M 'm:{a-z}={A-Z}' -d shown -a values
        (( $#open_values )) && compadd -l -S '' -d open_shown -a open_values
    elif [[ $lines[1] == files ]]; then
        _files
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _gamebench "$@"; else compdef _gamebench gamebench; fi
""",
    Shell.FISH: """\
function __gamebench_complete
    set -l words (commandline -opc)
    set -l last (string unescape -- (commandline -ct); or commandline -ct)
    set -l lines (env _GAMEBENCH_COMPLETE=fish $words[1] $words[2..-1] "$last" 2>/dev/null)
    if test (count $lines) -gt 1
        printf '%s\\n' $lines[2..-1]
    else if test "$lines[1]" = files
        __fish_complete_path (commandline -ct)
    end
end
complete --command gamebench --no-files --arguments '(__gamebench_complete)'
""",
}


@command(
    "completion",
    'eval "$(gamebench completion bash)"                          # in ~/.bashrc',
    'eval "$(gamebench completion zsh)"                           # in ~/.zshrc, after compinit',
    "gamebench completion fish > ~/.config/fish/completions/gamebench.fish",
)
def completion_command(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="Shell that you use.")]) -> None:
    """Print the script for tab completion in bash, zsh or fish. It completes commands, options and names."""
    sys.stdout.write(SCRIPTS[shell])

"""``textkin completion``."""

from __future__ import annotations

from typing import Annotated, Literal

from textkin.base.options import Option
from textkin.cli.completion_candidates import COMPLETE
from textkin.cli.output import emit_text

EXAMPLES = """
textkin completion bash > ~/.local/share/bash-completion/completions/textkin
textkin completion zsh > ~/.zfunc/_textkin
textkin completion fish > ~/.config/fish/completions/textkin.fish
"""

_SCRIPTS = {
    # A word that nothing completes is left to the shell, which knows files.
    "bash": """
_textkin() {
    local IFS=$'\\n'
    local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
    COMPREPLY=($(VARIABLE=bash "${COMP_WORDS[0]}" "${words[@]}" 2>/dev/null))
}
complete -o default -o bashdefault -F _textkin textkin
""",
    "zsh": """
#compdef textkin
_textkin() {
    local -a found
    found=("${(@f)$(VARIABLE=zsh "${words[1]}" "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${found[1]}" ]]; then
        _describe -V textkin found
    else
        _files
    fi
}
if [[ "${funcstack[1]}" == _textkin ]]; then _textkin "$@"; else compdef _textkin textkin; fi
""",
    "fish": """
function __textkin
    set -l words (commandline -opc) (commandline -ct)
    set -l found (VARIABLE=fish $words 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete --command textkin --no-files --arguments '(__textkin)'
""",
}


def command(
    shell: Annotated[Literal["bash", "zsh", "fish"], Option("bash, zsh or fish.", metavar="SHELL")],
    /,
) -> None:
    """Print a script that completes commands, options and names.

    Commands, options, the values that they can have, recipes, formats,
    baselines and the built-in models are completed, and files as usual.
    """
    emit_text(_SCRIPTS[shell].strip().replace("VARIABLE", COMPLETE))

"""`miranda completion`: what a shell completes."""

from __future__ import annotations

BASH = """\
_miranda() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{commands} --help --version" -- "$word"))
    return
  fi
  case "$command" in
{cases}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -d -- "$word")) ;;
  esac
}}
complete -o filenames -F _miranda miranda
"""

ZSH = """\
#compdef miranda
_miranda() {{
  local -a commands options
  commands=(
{commands}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
{cases}
  esac
  if [[ "$words[CURRENT]" == -* ]]; then
    compadd -- $options
  else
    _files -/
  fi
}}
compdef _miranda miranda
"""


def script(shell: str, commands: dict[str, tuple[str, list[str]]]) -> str:
    """`commands` has the help and the options of each command. `completion` completes the shells."""
    if shell == "bash":
        cases = "\n".join(f'    {name}) options="{" ".join(options)}" ;;' for name, (_, options) in commands.items())
        return BASH.format(commands=" ".join(commands), cases=cases)
    described = "\n".join(f"    '{name}:{quoted(words)}'" for name, (words, _) in commands.items())
    cases = "\n".join(f"    {name}) options=({' '.join(options)}) ;;" for name, (_, options) in commands.items())
    return ZSH.format(commands=described, cases=cases)


def quoted(words: str) -> str:
    return words.replace("'", "'\\''").replace(":", "\\:")

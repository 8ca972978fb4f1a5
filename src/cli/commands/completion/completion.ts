import { type Command, Option } from 'commander';
import { catalogue } from '../../../protocols/index.ts';
import type { ShellName } from './command.ts';

type Shell = (program: Command) => string;

/** Every command with its flags, from the declarations that parse them; one with subcommands, with those and theirs. */
function wordsOf(program: Command): readonly { readonly name: string; readonly flags: readonly string[] }[] {
  return program.commands.map((command) => ({
    name: command.name(),
    flags: [
      ...command.commands.map((each) => each.name()),
      ...new Set(
        [command, ...command.commands]
          .flatMap(({ options }) => [...options, new Option('-h, --help')])
          .map(({ long, short }) => long ?? short!),
      ),
    ],
  }));
}

const protocols = Object.keys(catalogue).join(' ');

const bash: Shell = (program) => {
  const commands = wordsOf(program);
  const cases = commands.map(({ name, flags }) => `    ${name}) words="${flags.join(' ')}" ;;`);
  return `_caucus() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "$before" in
    --protocol|check|protocols) COMPREPLY=($(compgen -W "${protocols}" -- "$word")); return ;;
    --data|--config|--record|--trace|--scenario|--shrink) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -f -- "$word"))
}
complete -F _caucus caucus
`;
};

/** zsh reads the completions of bash. */
const zsh: Shell = (program) => `autoload -U +X bashcompinit && bashcompinit\n${bash(program)}`;

const fish: Shell = (program) => {
  const lines = program.commands.flatMap((command) => {
    const name = command.name();
    const only = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c caucus -n __fish_use_subcommand -f -a ${name} -d '${quoted(command.summary())}'`,
      ...command.options.map(
        ({ long, description }) =>
          `complete -c caucus ${only} -l ${long!.slice(2)} -d '${quoted(description)}'`,
      ),
    ];
  });
  return `${lines.join('\n')}\ncomplete -c caucus -l protocol -x -a '${protocols}'\n`;
};

const quoted = (text: string): string => text.replaceAll("'", "\\'");

const SCRIPTS: Readonly<Record<ShellName, Shell>> = { bash, zsh, fish };

/** The script with which a shell completes the commands and flags of caucus. */
export function completionScript(shell: ShellName, program: Command): string {
  return SCRIPTS[shell](program);
}

import type { Command } from 'commander';
import { Refusal } from '../../input/refusal.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof SHELLS)[number];

/** `caucus completion`: prints a completion script for a shell. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('print a completion script for your shell')
    .description('Prints a script with which a shell completes the commands and flags of caucus.')
    .argument('<SHELL>', SHELLS.join(', '))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(caucus completion bash)
  $ caucus completion zsh >> ~/.zshrc
  $ caucus completion fish > ~/.config/fish/completions/caucus.fish`,
    )
    .action(async (name: string) => {
      const shell = SHELLS.find((each) => each === name);
      if (shell === undefined)
        throw new Refusal(`SHELL: expected one of ${SHELLS.join(', ')}, found ${JSON.stringify(name)}`);
      const { completionScript } = await import('./completion.ts');
      process.stdout.write(completionScript(shell, program));
    });
}

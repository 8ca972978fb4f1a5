import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAsking } from './commands/ask/command.ts';
import { addCert } from './commands/cert/command.ts';
import { addCheck } from './commands/check/command.ts';
import { addCompletion } from './commands/completion/command.ts';
import { addDoctor } from './commands/doctor/command.ts';
import { addMember } from './commands/member/command.ts';
import { addNode } from './commands/node/command.ts';
import { addOnce } from './commands/once/command.ts';
import { addPlay } from './commands/play/command.ts';
import { addRecover } from './commands/recover/command.ts';
import { addRun } from './commands/run/command.ts';
import type { SimulateFlags } from './commands/simulate/flags.ts';
import { addUp } from './commands/up/command.ts';
import { addWitness } from './commands/witness/command.ts';
import { oneLine, Refusal } from './input/refusal.ts';
import { collect, tooMany } from './input/values.ts';

/** Two folders up, from the source and from the compiled code. */
const PACKAGE = new URL('../../package.json', import.meta.url);

/** The commands, their flags and their help. What a command does is loaded when it is called, so that all start fast. */
export function createProgram(): Command {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };
  const program = new Command('caucus')
    .description('Leader elections: run them, ask them, simulate and check them.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(`caucus: ${oneLine(text.replace(/^error: /, ''))}\n`),
    })
    .addHelpText(
      'after',
      `
Examples:
  $ caucus up                                      a cluster of five on this machine, to try it
  $ caucus play --open                             elections in your browser, to watch and to break
  $ caucus run --config member.json -- ./job.sh    a command that runs only on the leader
  $ caucus once --key 2026-11-16 --engine local: -- ./report.sh    once for a day, on one of all machines
  $ caucus leader                                  print the leader's name
  $ caucus simulate                                a leader dies and comes back, in virtual time
  $ caucus simulate --protocol epoch --runs 1000   the same from 1000 seeds
  $ caucus protocols epoch                         its settings and its promises`,
    );
  addUp(program);
  addPlay(program);
  addNode(program);
  addRun(program);
  addOnce(program);
  addAsking(program);
  addMember(program);
  addDoctor(program);
  addWitness(program);
  addRecover(program);
  addCert(program);
  addSimulate(program);
  addCheck(program);
  addProtocols(program);
  addCompletion(program);
  addHelp(program);
  refuseRepetitions(program);
  return program;
}

/** Commander takes the last value of a flag that was given several times. Each flag with one value is refused then. */
function refuseRepetitions(command: Command): void {
  for (const option of command.options) {
    const hasOneValue = (option.required || option.optional) && option.parseArg !== collect;
    if (!hasOneValue) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) throw new Refusal(tooMany(option.long!, option.long!));
      isGiven = true;
    });
  }
  for (const each of command.commands) refuseRepetitions(each);
}

function addSimulate(program: Command): void {
  program
    .command('simulate')
    .summary('run an election in a simulated world and show what happens')
    .description(
      'Runs an election in a simulated world: virtual time, a faulty network, crashes on demand. The same scenario and seed always give the same history.',
    )
    .argument(
      '[FILE]',
      'the scenario, in JSON; - is standard input. Without it five members run for 20 s, and their leader crashes and comes back',
    )
    .option('--protocol <name>', 'which election (default: epoch)')
    .option('--members <n>', 'how many members, or their ids: a,b,c (default: 5)')
    .option('--seed <n>', 'the seed of all randomness (default: 1)')
    .option('--runs <n>', 'run this many seeds, beginning with the seed, and add them up')
    .option('--jobs <n>', 'with --runs: on this many threads; the result is the same (default: one per core)')
    .option('--until <ms>', 'the end, in virtual milliseconds (default: 20000)')
    .option('--json', 'print the result as JSON')
    .option('--trace <file>', 'write all events to a file, one JSON object per line')
    .option(
      '--swarm',
      'draw a scenario from every seed: members, settings, a bad network, faults of all kinds',
    )
    .option('--shrink <file>', 'with --swarm: write the first run that fails, made small, to this file')
    .option('--print-scenario', 'with --swarm: print the scenario of the seed, and nothing of its run')
    .addHelpText(
      'after',
      `
Flags override the fields of the file. A scenario looks like this, and every field may be left out:
  { "protocol": "epoch", "members": 5, "untilMs": 20000,
    "timing": { "heartbeatMs": 50, "timeoutMs": [150, 300] },
    "network": { "latencyMs": [1, 10], "loss": 0.1 },
    "events": [{ "atMs": 5000, "do": "crash", "member": "leader" },
               { "atMs": 9000, "do": "restart", "member": "all" }] }

caucus protocols lists the elections, and caucus protocols NAME the settings of one.

Exit code: 0 if no promised property was broken, 1 if one was (or a swarm did not settle), 2 for bad input.

Examples:
  $ caucus simulate --members 3 --seed 7
  $ caucus simulate scenario.json --runs 1000
  $ caucus simulate scenario.json --json --trace history.ndjson
  $ echo '{ "members": ["a", "b", "c"] }' | caucus simulate -
  $ caucus simulate --swarm --protocol bully --runs 1000`,
    )
    .action(async (file: string | undefined, flags: SimulateFlags) => {
      const run = flags.swarm
        ? (await import('./commands/simulate/swarm.ts')).swarmCommand
        : (await import('./commands/simulate/simulate.ts')).simulateCommand;
      process.exitCode = await run(file, flags);
    });
}

function addProtocols(program: Command): void {
  program
    .command('protocols')
    .summary('list the elections, or describe one')
    .description('Lists the elections, or describes one: its promises, timing, options, messages, commands.')
    .argument('[NAME]', 'which one')
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ caucus protocols
  $ caucus protocols epoch --json`,
    )
    .action(async (name: string | undefined, flags: { readonly json?: boolean }) => {
      const { protocolsCommand } = await import('./commands/protocols/protocols.ts');
      protocolsCommand(name, flags);
    });
}

/** Commander's own help command answers an unknown name with the whole help. */
function addHelp(program: Command): void {
  program
    .command('help')
    .summary('print the help of a command')
    .description('Prints the help of a command, or of all of them.')
    .argument('[COMMAND...]', 'which one, and which of its own commands')
    .addHelpText(
      'after',
      `
Examples:
  $ caucus help simulate
  $ caucus help member add`,
    )
    .action((names: readonly string[]) => {
      let found = program;
      for (const [i, name] of names.entries()) {
        const next = found.commands.find((each) => each.name() === name);
        if (next === undefined) throw new Refusal(`unknown command '${names.slice(0, i + 1).join(' ')}'`);
        found = next;
      }
      found.outputHelp();
    });
}

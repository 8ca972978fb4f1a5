/**
 * Where the processes of a verification run: each on a host of its own, a network namespace with a pid namespace, where
 * those can be made (root on Linux); on the loopback otherwise, and with `--loopback`.
 */
import { installDebian } from '../test/support/debian.ts';
import { type GroundOf, hostsApart, loopback } from '../test/support/ground.ts';
import { withoutNamespaces } from '../test/support/namespaces.ts';
import { say } from './say.ts';

interface Places {
  readonly ground: GroundOf;
  /** The other arguments. */
  readonly numbers: readonly number[];
}

/** Reads the arguments of a script, and says where its processes run. */
export function readPlaces(args: readonly string[] = process.argv.slice(2)): Places {
  const numbers = args.filter((arg) => arg !== '--loopback').map(Number);
  const reason = args.includes('--loopback') ? 'asked for' : whyLoopback();
  say(
    reason === null
      ? 'each process in a network namespace and a pid namespace of its own'
      : `on the loopback: ${reason}`,
  );
  return { ground: reason === null ? hostsApart : loopback, numbers };
}

function whyLoopback(): string | null {
  return installDebian(['iproute2', 'iptables']) ?? withoutNamespaces();
}

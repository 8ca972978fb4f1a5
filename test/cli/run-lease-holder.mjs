/**
 * Holds a lease that is renewed all the time, and runs a command under it: node run-lease-holder.mjs LEASE_MS CMD ARGS…
 * Prints the pid of the command's keeper.
 */
const built = (name) => import(new URL(`../../dist/cli/commands/run/${name}`, import.meta.url).href);
const { KeptCommand } = await built('kept-command.js');
const { runUnderLease } = await built('under-lease.js');

const [leaseMs, command, ...args] = process.argv.slice(2);
const kept = await KeptCommand.open(() => {});
process.stdout.write(`${kept.keeperPid}\n`);
const lease = { signal: new AbortController().signal, expiresInMs: Number(leaseMs) };
await runUnderLease(kept, { command, args, env: process.env }, lease, 1000);

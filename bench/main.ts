/** `npm run bench [NAME …]`: every figure is a ratio or stands beside its theory, measured in this run. */
import { closeOnInterrupt } from './closing.ts';
import { benchEngines } from './engines.ts';
import { benchExploration } from './exploration.ts';
import { benchFailover } from './failover.ts';
import { benchImport } from './import.ts';
import { benchLinks } from './links.ts';
import { benchManyElections } from './many-elections.ts';
import { benchMemory } from './memory.ts';
import { benchMessages } from './messages.ts';
import { benchOnce } from './once.ts';
import { benchPage } from './page.ts';
import { benchScale } from './scale.ts';
import { benchShards } from './shards.ts';
import { benchSimulation } from './simulation.ts';
import { benchSwarm } from './swarm.ts';
import { benchTakeover } from './takeover.ts';

const benches: Record<string, () => void | Promise<void>> = {
  simulation: benchSimulation,
  swarm: benchSwarm,
  memory: benchMemory,
  messages: benchMessages,
  failover: benchFailover,
  exploration: benchExploration,
  links: benchLinks,
  takeover: benchTakeover,
  scale: benchScale,
  engines: benchEngines,
  many: benchManyElections,
  once: benchOnce,
  shards: benchShards,
  import: benchImport,
  page: benchPage,
};
closeOnInterrupt();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(`bench: unknown ${unknown.join(', ')}; expected ${Object.keys(benches).join(', ')}\n`);
  process.exitCode = 2;
} else {
  for (const [name, run] of Object.entries(benches)) {
    if (wanted.length === 0 || wanted.includes(name)) await run();
  }
}

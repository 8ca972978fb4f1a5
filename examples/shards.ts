/**
 * Sixteen shards over three replicas: each is owned by one of them. One replica leaves, and the others get its shards.
 * With a store in place of the memory, replicas are processes on any machine: `caucus('postgres://…')` has `partition` too.
 *
 *     npx tsx examples/shards.ts
 */
import { Memory } from 'caucus/memory';

const say = (what: string): void => void process.stdout.write(`${what}\n`);
const memory = new Memory();

function replica(name: string) {
  const engine = memory.engine({ name });
  const partition = engine.partition('orders', { shards: 16 });
  const stop = new AbortController();
  const ended = partition.own(
    async ({ shard, token, signal, assert }) => {
      while (!signal.aborted) {
        assert();
        consume(shard, token); // Your work: the token goes with every write.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    { signal: stop.signal },
  );
  return { name, partition, engine, stop, ended };
}

function consume(_shard: number, _token: bigint): void {}

const replicas = ['a', 'b', 'c'].map(replica);
const [a, , c] = replicas;

async function shared(count: number): Promise<void> {
  for await (const { replicas: all, owners, moving } of a!.partition.observe()) {
    if (all.length !== count || moving > 0 || owners.includes(null)) continue;
    say(all.map(({ name, owned }) => `${name} owns ${owned}`).join(', '));
    return;
  }
}

await shared(3);
c!.stop.abort(); // It stops its works, and only then releases its shards.
await c!.ended;
await shared(2);
say(`shard 0 is owned by ${a!.partition.owner(0)!.name}, token ${a!.partition.owner(0)!.token}`);

for (const { stop, ended, engine } of replicas) {
  stop.abort();
  await ended;
  await engine.close();
}

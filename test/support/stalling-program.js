/**
 * A program with a member in a thread of its own. With `leads` it leads whenever it can; without, once it is told to campaign.
 * Told to stall, it keeps its main thread busy for so long, and says until when `assert()` let it act meanwhile, by the clock
 * that all processes share, and after it.
 */
import { join } from '../../dist/index.js';

const cell = new Int32Array(new SharedArrayBuffer(4));
const nowUs = () => Number(process.hrtime.bigint() / 1000n);
const { leads, ...options } = JSON.parse(process.argv[2]);
const member = await join({ ...options, isolate: true });
const election = member.election('job');

let leadership = null;
let campaign = new AbortController();

const mayAct = () => {
  try {
    leadership.assert();
    return true;
  } catch {
    return false;
  }
};

const stall = (stallMs) => {
  const token = String(leadership.token);
  const untilUs = nowUs() + stallMs * 1000;
  let lastValidUs = 0;
  for (let us = nowUs(); us < untilUs; us = nowUs()) {
    if (mayAct()) lastValidUs = us;
    Atomics.wait(cell, 0, 0, 2); // The event loop is as blocked as by a computation; the processor is left to others.
  }
  const after = mayAct();
  process.send({ token, lastValidUs, after, cause: leadership.lost?.cause ?? null });
};

const orders = {
  stall,
  async campaign() {
    campaign = new AbortController();
    leadership = await election.campaign({ signal: campaign.signal }).catch(() => null);
    if (leadership === null) return;
    leadership.assert();
    process.send({ actsFromUs: nowUs() });
  },
  withdraw: () => campaign.abort(),
  resign: () => leadership.resign(),
  async close() {
    await member.close();
    process.exit(0);
  },
};

process.on('message', ([order, ...given]) => orders[order](...given));

if (leads)
  void election
    .lead(async (given) => {
      leadership = given;
      process.send({ leads: String(given.token) });
      await new Promise((resolve) => given.signal.addEventListener('abort', resolve, { once: true }));
    })
    .catch(() => {});
process.send({ up: true });

/**
 * One candidate of a store with a client of today, as a process of its own: it stands in its elections, and tells over its channel
 * when it leads. A candidate that resigned stands again when it is told to.
 */
import { type Client, openClient } from './contenders.ts';

export interface CandidatePlan {
  readonly client: Client;
  readonly url: string;
  /** Begins the names of its elections in the store. */
  readonly prefix: string;
  readonly leaseMs: number;
  readonly elections: number;
}

const plan = JSON.parse(process.argv[2]!) as CandidatePlan;
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
/** Changes of many elections are told together: each message takes time of the processor, which would be measured too. */
const TOGETHER_MS = 5;
let news: object[] = [];
function tell(word: object): void {
  if (news.length === 0)
    setTimeout(() => {
      process.send!(news);
      news = [];
    }, TOGETHER_MS);
  news.push({ ...word, atMs: nowMs() });
}

/** What resigns and stands in each election. */
const seats = new Map<string, { stand(): Promise<void>; resign(): Promise<void> }>();
const open = await openClient(plan.client, plan.url, plan.leaseMs);

for (let i = 0; i < plan.elections; i++) {
  const name = i === 0 ? 'main' : `e${i}`;
  const contender = await open(`${plan.prefix}-${name}`);
  const seat = {
    async stand(): Promise<void> {
      // One that gave up stands again, as long as this process runs.
      while (!(await contender.lead()));
      tell({ is: 'acting', name, acting: true });
    },
    async resign(): Promise<void> {
      const released = contender.release();
      tell({ is: 'acting', name, acting: false });
      // It had lost its lease before it was asked.
      await released.catch(() => tell({ is: 'refused' }));
    },
  };
  contender.onLost = () => {
    tell({ is: 'acting', name, acting: false });
    void seat.stand();
  };
  seats.set(name, seat);
}
process.on('message', (what) => {
  if (what === 'resign') void seats.get('main')!.resign();
  if (what === 'stand') void seats.get('main')!.stand();
});
process.on('disconnect', () => process.exit(0));
tell({ is: 'up' });
for (const { stand } of seats.values()) void stand();

/** One replica of a service with node-cron. Start several, on any engine: `npx tsx node-cron.ts local:` */
import { Election, openEngine } from 'caucus';
import { ElectionCoordinator } from 'caucus/node-cron';
import cron from 'node-cron';

const engine = await openEngine(process.argv[2] ?? 'local:');
const coordinator = new ElectionCoordinator(new Election('cron', engine));
cron.setRunCoordinator(coordinator);

const report = ({ date }: { date: Date }): void => {
  const token = coordinator.context('report')?.token; // For your write.
  process.stdout.write(`${date.toISOString()} token ${token}\n`);
};
cron.schedule('* * * * * *', report, { name: 'report', distributed: true });

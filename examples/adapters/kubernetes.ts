/** An operator of which one replica acts. In a pod nothing is set; elsewhere KUBECONFIG says where the cluster is. */
import { LeaderElector } from 'caucus/kubernetes';

const say = (what: string): void => void process.stdout.write(`${what}\n`);
const cancel = new AbortController();
process.once('SIGTERM', () => cancel.abort());

const elector = new LeaderElector({
  lock: { name: 'my-operator' },
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
  callbacks: {
    onStartedLeading: async (signal, { token }) => {
      say(`started with token ${token}`);
      await new Promise((resolve) => signal.addEventListener('abort', resolve)); // Your controller.
    },
    onStoppedLeading: () => say('stopped'),
    onNewLeader: (identity) => say(`${identity} leads`),
  },
});
await elector.run({ signal: cancel.signal });

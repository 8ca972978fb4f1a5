/**
 * kubernetes: elections on Lease objects, exactly as client-go's `leaderelection` keeps them, so that programs in Go (and all
 * others that follow it) can be candidates in the same elections.
 *
 * Promises, as long as the API server replaces only the version that it was told to, and the clocks of the participants run at
 * rates within `maxDrift` of each other (what time they show is irrelevant):
 *   - at no moment may two participants that use this engine act;
 *   - tokens only grow, also when an elector of client-go led in between, and when the Lease was deleted and made again;
 *   - candidates see a release at once, a crash when the lease expires;
 *   - a published value outlives its leader, as long as the Lease exists.
 *
 * Does not promise: that an elector of another kind which leads stops in time, for client-go itself does not ("does not guarantee
 * that only one client is acting as a leader"). Nor tokens that grow after the cluster's etcd was restored from a backup. If
 * an operator deletes or edits the Lease, the next one leads at once and the old one learns of it a moment later: a resource that
 * can be fenced should be, by the token.
 *
 * How: every write replaces exactly the version that was read, so of several that try one succeeds. A Lease is free when no participant
 * holds it, or when we saw it unchanged for as long as it lasts, by our own clock: the times in it are never compared with one.
 * A watch wakes those who wait; nothing depends on it.
 *
 * The token is the resource version that the winner's update replaced, kept in an annotation by the same update. `leaseTransitions`
 * cannot be it: it begins again when the Lease is deleted. A version that is replaced is known before, so an observer reads the
 * token together with the holder; and it can be replaced once only. Therefore a Lease is made without a holder, and then taken.
 */
import { randomUUID } from 'node:crypto';
import { BadInput, show } from '../../core/index.ts';
import { processClock } from '../../election/index.ts';
import { LeaseEngine, type LeaseEngineOptions } from '../lease/lease-engine.ts';
import { checkOptions, type OwnOptions } from '../lease/options.ts';
import { leaseTimes } from '../lease/settings.ts';
import { Api } from './api.ts';
import { Connection } from './connection.ts';
import type { KubeConfigLike } from './kubeconfig.ts';
import { identityOf } from './lease-object.ts';
import { checkName, namespaceOf } from './names.ts';
import { KubernetesStore } from './store.ts';
import { type AccessOptions, findWay } from './ways.ts';

export type { AccessOptions, KubeConfigLike };

export interface KubernetesOptions extends LeaseEngineOptions, AccessOptions {
  /** The namespace of the Leases. Default: that of the pod or of the kubeconfig's context, else `default`. */
  readonly namespace?: string;
}

const OPTIONS: OwnOptions<KubernetesOptions> = {
  ...{ namespace: 0, kubeconfig: 0, kubeConfig: 0, context: 0, serviceAccount: 0 },
  ...{ server: 0, token: 0, ca: 0, cert: 0, key: 0 },
};
const FLOOR = { leaseMs: 1000, reason: 'Kubernetes counts leases in whole seconds' };

/** Elections on the Leases of `kubernetes:` or `kubernetes:NAMESPACE/`. Connects when needed. */
export function kubernetes(url: string, options: KubernetesOptions = {}): LeaseEngine {
  checkOptions(options, OPTIONS);
  const namespace = namespaceOf(url, options.namespace);
  const times = leaseTimes(options, FLOOR);
  if (times.leaseMs % 1000 !== 0) {
    const near = Math.ceil(times.leaseMs / 1000) * 1000;
    throw new BadInput('leaseMs', `whole seconds, since ${FLOOR.reason}: ${near}`, show(times.leaseMs));
  }
  const clock = options.clock ?? processClock;
  const way = findWay(options, namespace);
  const api = new Api(new Connection(way));
  const incarnation = randomUUID();
  const kind = {
    storeName: 'Kubernetes',
    times,
    checkName,
    load: async () => way.load?.(),
    open: (election: string, name: string) =>
      new KubernetesStore({ api, clock, times }, election, identityOf(name, incarnation)),
    async close() {
      api.close();
    },
  };
  return new LeaseEngine(kind, options);
}

import { describeManyElections } from '../support/many-elections.ts';
import { etcdSite } from '../support/renewal-sites.ts';
import { hasEtcd } from '../support/servers/etcd.ts';

describeManyElections('etcd', hasEtcd(), etcdSite);

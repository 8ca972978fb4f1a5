import { caucus } from '../../src/engines/caucus/index.ts';
import { describeEngine } from '../support/engine-suite.ts';
import { Members, urlOf } from '../support/servers/members.ts';

let members: Members;

describeEngine('three members', true, {
  leaseMs: 2000,
  async start() {
    members = await Members.start();
    return [...members.all];
  },
  open: (ports, options) => caucus(urlOf(ports), { callMs: 1200, ...options }),
});

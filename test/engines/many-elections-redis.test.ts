import { describeManyElections } from '../support/many-elections.ts';
import { redisSite } from '../support/renewal-sites.ts';
import { hasRedis } from '../support/servers/redis.ts';

describeManyElections('redis', hasRedis(), redisSite);

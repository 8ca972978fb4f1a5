import { describeManyElections } from '../support/many-elections.ts';
import { postgresSite } from '../support/renewal-sites.ts';
import { hasPostgres } from '../support/servers/postgres.ts';

describeManyElections('postgres', hasPostgres(), postgresSite);

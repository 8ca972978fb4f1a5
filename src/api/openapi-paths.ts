import { ref } from './openapi-schemas.ts';

type Operation = Readonly<Record<string, unknown>>;
export type PathItem = Readonly<Record<string, Operation>>;

const json = (schema: string): object => ({ 'application/json': { schema: ref(schema) } });
const error = (description: string): object => ({ description, content: json('Error') });
const noBody = (description: string): object => ({ description });

const ERRORS: Readonly<Record<string, object>> = {
  400: error('The body is not as it should be; the message says what was expected where.'),
  403: error('Of a voter that this member does not know, or may not call, or of a foreign web page.'),
  404: error('There is no such path or election.'),
  409: error('Refused, with the reason; nothing has happened.'),
  412: error('Not as it has to be for a transfer; nothing has happened.'),
  413: error('More than 256 KiB.'),
  415: error('The body is not application/json.'),
  503: error('It was tried and did not come about, or perhaps it did: `outcome` says which.'),
};
const errors = (...codes: number[]): object => Object.fromEntries(codes.map((code) => [code, ERRORS[code]!]));

function get(summary: string, schema: string): PathItem {
  const responses = { 200: { description: summary, content: json(schema) }, ...errors(404) };
  return { get: { summary, responses } };
}

/** Yes or no, for load balancers and probes. */
function health(summary: string, parameters: readonly object[] = []): PathItem {
  const yes = { description: 'Yes.', content: json('Status') };
  const no = { description: 'No.', content: json('Status') };
  const bare = { responses: { 200: noBody('Yes.'), 503: noBody('No.') } };
  return {
    get: { summary, parameters, responses: { 200: yes, 503: no, ...errors(404) } },
    head: { summary, parameters, ...bare },
    options: { summary, parameters, ...bare },
  };
}

function post(summary: string, request: string, answer: string, codes: readonly number[]): PathItem {
  return {
    post: {
      summary,
      requestBody: { content: json(request) },
      responses: { 200: { description: 'Done.', content: json(answer) }, ...errors(400, 413, 415, ...codes) },
    },
  };
}

/** A message from one voter to another. */
function message(summary: string, request: string): PathItem {
  const { post: operation } = post(summary, request, 'Answer', [403, 404, 409, 503]);
  const responses = { ...(operation!.responses as object), 204: noBody('Taken note of; nothing to say.') };
  return { post: { ...operation, responses } };
}

/** About one election: the main one, or with /elections/{electionName} before the path any other. */
export const electionPaths: Readonly<Record<string, PathItem>> = {
  '/status': get('Who leads, and who votes', 'Status'),
  '/leader': health('May this member act as the leader now?'),
  '/primary': health('The same, by the name that Patroni has for it.'),
  '/read-write': health('The same.'),
  '/replica': health('Does this member follow?'),
  '/read-only': health('Does this member lead or follow?'),
  '/health': health('Can this member do its part?'),
  '/liveness': health('Does its event loop run?'),
  '/readiness': health('Can it take requests? It does not matter who leads.', [
    {
      name: 'mode',
      in: 'query',
      schema: { enum: ['voting'] },
      description: 'voting: only once it takes part in the election.',
    },
  ]),
  '/cluster': get('All members as this one sees them', 'Cluster'),
  '/history': get('Every change of the leader, with its cause', 'History'),
  '/watch': {
    get: {
      summary: 'A stream of events `state`: first how the election stands, then each change',
      responses: {
        200: {
          description: 'Server-sent events. The data of each is one State.',
          content: { 'text/event-stream': { schema: ref('State') } },
        },
        ...errors(404, 503),
      },
    },
  },
  '/value': {
    ...get('What the leader published', 'Value'),
    put: post('Publishes a value, if this member leads', 'NewValue', 'Value', [403, 409, 503]).post!,
  },
  '/resign': post(
    'Gives the leadership up, so that another may take over at once',
    'Empty',
    'Status',
    [403, 404, 409, 503],
  ),
  '/transfer': post('Hands the leadership to `to`', 'Transfer', 'Status', [403, 404, 412, 503]),
  '/switchover': post(
    'The same, as Patroni has it: to `candidate`',
    'Transfer',
    'Status',
    [403, 404, 412, 503],
  ),
  '/register': post(
    'A voter makes itself known, where the protocol has that (draw). The answer says who leads, who votes, and how to reach them.',
    'Register',
    'Status',
    [403, 409, 503],
  ),
  '/remove': message(
    'A voter is to go. Of another voter, which gives its own `voterUrl`, this is a message; without a `voterUrl` it is a command, which for quorum cannot be undone: `warning` in the answer says so.',
    'Remove',
  ),
  '/heartbeat': message(
    'A voter shows that it is there, and what it knows. It is due once per heartbeat interval, to every other voter.',
    'Heartbeat',
  ),
  '/reconcile': message(
    'The sender has another list of voters. The receiver asks those that it does not know for their /status, and adds them.',
    'Reconcile',
  ),
  '/election/start': message(
    'An election begins: every voter in `voters` draws a number and casts it. Without a sender, anybody asks this member to start one.',
    'ElectionStart',
  ),
  '/election/cast': message(
    'The number that a voter drew, to each of the others. A cast of an election that is new stands for its start as well.',
    'ElectionCast',
  ),
  '/election/result': message(
    'Once all have cast, the highest number has won. Every voter tells each other one its version of the result.',
    'ElectionResult',
  ),
  '/election/certify': message(
    'Once all results are there and agree, every voter certifies it to the winner, which leads when all have, and says so in its heartbeats.',
    'ElectionCertify',
  ),
};

/** About the member itself. */
export const memberPaths: Readonly<Record<string, PathItem>> = {
  '/': get(
    'The leader, as the sidecars of Kubernetes answer; a few lines of text for clients that prefer to read',
    'FrontPage',
  ),
  '/elections': get('All elections that this member takes part in', 'Elections'),
  '/metrics': {
    get: {
      summary: 'Counters and gauges, in the text format of Prometheus',
      responses: {
        200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
  '/openapi.json': {
    get: {
      summary: 'This description',
      responses: {
        200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
  },
  '/ui': {
    get: {
      summary: 'Leads to the page',
      responses: { 302: noBody('Its address ends with a slash.') },
    },
  },
  '/ui/': {
    get: {
      summary: 'The dashboard of this member and the playground, with their files below this path',
      responses: {
        200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
        ...errors(404),
      },
    },
  },
};

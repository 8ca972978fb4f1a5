/** The shapes of all bodies, as JSON Schema. The tests hold real answers against them. */

type Schema = Readonly<Record<string, unknown>>;

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const text = (description: string): Schema => ({ type: 'string', description });
const whole = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const maybe = (type: string, description: string): Schema => ({ type: [type, 'null'], description });
const list = (items: Schema, description: string): Schema => ({ type: 'array', items, description });

/** An object that has all of `required` and perhaps some of `optional`, and nothing else. */
function object(
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

const id: Schema = {
  description: 'The name of a voter: a whole number or a word. Text of digits only means the number.',
  oneOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$' },
  ],
};
const maybeId: Schema = { oneOf: [ref('Id'), { type: 'null' }] };
const ids = list(ref('Id'), 'Sorted.');
const url = text('Where a voter answers, such as http://127.0.0.1:8008, without a slash at the end.');
const token: Schema = {
  type: ['string', 'null'],
  pattern: '^[0-9]+$',
  description:
    'The fencing token of the leader, in decimal; null where there is no leader or the protocol has no terms.',
};
const cause: Schema = {
  enum: [
    'started',
    'won',
    'learned',
    'resigned',
    'transferred',
    'lease-expired',
    'lost-quorum',
    'deposed',
    'event-loop-blocked',
    'suspended',
    'removed',
    'store-unreachable',
    'closed',
  ],
};
const role: Schema = { enum: ['leader', 'follower', 'candidate', 'none'] };

/** What stands in every message of a voter: who sends it. */
const sender = { voterId: ref('Id'), voterUrl: url };

const ofDraw = {
  election: whole('The number of the newest election that the voter has heard of.'),
  offline: list(ref('Id'), 'The known voters that it has not heard for longer than is tolerated.'),
};

const status = {
  ...sender,
  cluster: text('The name of the cluster; members of another one are refused.'),
  electionName: text('Which election this is about.'),
  protocol: text('How it is held: quorum, draw, bully, …'),
  role,
  acting: { type: 'boolean', description: 'May this member act as the leader now?' },
  leader: maybeId,
  leaderUrl: maybe('string', 'Where the leader answers.'),
  term: maybe('integer', 'Of the leader; null where the protocol has no terms.'),
  token,
  version: whole('Of the published value; 0 if there is none.'),
  knownVoters: ids,
  voters: list(ref('Voter'), 'All voters, with how to reach them.'),
  cause,
  detail: text('The same for people.'),
  illness: maybe('string', 'Why this member cannot do its part, or null.'),
  incarnation: whole('Grows by one with every start on the same data folder.'),
  startedAtMs: { type: 'number', description: 'Milliseconds since 1970.' },
};
const expiresInMs = maybe('number', 'How long it may still act without an answer of the others.');
const messages = list(
  { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
  'Further messages of this member to the sender: read each as if it had been posted to the path that `type` names.',
);
const warning = text(
  'What people should know about what was just done: that a removal is for ever, for example.',
);
const configured = list(ref('Id'), 'The voters whose majority counts.');

const beat = {
  role: { enum: ['leader', 'follower', 'none'] },
  leader: maybeId,
  term: whole('The number of the election that made `leader` the leader, or of the last one known.'),
  ...ofDraw,
  knownVoters: ids,
};

const certificate = { election: whole('The number of the election.'), winner: ref('Id') };

export const schemas: Readonly<Record<string, Schema>> = {
  Id: id,
  Voter: object(sender),
  Status: object({ ...status, expiresInMs }, { ...ofDraw, configured, messages, warning }),
  State: object(status),
  FrontPage: object({
    name: text('The leader; empty if there is none.'),
    last_update: text('When that last changed.'),
    ...status,
    expiresInMs,
  }),
  Cluster: object({
    scope: text('The name of the cluster.'),
    electionName: text('Which election this is about.'),
    leader: maybeId,
    term: maybe('integer', 'Of the leader.'),
    token,
    members: list(ref('ClusterMember'), 'All voters.'),
  }),
  ClusterMember: object(
    {
      name: text('Its id.'),
      role: { enum: ['leader', 'replica'] },
      state: { enum: ['running', 'ill', 'unknown'], description: 'unknown: it cannot be reached from here.' },
      api_url: url,
      via: { enum: ['self', 'link', 'post', 'none'], description: 'How messages reach it.' },
      roundTripMs: maybe('number', 'Of the last message and its answer.'),
      queued: whole('Messages that wait to be sent to it.'),
    },
    {
      host: text('Of its URL.'),
      port: whole('Of its URL.'),
      timeline: whole('The term of the leader, by the name that Patroni has for it.'),
    },
  ),
  History: object({
    electionName: text('Which election this is about.'),
    history: list(ref('Change'), 'Oldest first; at some length the oldest are forgotten.'),
  }),
  Change: object({
    at: text('When, by the wall clock of this member.'),
    atMs: { type: 'number', description: 'The same in milliseconds since 1970.' },
    leader: maybeId,
    token,
    cause,
    detail: text('The same for people.'),
  }),
  Elections: object({
    mainElection: text('The one that is meant by the paths without a name.'),
    elections: list(
      object({
        electionName: text('Its name.'),
        protocol: text('How it is held.'),
        leader: maybeId,
        term: maybe('integer', 'Of the leader.'),
        token,
        acting: { type: 'boolean' },
      }),
      'All that this member takes part in.',
    ),
  }),
  Value: object({
    electionName: text('Which election this is about.'),
    leader: maybeId,
    token,
    version: whole('0 if nothing was published.'),
    value: { description: 'What the leader published last.' },
  }),
  NewValue: object({ value: { description: 'Any JSON of at most 64 KiB.' } }),
  Transfer: object(
    {},
    {
      to: ref('Id'),
      candidate: ref('Id'),
      leader: { ...ref('Id'), description: 'Who must be leading now.' },
    },
  ),
  Empty: object({}),
  Register: object(sender),
  Remove: object({ voterId: ref('Id') }, { voterUrl: url, reason: { enum: ['no-answer'] } }),
  Heartbeat: object({ ...sender, ...beat }),
  Reconcile: object({ ...sender, knownVoters: ids }),
  ElectionStart: object(
    {},
    { ...sender, election: whole('Its number: larger than that of any other so far.'), voters: ids },
  ),
  ElectionCast: object({
    ...sender,
    election: whole('The number of the election.'),
    voters: ids,
    round: { type: 'integer', minimum: 1, description: '1; one more for each time that a tie is recast.' },
    number: {
      type: 'string',
      pattern: '^(0|[1-9][0-9]{0,19})$',
      description: 'What the voter drew: 64 random bits, in decimal.',
    },
  }),
  ElectionResult: object({ ...sender, ...certificate }),
  ElectionCertify: object({ ...sender, ...certificate }),
  Answer: {
    type: 'object',
    description: 'The answer of the protocol: the fields of its message TYPE/answer, if there is one.',
    properties: { ...sender, messages },
    required: Object.keys(sender),
  },
  Error: object({
    error: {
      type: 'object',
      properties: { code: text('Never changes.'), message: text('For people.') },
      required: ['code', 'message'],
    },
  }),
};

/**
 * The API description that a member serves at `/openapi.json`. Nothing in it is written twice: paths come from the
 * tables that answer them, bodies from the shapes that read and write them, messages from the definition of the
 * member's own protocol.
 */
import { type Access, needsOf, Tokens } from '../auth/index.ts';
import {
  described,
  electionName,
  listOf,
  named,
  openRecord,
  optional,
  record,
  type Shape,
  text,
} from '../core/index.ts';
import { commands } from './commands.ts';
import { leaseRoutes } from './leases.ts';
import { MEMBER_COMMANDS } from './members.ts';
import {
  type JsonSchema,
  type Operation,
  Operations,
  operationName,
  type PathItem,
  securityOf,
  securitySchemes,
  TAGS,
  type VoterSecurity,
} from './openapi-operations.ts';
import type { MemberPort } from './port.ts';
import { ABOUT_ELECTION, ABOUT_MEMBER, type Question } from './questions.ts';
import { registration, removal, sender } from './voters.ts';
import { status } from './wire/documents.ts';

const DESCRIPTION = `Every member of a Caucus cluster answers these paths, and so does a participant in an election on a store.

Voters talk to each other by POST: the type of a message is its path. Its body holds who sends it (voterId, voterUrl) and the
fields of the message. A voter in any language can take part in an election of the protocol "draw": it registers with a member,
answers GET /status itself, and is sent messages by POST to the same paths under its own voterUrl. It is forgotten if it sends no
heartbeat for a while. An answer of 200 carries the fields of the message TYPE/answer, 204 says that there is none.
The messages described here are those of the protocol of the member that was asked.

If the members of a cluster share a secret, each message carries a proof (docs/authentication.md); if they have certificates, each voter shows its own.

Questions are open unless the member is closed; commands need a token as soon as the member has one (see the security of each operation);
health checks never need one.

Errors are {"error":{"code","message"}}. Tokens are decimal text, since they may outgrow a JSON number.`;

export interface ApiDescription {
  readonly openapi: string;
  readonly info: object;
  readonly servers: readonly object[];
  readonly security: readonly object[];
  readonly tags: readonly object[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: object;
    readonly securitySchemes: object;
  };
}

type Messages = Readonly<Record<string, Shape<object>>>;

const OPEN: Access = { tokens: new Tokens(), closed: false, isOpen: true };

export function describeApi(
  { url, definition, leases = null }: Pick<MemberPort, 'url' | 'definition' | 'leases'>,
  access: Access = OPEN,
  voters: VoterSecurity = 'none',
): ApiDescription {
  const isMessage = (path: string): boolean => Object.hasOwn(definition?.messages ?? {}, path.slice(1));
  const operations = new Operations((method, path) =>
    securityOf(needsOf(method, path, method === 'POST' && isMessage(path)), access, voters),
  );
  const election = electionPaths(operations, definition?.messages ?? {});
  const ofOthers = Object.entries(election).map(([path, item]) => [
    `/elections/{electionName}${path}`,
    { parameters: [{ $ref: '#/components/parameters/electionName' }], ...ofElection(item) },
  ]);
  const ofParticipants = leases === null ? {} : leasePaths(operations);
  const paths = {
    ...memberPaths(operations),
    ...ofParticipants,
    ...election,
    ...Object.fromEntries(ofOthers),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'The HTTP API of a Caucus member',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: url.replace(/\/+$/, '') }],
    // What each operation needs is said there.
    security: [],
    tags: Object.entries(TAGS)
      .filter(([name]) => name !== 'lease' || leases !== null)
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: operations.schemas,
      parameters: { electionName: ELECTION_NAME },
      securitySchemes: securitySchemes(voters, leases !== null),
    },
  };
}

const ELECTION_NAME = {
  name: 'electionName',
  in: 'path',
  required: true,
  description: 'Which election.',
  schema: electionName.schema,
};

function memberPaths(operations: Operations): Record<string, PathItem> {
  const entries = Object.entries(ABOUT_MEMBER).map(([path, question]) => [
    path,
    { get: operations.question(path, 'member', question, [403, 404]) },
  ]);
  const paths: Record<string, PathItem> = Object.fromEntries(entries);
  const file = { name: 'file', in: 'path', required: true, schema: { type: 'string' } };
  for (const [path, { summary, request, answer, tag = 'command' }] of Object.entries(MEMBER_COMMANDS)) {
    const asked = { summary, bodies: [request], answers: [answer], codes: [403, 404, 409, 503] };
    paths[path] = { post: operations.action(path, 'POST', tag, asked) };
  }
  paths['/ui/{file}'] = { parameters: [{ ...file, description: 'Its name.' }], ...paths['/ui/{file}'] };
  return paths;
}

const LEASE_CODES: readonly number[] = [403, 404, 409, 421, 503];

function leasePaths(operations: Operations): Record<string, PathItem> {
  const entries = Object.entries(leaseRoutes).map(([path, { summary, request, answer, type }]) => {
    const about = { summary, bodies: [request], answers: [answer], codes: LEASE_CODES, type };
    return [path, { post: operations.action(path, 'POST', 'lease', about) }];
  });
  return Object.fromEntries(entries);
}

function electionPaths(operations: Operations, messages: Messages): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  const add = (path: string, method: string, operation: Operation): void => {
    paths[path] = { ...paths[path], [method]: operation };
  };
  const ownStatus = statusOf(messages);
  const withStatus = <T extends Pick<Question, 'answer'>>(each: T): T =>
    each.answer === status ? { ...each, answer: ownStatus } : each;

  for (const [path, question] of Object.entries(ABOUT_ELECTION)) {
    const isHealth = question.isHealth === true;
    const codes = path === '/watch' ? [403, 404, 503] : [403, 404];
    add(
      path,
      'get',
      operations.question(path, isHealth ? 'health' : 'election', withStatus(question), codes),
    );
    if (!isHealth) continue;
    for (const method of ['head', 'options'])
      add(path, method, operations.bareHealth(path, method, question));
  }

  for (const [path, command] of Object.entries(commands)) {
    const { method, summary, request, answer, refused } = withStatus(command);
    const type = path.slice(1);
    const isMessage = method === 'POST' && Object.hasOwn(messages, type);
    const both = { bodies: [request, posted(messages, type)], answers: [answer, answerTo(messages, type)] };
    const operation = operations.action(path, method, 'command', {
      summary,
      ...(isMessage ? both : { bodies: [request], answers: [answer] }),
      codes: isMessage ? [...MESSAGE_CODES, refused] : [403, 404, refused, 503],
      isSilent: isMessage,
    });
    add(path, method.toLowerCase(), operation);
  }

  add(
    '/register',
    'post',
    operations.action('/register', 'POST', 'message', {
      summary: 'Registers a voter, if the protocol supports that (draw)',
      details: 'The answer contains the leader, the voters and their URLs.',
      bodies: [registration],
      answers: [ownStatus],
      codes: MESSAGE_CODES,
    }),
  );
  const leaving = { ...removal.fields, ...messages.remove?.fields, voterUrl: sender.voterUrl };
  add(
    '/remove',
    'post',
    operations.action('/remove', 'POST', 'message', {
      summary: 'Removes a voter',
      details:
        'With the `voterUrl` of the sender this is a message of another voter; without it, it is a command. For quorum it is refused: `/members/remove` is for that.',
      bodies: [named('Remove', record(leaving))],
      answers: [ownStatus, ANSWER],
      codes: MESSAGE_CODES,
      isSilent: true,
    }),
  );

  for (const [type, shape] of Object.entries(messages)) {
    const path = `/${type}`;
    if (paths[path]?.post !== undefined) continue;
    const summary = shape.schema?.description ?? `The message \`${type}\` of the protocol`;
    add(
      path,
      'post',
      operations.action(path, 'POST', 'message', {
        summary,
        bodies: [posted(messages, type)],
        answers: [answerTo(messages, type)],
        codes: MESSAGE_CODES,
        isSilent: true,
      }),
    );
  }
  return paths;
}

const MESSAGE_CODES: readonly number[] = [403, 404, 409, 410, 429, 503];

/** Any message: its fields are those of its type. */
const anyMessage: Shape<object> = openRecord({ type: text(100) });
const furtherMessages: Shape<unknown> = optional(
  described(
    listOf({ ...anyMessage, schema: { ...anyMessage.schema, additionalProperties: true } }),
    'Further messages of this member to the sender: read each as if it had been posted to the path that `type` names.',
  ),
);
const answerFields: Readonly<Record<string, Shape<unknown>>> = { ...sender, messages: furtherMessages };
const ANSWER: Shape<object> = named('Answer', openRecord(answerFields));

/** A message as it is posted: its own fields, and its sender. */
function posted(messages: Messages, type: string): Shape<object> {
  return named(`${operationName(type)}Message`, record({ ...sender, ...messages[type]?.fields }));
}

/** The answer to a message: the fields of TYPE/answer, if there is one. */
function answerTo(messages: Messages, type: string): Shape<object> {
  const fields = messages[`${type}/answer`]?.fields;
  if (fields === undefined) return ANSWER;
  return named(`${operationName(type)}Reply`, openRecord({ ...allOptional(fields), ...answerFields }));
}

/** The status with the protocol's own fields, and with the fields that answers to commands add. */
function statusOf(messages: Messages): Shape<unknown> {
  const fields = {
    ...allOptional({ ...messages['status/answer']?.fields, ...messages['register/answer']?.fields }),
    ...status.fields,
    messages: furtherMessages,
  };
  return named('Status', openRecord(fields));
}

function allOptional(fields: Readonly<Record<string, Shape<unknown>>>): Record<string, Shape<unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, optional(field)]));
}

/** The same operations under `/elections/NAME`. */
function ofElection(item: PathItem): PathItem {
  const entries = Object.entries(item).map(([method, operation]) => [
    method,
    { ...(operation as Operation), operationId: `${(operation as Operation).operationId}OfElection` },
  ]);
  return Object.fromEntries(entries);
}

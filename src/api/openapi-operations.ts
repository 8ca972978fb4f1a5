/** The operations of the API description, and the schemas that they refer to. */
import { type Access, type Need, needsToken } from '../auth/index.ts';
import { assert, type Schema, type Shape } from '../core/index.ts';
import type { Question } from './questions.ts';
import { refused } from './wire/refused.ts';

export const TAGS: Readonly<Record<string, string>> = {
  election: 'The state of an election. Questions change nothing.',
  health: 'Yes (200) or no (503), for load balancers and probes.',
  command: 'Commands of a user to a member.',
  message: 'Messages between voters.',
  member: 'About the member itself.',
  lease:
    'Elections among programs that are no members, with the members as their store (`caucus://`). The member that manages the leases answers; another one answers 421 with its URL.',
};

const tokenWith = (role: string): object => ({
  type: 'http',
  scheme: 'bearer',
  description: `A token of the member with the role ${role}, in the header \`authorization: Bearer TOKEN\`, never in a URL.`,
});

/** How a client shows that it may do something. */
/** How voters authenticate: by a secret or not at all, or by certificates. */
export type VoterSecurity = 'none' | 'proof' | 'certificate';

export function securitySchemes(voters: VoterSecurity, hasLeases: boolean): object {
  const byVoters = voters === 'certificate' ? BY_CERTIFICATE : BY_PROOF;
  return {
    read: tokenWith('`read`, `operate` or `lead`'),
    operate: tokenWith('`operate`'),
    ...(hasLeases ? { lead: tokenWith('`lead`') } : {}),
    ...byVoters,
  };
}

const BY_CERTIFICATE = {
  certificate: {
    type: 'mutualTLS',
    description: 'The certificate of a voter, which names it: `URI:caucus:CLUSTER:ID`.',
  },
};

const BY_PROOF = {
  voter: {
    type: 'http',
    scheme: 'Caucus',
    description:
      'The proof of a voter that it knows the secret of the cluster, for this request and this process of the member: `authorization: Caucus from=…, to=…, boot=…, counter=…, proof=…`. The answer carries its own in `authentication-info`. docs/authentication.md describes both.',
  },
};

const BY_VOTERS: Readonly<Record<VoterSecurity, readonly object[]>> = {
  none: [{}, { voter: [] }],
  proof: [{ voter: [] }],
  certificate: [{ certificate: [] }],
};

/** What an operation needs, one of the list; an empty object says that it may need nothing. */
export function securityOf(needs: readonly Need[], access: Access, voters: VoterSecurity): readonly object[] {
  return needs.flatMap((need): readonly object[] => {
    if (need === 'open') return [];
    if (need === 'peer') return BY_VOTERS[voters];
    return needsToken(access, need) ? [{ [need]: [] }] : [{}, { [need]: [] }];
  });
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'The body is invalid, and the message says what was expected where; or the URL holds a token.',
  401: 'It needs a token, or the proof or certificate of a voter; `www-authenticate` says which role.',
  403: 'The token may not do that. Or it is from a voter that this member does not know or may not call, or from a foreign web page or host name.',
  404: 'There is no such path or election.',
  409: 'Refused, with the reason; it had no effect.',
  410: 'The sender was a member, and was removed.',
  412: 'A precondition of the transfer failed; it had no effect.',
  413: 'More than 256 KiB.',
  415: 'The body is not application/json.',
  421: 'This member does not manage the leases; `leaderUrl` is the one that does. It had no effect.',
  429: 'The voter has caused too many saves, or too many wrong tokens came from the address.',
  503: 'It failed, or its result is unknown: `outcome` says which.',
};

const MODE = {
  name: 'mode',
  in: 'query',
  schema: { type: 'string', enum: ['voting'] },
  description: 'voting: only once it takes part in the election.',
};

const IF_NONE_MATCH = {
  name: 'if-none-match',
  in: 'header',
  schema: { type: 'string' },
  description:
    'The `etag` of an earlier answer: while nothing has changed, the answer is 304 without a body.',
};

const ETAG = { etag: { schema: { type: 'string' }, description: 'A tag of the content.' } };

/** By keyword: an operation of the document, and the operations of one path by method. */
export type Operation = Readonly<Record<string, unknown>>;
export type PathItem = Readonly<Record<string, unknown>>;

/** A request with a body. */
export interface Action {
  readonly summary: string;
  readonly details?: string;
  /** The body is one of these, and so is the answer. */
  readonly bodies: readonly Shape<unknown>[];
  readonly answers: readonly Shape<unknown>[];
  readonly codes: readonly number[];
  /** The media type of the answer, if it is not JSON. */
  readonly type?: string | undefined;
  /** May the answer be empty? */
  readonly isSilent?: boolean;
}

export class Operations {
  readonly #components = new Components();
  readonly #securityOf: (method: string, path: string) => readonly object[];

  constructor(security: (method: string, path: string) => readonly object[]) {
    this.#securityOf = security;
  }

  /** All schemas that the operations so far refer to. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return this.#components.schemas;
  }

  question(path: string, tag: string, question: Question, codes: readonly number[]): Operation {
    const { summary, answer, type, isHealth, isTagged = false } = question;
    const media = type ?? 'application/json';
    const schema =
      answer === null ? { type: type === undefined ? 'object' : 'string' } : this.#oneOf([answer]);
    const text = path === '/' ? { 'text/plain': { schema: { type: 'string' } } } : {};
    const content = { [media]: { schema }, ...text };
    const headers = isTagged ? { headers: ETAG } : {};
    const yes = { description: isHealth ? 'Yes.' : summary, ...headers, content };
    const same = isTagged ? { 304: { description: 'Nothing has changed.', ...headers } } : {};
    const no = isHealth ? { 503: { description: 'No.', content } } : {};
    const found = path === '/ui' ? { 302: { description: 'Its address ends with a slash.' } } : { 200: yes };
    return {
      ...this.#head('get', path, tag, summary),
      parameters: [...(path === '/readiness' ? [MODE] : []), ...(isTagged ? [IF_NONE_MATCH] : [])],
      responses: { ...found, ...same, ...this.#errors(this.#withRefusals('GET', path, codes)), ...no },
    };
  }

  /** HEAD and OPTIONS get the status line only. */
  bareHealth(path: string, method: string, { summary }: Question): Operation {
    return {
      ...this.#head(method, path, 'health', summary),
      parameters: path === '/readiness' ? [MODE] : [],
      responses: {
        200: { description: 'Yes.' },
        403: { description: ERRORS[403] },
        404: { description: ERRORS[404] },
        503: { description: 'No.' },
      },
    };
  }

  action(path: string, method: string, tag: string, about: Action): Operation {
    const { summary, details, bodies, answers, codes, isSilent, type = 'application/json' } = about;
    return {
      ...this.#head(method.toLowerCase(), path, tag, summary),
      ...(details === undefined ? {} : { description: details }),
      requestBody: { content: { 'application/json': { schema: this.#oneOf(bodies) } } },
      responses: {
        200: { description: 'Done.', content: { [type]: { schema: this.#oneOf(answers) } } },
        ...(isSilent ? { 204: { description: 'Accepted; there is no answer.' } } : {}),
        ...this.#errors(this.#withRefusals(method, path, [400, 413, 415, ...codes])),
      },
    };
  }

  #head(method: string, path: string, tag: string, summary: string): Operation {
    return { ...headOf(method, path, tag, summary), security: this.#securityOf(method.toUpperCase(), path) };
  }

  /** What may need a token may be refused for want of one. */
  #withRefusals(method: string, path: string, codes: readonly number[]): readonly number[] {
    if (this.#securityOf(method, path).length === 0) return codes;
    return [...new Set([400, 401, 403, ...codes, 429])].sort((a, b) => a - b);
  }

  #oneOf(shapes: readonly Shape<unknown>[]): JsonSchema {
    const schemas = shapes.map(({ schema = {} }) => this.#components.refer(schema));
    return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
  }

  #errors(codes: readonly number[]): Record<number, object> {
    const content = { 'application/json': { schema: this.#oneOf([refused]) } };
    return Object.fromEntries(codes.map((code) => [code, { description: ERRORS[code], content }]));
  }
}

function headOf(method: string, path: string, tag: string, summary: string): Operation {
  const operationId = `${method}${path === '/' ? 'FrontPage' : operationName(path)}`;
  return { operationId, summary, description: `${summary.replace(/[.?]$/, '')}.`, tags: [tag] };
}

/** `ElectionCast` for `/election/cast`. */
export function operationName(path: string): string {
  return path.replace(/(?:^|\W)+([a-z])/gi, (_, letter: string) => letter.toUpperCase()).replace(/\W/g, '');
}

/** A schema of a document, in which named schemas are references. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The named schemas of a document: each is defined once and referenced. */
class Components {
  readonly #schemas: Record<string, JsonSchema> = {};

  get schemas(): Readonly<Record<string, JsonSchema>> {
    const entries = Object.entries(this.#schemas).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  }

  refer(schema: Schema): JsonSchema {
    const { title, ...inner } = schema;
    if (title === undefined) return this.#inline(schema);
    const defined = this.#inline(inner);
    this.#schemas[title] ??= defined;
    assert(areSame(defined, this.#schemas[title]), `two schemas have the name ${title}`);
    const { description } = schema;
    const isItsOwn = description === undefined || description === this.#schemas[title].description;
    return { $ref: `#/components/schemas/${title}`, ...(isItsOwn ? {} : { description }) };
  }

  #inline({ items, properties, additionalProperties, anyOf, ...rest }: Schema): JsonSchema {
    const fields = Object.entries(properties ?? {}).map(([name, each]) => [name, this.refer(each)]);
    return {
      ...rest,
      ...(items === undefined ? {} : { items: this.refer(items) }),
      ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) }),
      ...(additionalProperties === undefined
        ? {}
        : {
            additionalProperties:
              typeof additionalProperties === 'boolean'
                ? additionalProperties
                : this.refer(additionalProperties),
          }),
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map((each) => this.refer(each)) }),
    };
  }
}

/** Are they equal, apart from their descriptions? */
function areSame(a: JsonSchema, b: JsonSchema): boolean {
  const bare = ({ description: _, ...rest }: JsonSchema): string => JSON.stringify(rest);
  return bare(a) === bare(b);
}

/** The description of the API that every member serves. */
import { electionPaths, memberPaths, type PathItem } from './openapi-paths.ts';
import { schemas } from './openapi-schemas.ts';

const description = `Every member of a Caucus cluster answers these paths.

Voters talk to each other by POST: the type of a message is its path. Its body holds who sends it (voterId, voterUrl) and the
fields of the message. A voter in any language can take part in an election of the protocol "draw": it registers with a member,
answers GET /status itself, and is sent messages by POST to the same paths under its own voterUrl. It is forgotten if it sends no
heartbeat for a while. An answer of 200 carries the fields of the message TYPE/answer, 204 says that there is none.
The messages described here are those of "draw". Those of the other protocols go to the paths of their types in the same way.

Errors are {"error":{"code","message"}}. Tokens are decimal text, since they may outgrow a JSON number.`;

/** A path item with the parameter that all its operations share. */
interface NamedPathItem {
  readonly [method: string]: unknown;
}

const named: Record<string, NamedPathItem> = {};
for (const [path, item] of Object.entries(electionPaths)) {
  const parameters = [{ $ref: '#/components/parameters/electionName' }];
  named[`/elections/{electionName}${path}`] = { ...item, parameters };
}

export const openApi: {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, PathItem | NamedPathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly parameters: object };
} = {
  openapi: '3.1.0',
  info: { title: 'The HTTP API of a Caucus member', version: '1', description },
  paths: { ...memberPaths, ...electionPaths, ...named },
  components: {
    schemas,
    parameters: {
      electionName: {
        name: 'electionName',
        in: 'path',
        required: true,
        schema: { type: 'string', pattern: '^[\\w.-]{1,100}$' },
      },
    },
  },
};

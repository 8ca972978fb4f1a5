/**
 * The proofs of a voter that speaks only REST, as somebody would write them in another language with
 * docs/authentication.md in hand. It shares no code with Caucus.
 */
import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

type Values = Readonly<Record<string, string | undefined>>;
type Sign = (status: number, body: string) => string;

export class RestVoterProof {
  readonly #id: string;
  readonly #cluster: string;
  readonly #key: Buffer;
  readonly #boot = randomBytes(16).toString('base64url');
  /** By URL: the voter that is there, and the last counter that was sent to it. */
  readonly #known = new Map<string, { id: string; boot: string; counter: number }>();
  /** By sender: the last counter. */
  readonly #last = new Map<string, number>();
  readonly #firstCounter: number;

  constructor(
    id: number | string,
    cluster: string,
    secret: string,
    firstCounter: number = Date.now() * 1000,
  ) {
    this.#id = String(id);
    this.#firstCounter = firstCounter;
    this.#cluster = cluster;
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'caucus secret 1 rest', 32));
  }

  /** Asks, and once more for each thing that it has to learn. Null if the answer is not proven. */
  async fetch(base: string, path: string, method: string, body: string): Promise<Response | null> {
    const to = this.#known.get(base) ?? { id: this.#id, boot: '', counter: this.#firstCounter };
    this.#known.set(base, to);
    for (let tries = 0; tries < 3; tries++) {
      const sent = ++to.counter;
      const counter = String(sent);
      const proof = this.#proof(
        'request',
        this.#cluster,
        this.#id,
        to.id,
        to.boot,
        counter,
        method,
        path,
        sha256(body),
      );
      const authorization = `Caucus from=${this.#id}, to=${to.id}, boot=${to.boot}, counter=${counter}, proof=${proof.toString('base64url')}`;
      const response = await fetch(`${base}${path}`, {
        method,
        headers: { 'content-type': 'application/json', authorization },
        ...(method === 'GET' ? {} : { body }),
      });
      const text = await response.text();
      const told = response.headers.get('authentication-info') ?? '';
      const isProven = isSame(told, `proof=${this.#answerProof(proof, response.status, text)}`);
      const challenge = values(response.headers.get('www-authenticate'));
      if (response.status !== 401) return isProven ? new Response(text || null, response) : null;
      if (challenge.counter !== undefined && isProven) {
        const last = Number(challenge.counter);
        to.counter = last < sent ? last : Math.max(to.counter, last);
      }
      to.id = challenge.id ?? '';
      to.boot = challenge.boot ?? '';
    }
    return null;
  }

  /** What proves the answer to a request; or the header of the 401, which is proven if it tells a counter. */
  check(
    header: string | undefined,
    method: string,
    path: string,
    body: string,
  ): { sign: Sign } | { challenge: string; sign?: Sign } {
    const { from = '', to = '', boot = '', counter = '', proof = '' } = values(header ?? null);
    const challenge = `Caucus id=${this.#id}, boot=${this.#boot}`;
    if (to !== this.#id || boot !== this.#boot) return { challenge };
    const expected = this.#proof(
      'request',
      this.#cluster,
      from,
      to,
      boot,
      counter,
      method,
      path,
      sha256(body),
    );
    if (!isSame(proof, expected.toString('base64url'))) return { challenge };
    const sign: Sign = (status, answer) => `proof=${this.#answerProof(expected, status, answer)}`;
    const last = this.#last.get(from) ?? -1;
    if (Number(counter) <= last || Number(counter) > Date.now() * 1000 + 3e15)
      return { challenge: `${challenge}, counter=${Math.max(last, 0)}`, sign };
    this.#last.set(from, Number(counter));
    return { sign };
  }

  #answerProof(request: Buffer, status: number, body: string): string {
    return this.#proof('answer', request, String(status), sha256(body)).toString('base64url');
  }

  #proof(...fields: (string | Buffer)[]): Buffer {
    const hmac = createHmac('sha256', this.#key);
    for (const field of ['caucus rest 1', ...fields]) {
      const bytes = Buffer.from(field);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      hmac.update(length).update(bytes);
    }
    return hmac.digest();
  }
}

/** The parameters of a header. */
function values(header: string | null): Values {
  const parts = (header ?? '').replace(/^Caucus /, '').split(', ');
  return Object.fromEntries(parts.map((part) => part.split('=', 2) as [string, string]));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** A connection of the liar to a member: with the proof and the seal of one that knows the secret, if there is one. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Initiator, NONCE_BYTES, Opener, readSecrets, Sealer } from '../../src/auth/index.ts';

/** The kinds of sealed frames. */
const [TEXT, PING, PONG] = [0, 1, 2];

export class LiarLink {
  readonly socket: WebSocket;
  onText: (text: string) => void = () => {};
  #sealer: Sealer | null = null;
  #opener: Opener | null = null;

  private constructor(url: string) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/link`);
    this.socket.on('error', () => {});
    this.socket.setMaxListeners(0);
  }

  static async open(
    url: string,
    [from, to]: readonly [number, number],
    secret: string | null,
  ): Promise<LiarLink> {
    const link = new LiarLink(url);
    await once(link.socket, 'open');
    if (secret !== null) await link.#prove(from, to, secret);
    link.socket.on('message', (data: Buffer, isBinary) => link.#hear(data, isBinary));
    return link;
  }

  send(text: string): void {
    this.socket.send(this.#sealer === null ? text : this.#sealer.seal(TEXT, text));
  }

  async #prove(from: number, to: number, secret: string): Promise<void> {
    const parties = { cluster: 'caucus', from, to };
    const initiator = new Initiator(parties, readSecrets(secret, 'secret'), randomBytes(NONCE_BYTES));
    this.socket.send(initiator.first());
    for (;;) {
      const [data] = (await once(this.socket, 'message')) as [Buffer];
      const step = initiator.take(data.toString());
      if (step.type === 'failed') throw new Error(`the liar is refused: ${step.flaw}`);
      if (step.type === 'say') this.socket.send(step.frame);
      else {
        this.#sealer = new Sealer(step.session.sendKey);
        this.#opener = new Opener(step.session.receiveKey);
        return;
      }
    }
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (!isBinary || this.#opener === null) return this.onText(data.toString());
    const opened = this.#opener.open(data);
    if (typeof opened === 'string') throw new Error(opened);
    if (opened.kind === TEXT) this.onText(opened.body.toString());
    else if (opened.kind === PING) this.socket.send(this.#sealer!.seal(PONG, opened.body));
  }
}

/** A connection of the liar to a member: with the proof and the seal of one that knows the secret, if there is one. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Initiator, NONCE_BYTES, Opener, readSecrets, Sealer } from '../../src/auth/index.ts';

/** The kinds of sealed frames. */
const [TEXTS, PING, PONG] = [0, 1, 2];

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
    else link.socket.on('message', (data: Buffer, isBinary) => link.#hear(data, isBinary));
    return link;
  }

  send(text: string): void {
    this.socket.send(this.#sealer === null ? text : this.#sealer.seal(TEXTS, text));
  }

  /** The first sealed frame may come together with the last one of the handshake, so one listener takes both. */
  #prove(from: number, to: number, secret: string): Promise<void> {
    const parties = { cluster: 'caucus', from, to };
    const initiator = new Initiator(parties, readSecrets(secret, 'secret'), randomBytes(NONCE_BYTES));
    return new Promise((resolve, reject) => {
      this.socket.on('close', () => reject(new Error('the liar is refused: the connection was closed')));
      this.socket.on('message', (data: Buffer, isBinary) => {
        if (this.#opener !== null) return this.#hear(data, isBinary);
        const step = initiator.take(data.toString());
        if (step.type === 'failed') return reject(new Error(`the liar is refused: ${step.flaw}`));
        if (step.type === 'say') return this.socket.send(step.frame);
        this.#sealer = new Sealer(step.session.sendKey);
        this.#opener = new Opener(step.session.receiveKey);
        resolve();
      });
      this.socket.send(initiator.first());
    });
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (!isBinary || this.#opener === null) return this.onText(data.toString());
    const opened = this.#opener.open(data);
    if (typeof opened === 'string') throw new Error(opened);
    if (opened.kind === TEXTS) for (const text of opened.body.toString().split('\n')) this.onText(text);
    else if (opened.kind === PING) this.socket.send(this.#sealer!.seal(PONG, opened.body));
  }
}

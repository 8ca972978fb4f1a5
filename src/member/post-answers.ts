import type { MemberId, Message } from '../core/index.ts';

/** While a POST request is processed, messages to its sender become the response. */
export class PostAnswers {
  #open: { readonly to: MemberId; readonly messages: Message[] } | null = null;

  /** The messages to this sender while `work` runs. */
  during(to: MemberId, work: () => void): readonly Message[] {
    const answers = { to, messages: [] };
    this.#open = answers;
    try {
      work();
    } finally {
      this.#open = null;
    }
    return answers.messages;
  }

  /** Is it part of a response? */
  take(to: MemberId, message: Message): boolean {
    if (to !== this.#open?.to) return false;
    this.#open.messages.push(message);
    return true;
  }
}

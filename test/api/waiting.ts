/** Something that tells of its changes. */
interface Telling {
  subscribe(listener: () => void): () => void;
}

/**
 * Settles once `isSo`, which is looked at after every change, and now and then without one: whether a member may act depends on
 * the clock as well, and that a lease was renewed in time is no news to anybody.
 */
export function untilSo(tellers: readonly Telling[], isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isSo()) return;
      for (const stop of stops) stop();
      clearInterval(timer);
      resolve();
    };
    const stops = tellers.map((teller) => teller.subscribe(look));
    const timer = setInterval(look, 20);
    look();
  });
}

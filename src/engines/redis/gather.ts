/** The answers that had arrived when they were enough. */
export interface Gathered<T> {
  readonly answers: readonly T[];
  readonly failures: readonly Error[];
}

/**
 * Waits until the answers so far are enough, or all have settled. Never rejects, and never waits for a stalled master
 * without need.
 */
export function gather<T>(
  asked: readonly Promise<T>[],
  isEnough: (answers: readonly T[], pending: number) => boolean,
): Promise<Gathered<T>> {
  return new Promise((resolve) => {
    const answers: T[] = [];
    const failures: Error[] = [];
    const look = (): void => {
      const pending = asked.length - answers.length - failures.length;
      if (pending === 0 || isEnough(answers, pending))
        resolve({ answers: [...answers], failures: [...failures] });
    };
    for (const each of asked) {
      each.then(
        (answer) => {
          answers.push(answer);
          look();
        },
        (error: unknown) => {
          failures.push(error instanceof Error ? error : new Error(String(error)));
          look();
        },
      );
    }
  });
}

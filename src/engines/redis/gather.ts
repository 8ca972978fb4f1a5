/** Who has answered by the time that it was enough. */
export interface Gathered<T> {
  readonly answers: readonly T[];
  readonly failures: readonly Error[];
}

/**
 * Waits until the answers so far are enough, or all have settled. It never rejects, and waits for no server without need: of several
 * masters one may be stalled.
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

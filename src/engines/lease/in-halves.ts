/**
 * Makes one request for all, which answers for each. If the store refuses it for what may concern only some of them
 * (`isPartial`), each half gets a request of its own, and so on: an item that is refused alone does not take the others
 * with it. Rejects if the request fails for all.
 */
export async function inHalves<T, A>(
  items: readonly T[],
  request: (items: readonly T[]) => Promise<readonly (A | Error)[]>,
  isPartial: (error: unknown) => boolean,
): Promise<readonly (A | Error)[]> {
  try {
    return await request(items);
  } catch (error) {
    if (items.length === 1 || !isPartial(error)) throw error;
    const middle = Math.ceil(items.length / 2);
    const halves = [items.slice(0, middle), items.slice(middle)].map(async (half) => {
      try {
        return await inHalves(half, request, isPartial);
      } catch (cause) {
        return half.map(() => (cause instanceof Error ? cause : new Error(String(cause))));
      }
    });
    return (await Promise.all(halves)).flat();
  }
}

/** One event of a stream of server-sent events. */
export interface ServerEvent {
  /** `message` where the stream gives no name. */
  readonly name: string;
  readonly data: string;
}

/** The events of a stream, as its text comes in. One that is cut off at the end is left out, as the format says. */
export async function* readEvents(chunks: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = `${rest}${chunk}`.split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const data = fieldsOf(block, 'data');
      if (data.length > 0)
        yield { name: fieldsOf(block, 'event').at(-1) ?? 'message', data: data.join('\n') };
    }
  }
}

/** All values of a field: what follows its colon, without the one space that may stand there. */
function fieldsOf(block: string, name: string): string[] {
  return block
    .split('\n')
    .filter((line) => line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
}

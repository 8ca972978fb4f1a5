/** One event of a stream of server-sent events. */
export interface ServerEvent {
  /** `message` if the stream gives no name. */
  readonly name: string;
  readonly data: string;
}

/** The events of a stream, as its text comes in. An incomplete event at the end is left out, as the format says. */
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

/** All values of a field: the text after its colon, without one leading space. */
function fieldsOf(block: string, name: string): string[] {
  return block
    .split('\n')
    .filter((line) => line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
}

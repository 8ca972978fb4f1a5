const LARGEST_ANSWER = 256 * 1024;

/** The body of a response, if it is not larger than any voter would send. */
export async function readAnswer(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > LARGEST_ANSWER) throw new Error(`its answer is larger than ${LARGEST_ANSWER} bytes`);
  }
  return Buffer.concat(chunks).toString();
}

/** `fetch` for members whose certificates are of a CA that is given: the built-in one trusts only those of the system. */
import https from 'node:https';
import { Readable } from 'node:stream';
import { parseCertificates, readPublicFile } from '../../../auth/index.ts';

/** The CA of the cluster, from the file of --tls-ca or CAUCUS_TLS_CA; null if there is none. */
export function readTlsCa(file: string | undefined, env: NodeJS.ProcessEnv): string | null {
  const [named, source] =
    file === undefined ? [env.CAUCUS_TLS_CA || null, 'CAUCUS_TLS_CA'] : [file, '--tls-ca'];
  if (named === null) return null;
  const text = readPublicFile(named, source);
  parseCertificates(text, named, source);
  return text;
}

/** Follows no redirect. Rejects as `fetch` does: the cause has the code. */
export function fetchByTls(
  url: string,
  { method = 'GET', headers, body, signal }: RequestInit,
  ca: string,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: headers as Record<string, string>, ca, agent: false };
    const request = https.request(url, { ...options, ...(signal == null ? {} : { signal }) }, (response) => {
      const { statusCode = 0 } = response;
      const found = Object.entries(response.headersDistinct).map(
        ([name, values]) => [name, (values ?? []).join(', ')] as [string, string],
      );
      const hasBody = ![101, 204, 205, 304].includes(statusCode);
      if (!hasBody) response.resume();
      const stream = hasBody ? (Readable.toWeb(response) as ReadableStream) : null;
      resolve(new Response(stream, { status: statusCode, headers: found }));
    });
    request.on('error', (cause) => {
      reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    });
    request.end(body as string | undefined);
  });
}

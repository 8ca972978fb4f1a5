import https from 'node:https';
import type { KubernetesOptions } from '../../../../src/engines/kubernetes/index.ts';

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server answered is what tests look into.
  readonly body: any;
}

/** What tests need to know of a cluster, be it one of ours or a real one. */
export interface Cluster {
  /** What the engine takes. */
  readonly url: string;
  /** `https://host:port` */
  readonly server: string;
  readonly namespace: string;
  /** The engine's options, straight to it or through a tunnel on this port of the loopback. */
  options(port?: number): KubernetesOptions;
  request(method: string, rest: string, body?: object, headers?: Record<string, string>): Promise<Reply>;
  deleteElection(name: string): Promise<void>;
  close(): Promise<void>;
}

interface Asking extends https.RequestOptions {
  readonly body?: object | undefined;
}

/** One request over a connection of its own, which shares nothing with what is tested. */
export async function requestJson(url: string, { body, headers, ...options }: Asking): Promise<Reply> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const merged = { ...type, ...(headers as Record<string, string> | undefined) };
  const request = https.request(url, { agent: false, ...options, headers: merged });
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
    request.setTimeout(5000, () => request.destroy(new Error('no answer within 5 s')));
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode!, body: JSON.parse(text) };
}

import { BadInput, show } from '../../core/index.ts';
import { CaucusError, type Leadership, readToken, staleToken } from '../../election/index.ts';

/** What is read and written of an EndpointSlice. */
export interface EndpointSlice {
  apiVersion?: string;
  kind?: string;
  metadata?: {
    name?: string;
    namespace?: string;
    labels?: { [key: string]: string };
    annotations?: { [key: string]: string };
    resourceVersion?: string;
  };
  addressType: string;
  endpoints: { addresses: string[]; conditions?: { ready?: boolean } }[];
  ports?: { name?: string; port?: number; protocol?: string }[];
}

/** What is used of the `DiscoveryV1Api` of @kubernetes/client-node: `config.makeApiClient(DiscoveryV1Api)`. */
export interface EndpointSlicesApi {
  readNamespacedEndpointSlice(input: { name: string; namespace: string }): Promise<EndpointSlice>;
  createNamespacedEndpointSlice(input: { namespace: string; body: EndpointSlice }): Promise<unknown>;
  replaceNamespacedEndpointSlice(input: {
    name: string;
    namespace: string;
    body: EndpointSlice;
  }): Promise<unknown>;
}

export interface EndpointSliceOptions {
  readonly namespace: string;
  /** The Service, which has no selector: the keeper is all that gives it endpoints. */
  readonly service: string;
  /** The address of this pod, of `status.podIP`. */
  readonly address: string;
  /** The ports of the Service, by the names that they have there. */
  readonly ports: readonly { readonly name?: string; readonly port: number }[];
}

const TOKEN = 'caucus/token';
const ATTEMPTS = 10;

/**
 * The one endpoint of a Service: the leader's. Each write replaces exactly the version that was read, and carries the token: a
 * stale leader cannot put itself back, and a leader that dies is replaced by the next one, with nothing to clean up.
 */
export class EndpointSliceKeeper {
  readonly #api: EndpointSlicesApi;
  readonly #options: EndpointSliceOptions;

  constructor(api: EndpointSlicesApi, options: EndpointSliceOptions) {
    const { namespace, service, address, ports } = options;
    for (const [name, value] of Object.entries({ namespace, service, address }))
      if (typeof value !== 'string' || value === '') throw new BadInput(name, 'a text', show(value));
    if (!Array.isArray(ports) || ports.length === 0) throw new BadInput('ports', 'at least one', show(ports));
    this.#api = api;
    this.#options = options;
  }

  /** Sends the traffic of the Service to this pod. Throws E_STALE_TOKEN if a newer leader has it. */
  async take({ token }: Pick<Leadership, 'token'>): Promise<void> {
    await this.#write(token, [{ addresses: [this.#options.address], conditions: { ready: true } }]);
  }

  /** Sends the traffic nowhere, if it still comes to this leadership. */
  async release({ token }: Pick<Leadership, 'token'>): Promise<void> {
    await this.#write(token, []).catch((error) => {
      if ((error as CaucusError).code !== 'E_STALE_TOKEN') throw error;
    });
  }

  get #name(): string {
    return `${this.#options.service}-leader`;
  }

  async #write(token: bigint, endpoints: EndpointSlice['endpoints']): Promise<void> {
    const { namespace } = this.#options;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const stored = await this.#read();
      const seen = BigInt(stored?.metadata?.annotations?.[TOKEN] ?? 0);
      if (seen > token) throw staleToken(token, seen);
      const body = this.#sliceOf(token, endpoints, stored?.metadata?.resourceVersion);
      try {
        if (stored === null) await this.#api.createNamespacedEndpointSlice({ namespace, body });
        else await this.#api.replaceNamespacedEndpointSlice({ name: this.#name, namespace, body });
        return;
      } catch (error) {
        // 409: another version is stored by now. 404: it was deleted.
        if (![404, 409].includes(codeOf(error))) throw error;
      }
    }
    throw new CaucusError(
      'E_FAILED',
      `${this.#name} was changed by others during each of ${ATTEMPTS} attempts`,
    );
  }

  #sliceOf(token: bigint, endpoints: EndpointSlice['endpoints'], version: string | undefined): EndpointSlice {
    const { namespace, service, address, ports } = this.#options;
    return {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: this.#name,
        namespace,
        labels: {
          'kubernetes.io/service-name': service,
          'endpointslice.kubernetes.io/managed-by': 'caucus',
        },
        annotations: { [TOKEN]: readToken(token) },
        ...(version === undefined ? {} : { resourceVersion: version }),
      },
      addressType: address.includes(':') ? 'IPv6' : 'IPv4',
      endpoints,
      ports: ports.map((port) => ({ protocol: 'TCP', ...port })),
    };
  }

  async #read(): Promise<EndpointSlice | null> {
    const { namespace } = this.#options;
    try {
      return await this.#api.readNamespacedEndpointSlice({ name: this.#name, namespace });
    } catch (error) {
      if (codeOf(error) === 404) return null;
      throw error;
    }
  }
}

function codeOf(error: unknown): number {
  return (error as { code?: number }).code ?? 0;
}

/** The messages of etcd's API that we use. Bytes are base64, 64-bit numbers are strings, and zeros are left out. */

export interface WireKeyValue {
  readonly key: string;
  readonly value?: string;
  readonly create_revision?: string;
  readonly mod_revision?: string;
  readonly version?: string;
  readonly lease?: string;
}

export interface Header {
  readonly revision?: string;
}

export interface TxnAnswer {
  readonly header: Header;
  readonly succeeded?: boolean;
  readonly responses?: readonly { readonly response_range?: { readonly kvs?: readonly WireKeyValue[] } }[];
}

export interface GrantAnswer {
  readonly header: Header;
  readonly ID: string;
  readonly TTL: string;
}

export interface KeepAliveAnswer {
  readonly header: Header;
  readonly TTL?: string;
}

export interface WatchAnswer {
  readonly header?: Header;
  readonly watch_id?: string;
  readonly created?: boolean;
  readonly canceled?: boolean;
  readonly compact_revision?: string;
  readonly events?: readonly { readonly type?: 'DELETE'; readonly kv: WireKeyValue }[];
}

export interface KeyValue {
  readonly key: string;
  readonly value: string;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  readonly version: bigint;
}

export type Compare = object;
export type Op = object;

export const createdAt = (key: string, revision: bigint): Compare => ({
  target: 'CREATE',
  key: encode(key),
  create_revision: `${revision}`,
});

/** Holds also for a key that does not exist, with 0. */
export const modifiedAt = (key: string, revision: bigint): Compare => ({
  target: 'MOD',
  key: encode(key),
  mod_revision: `${revision}`,
});

export const noneIn = (prefix: string, end: string): Compare => ({
  target: 'CREATE',
  key: encode(prefix),
  range_end: encode(end),
  create_revision: '0',
});

export const versionIs = (key: string, version: bigint): Compare => ({
  target: 'VERSION',
  key: encode(key),
  version: `${version}`,
});

export const get = (key: string): Op => ({ request_range: { key: encode(key) } });

/** The oldest key of this prefix. */
export const getFirst = (prefix: string, end: string): Op => ({
  request_range: {
    key: encode(prefix),
    range_end: encode(end),
    sort_target: 'CREATE',
    sort_order: 'ASCEND', // Without it the limit is applied before sorting.
    limit: '1',
  },
});

export const put = (key: string, value: string, lease = '0'): Op => ({
  request_put: { key: encode(key), value: encode(value), lease },
});

export const remove = (key: string): Op => ({ request_delete_range: { key: encode(key) } });

/** The result of the operation at this index of a transaction. */
export function found(answer: TxnAnswer, index: number): KeyValue | null {
  const wire = answer.responses?.[index]?.response_range?.kvs?.[0];
  if (wire === undefined) return null;
  return {
    key: decode(wire.key),
    value: decode(wire.value ?? ''),
    createRevision: BigInt(wire.create_revision ?? 0),
    modRevision: BigInt(wire.mod_revision ?? 0),
    version: BigInt(wire.version ?? 0),
  };
}

export const revisionOf = (header: Header | undefined): bigint => BigInt(header?.revision ?? 0);

export const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
export const decode = (bytes: string): string => Buffer.from(bytes, 'base64').toString('utf8');

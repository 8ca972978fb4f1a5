import { statfsSync } from 'node:fs';

/** File systems that several machines share, by their magic number in Linux. */
const SHARED: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
]);

/**
 * The kind of network disk that this folder is on, or null. There a socket refuses every machine but that of its
 * process, so each machine would take the leader of another for dead.
 */
export function networkDisk(folder: string): string | null {
  return process.platform === 'linux' ? networkDiskOf(statfsSync(folder).type) : null;
}

export function networkDiskOf(type: number): string | null {
  return SHARED.get(type >>> 0) ?? null;
}

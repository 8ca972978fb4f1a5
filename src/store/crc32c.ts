/**
 * CRC-32C (Castagnoli): in 512 bytes it finds every change of up to five bits. Eight bytes at a time by eight tables
 * (Kounavis and Berry, 2005): a takeover of thousands of elections seals megabytes.
 */
const TABLES: readonly Int32Array[] = makeTables();
const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as readonly [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

/** Continues the checksum `before`. */
export function crc32c(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  let i = 0;
  for (; i + 8 <= bytes.length; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    crc =
      T7[crc & 0xff]! ^
      T6[(crc >>> 8) & 0xff]! ^
      T5[(crc >>> 16) & 0xff]! ^
      T4[crc >>> 24]! ^
      T3[bytes[i + 4]!]! ^
      T2[bytes[i + 5]!]! ^
      T1[bytes[i + 6]!]! ^
      T0[bytes[i + 7]!]!;
  }
  for (; i < bytes.length; i++) crc = T0[(crc ^ bytes[i]!) & 0xff]! ^ (crc >>> 8);
  return ~crc;
}

/**
 * Continues a checksum by so many bytes of zeros, whatever it was before, with four looks into tables: a step over a zero is
 * linear, and so are many of them.
 */
export function overZeros(length: number): (before: number) => number {
  const zeros = new Uint8Array(length);
  const step = (crc: number): number => ~crc32c(zeros, ~crc);
  const bits = Array.from({ length: 32 }, (_, bit) => step(1 << bit));
  const tables = [0, 8, 16, 24].map((shift) =>
    Int32Array.from({ length: 256 }, (_, byte) =>
      bits.slice(shift, shift + 8).reduce((crc, of, bit) => ((byte >>> bit) & 1 ? crc ^ of : crc), 0),
    ),
  );
  const [a, b, c, d] = tables as [Int32Array, Int32Array, Int32Array, Int32Array];
  return (before) => {
    const crc = ~before;
    return ~(a[crc & 0xff]! ^ b[(crc >>> 8) & 0xff]! ^ c[(crc >>> 16) & 0xff]! ^ d[crc >>> 24]!);
  };
}

/** The first is that of one byte; each further one follows it with one more byte of zeros. */
function makeTables(): readonly Int32Array[] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) === 0 ? 0 : 0x82f63b78);
    return crc;
  });
  const tables = [first];
  for (let n = 1; n < 8; n++) tables.push(tables[n - 1]!.map((crc) => first[crc & 0xff]! ^ (crc >>> 8)));
  return tables;
}

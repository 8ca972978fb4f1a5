/** CRC-32C (Castagnoli): in 512 bytes it finds every change of up to five bits. */
const TABLE: Int32Array = makeTable();

/** Continues the checksum `before`. */
export function crc32c(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i++) crc = TABLE[(crc ^ bytes[i]!) & 0xff]! ^ (crc >>> 8);
  return ~crc;
}

function makeTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) === 0 ? 0 : 0x82f63b78);
    return crc;
  });
}

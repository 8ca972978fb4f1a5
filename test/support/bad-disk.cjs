/**
 * Loaded before a program (`--require`), it makes the disk bad: each sync takes SYNC_MS, and none works as long as the
 * file DISK_FULL exists.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const real = fs.fdatasyncSync;
const cell = new Int32Array(new SharedArrayBuffer(4));

fs.fdatasyncSync = (handle) => {
  Atomics.wait(cell, 0, 0, Number(process.env.SYNC_MS));
  if (fs.existsSync(process.env.DISK_FULL))
    throw Object.assign(new Error('ENOSPC: no space left on device, fdatasync'), { code: 'ENOSPC' });
  real(handle);
};
syncBuiltinESMExports();

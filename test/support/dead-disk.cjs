/**
 * Loaded before a program (`--require`), it makes the disk die: as long as the file DISK_HANGS exists, no fdatasync
 * ends; as long as the file DISK_FAILS exists, each one fails.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const { DISK_HANGS, DISK_FAILS } = process.env;
const real = { async: fs.fdatasync, sync: fs.fdatasyncSync };
const cell = new Int32Array(new SharedArrayBuffer(4));
const failure = () => Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });

fs.fdatasync = (handle, done) => {
  if (fs.existsSync(DISK_FAILS)) return process.nextTick(() => done(failure()));
  if (!fs.existsSync(DISK_HANGS)) return real.async(handle, done);
  setTimeout(() => fs.fdatasync(handle, done), 20);
};
fs.fdatasyncSync = (handle) => {
  while (fs.existsSync(DISK_HANGS)) Atomics.wait(cell, 0, 0, 20);
  if (fs.existsSync(DISK_FAILS)) throw failure();
  real.sync(handle);
};
syncBuiltinESMExports();

/**
 * Loaded before a member (`--require`), it notes when the process saw a connection end, looked at another process, and saved:
 * what a takeover consists of. It costs microseconds, and the member knows nothing of it.
 */
const { subscribe } = require('node:diagnostics_channel');
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

/** Only the last ones matter: those of one takeover. */
const MOST_MARKS = 2000;

const marks = [];
const mark = (what) => {
  marks.push({ what, atMs: Number(process.hrtime.bigint()) / 1e6 });
  if (marks.length > MOST_MARKS) marks.splice(0, MOST_MARKS / 2);
};

const { openSync, fdatasyncSync } = fs;
fs.openSync = (file, ...rest) => {
  const isLook = typeof file === 'string' && /^\/proc\/\d+\//.test(file);
  try {
    return openSync(file, ...rest);
  } finally {
    if (isLook) mark('look');
  }
};
fs.fdatasyncSync = (handle) => {
  mark('save');
  fdatasyncSync(handle);
  mark('saved');
};
syncBuiltinESMExports();

for (const channel of ['net.client.socket', 'net.server.socket'])
  subscribe(channel, ({ socket }) => {
    for (const event of ['end', 'error', 'close']) socket.prependListener(event, () => mark('closed'));
  });

globalThis[Symbol.for('caucus.bench.marks')] = { marks, mark };

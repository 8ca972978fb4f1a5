/** Loaded before a program (`--require`), it blocks the event loop for BLOCK_MS, every three times that. */
const blockMs = Number(process.env.BLOCK_MS);
const cell = new Int32Array(new SharedArrayBuffer(4));

setInterval(() => Atomics.wait(cell, 0, 0, blockMs), 3 * blockMs).unref();

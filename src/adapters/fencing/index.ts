/**
 * caucus/fencing: guards for stores that only the leader may change. Each compares the token of a write with the highest
 * token that the store has accepted, in the same atomic act as the write.
 *
 * Promises: once a write with token n was accepted, no write with a smaller token is.
 * Rests on: all writers use the guard, under the same name; the store loses nothing that it acknowledged.
 * Does not promise: that a stale leader is refused before a newer one has written for the first time. A new leader that
 * must shut out the old one at once writes something at once.
 */
export { CaucusError, checkToken, Gate, TOKEN_HEADER, type TokenCheck } from '../../election/index.ts';
export { FileFence, type StoredFile } from './file-fence.ts';
export { type Next, requireToken, type TokenRequest, type TokenResponse } from './http-guard.ts';
export { type RedisClient, RedisFence } from './redis-fence.ts';
export { type S3Client, S3Fence, type S3FenceOptions } from './s3-fence.ts';
export { type ClientOf, type SqlClient, SqlFence, type SqlFenceOptions, type SqlPool } from './sql-fence.ts';

export { type Decision, LeaseManager, type News, type Refused } from './manager.ts';
export {
  EMPTY_REGISTER,
  isReserved,
  LEASES_ELECTION,
  type LeaseRegister,
  leaseRegister,
  notReserved,
} from './register.ts';
export {
  asking,
  done,
  type LeaseReading,
  leaseReading,
  published,
  publishing,
  type Renewal,
  reading,
  releasing,
  renewal,
  renewing,
  type Taken,
  type Taking,
  taken,
  taking,
  type WatchEvent,
  watchEvent,
  watching,
} from './wire.ts';

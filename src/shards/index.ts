/** Shards that are owned by one replica each: the table, what replicas say of themselves, and the rules. */
export { type Holding, type Orders, ordersIn } from './holding.ts';
export { liveSlots, mostMoving, nextTable, resized } from './plan.ts';
export { recordElection, recordElections, SHARDS_PER_ELECTION } from './records.ts';
export { isSlotElection, SPREAD_SLOTS, slotFor } from './slots.ts';
export {
  emptyTable,
  isOfPartition,
  MOST_SHARDS,
  type Register,
  type Release,
  readRegister,
  readTable,
  type Table,
  writeRegister,
  writeTable,
} from './table.ts';

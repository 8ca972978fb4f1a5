/**
 * A row that only the leader may change. The token is stored with the row, and one statement compares and writes. In SQL:
 *
 *     UPDATE reports SET total = $1, token = $2 WHERE id = $3 AND token <= $2
 *
 * No row changed means that a newer leader has written. Here a Map stands in for the table, so that it runs anywhere.
 */
interface Row {
  readonly total: number;
  readonly token: bigint;
}

const reports = new Map<string, Row>([['daily', { total: 0, token: 0n }]]);

/** Returns how many rows were changed, as a database does. */
function update(id: string, total: number, token: bigint): number {
  const row = reports.get(id);
  if (row === undefined || row.token > token) return 0;
  reports.set(id, { total, token });
  return 1;
}

function save(total: number, token: bigint): void {
  const isChanged = update('daily', total, token) === 1;
  const outcome = isChanged ? `total is ${total}` : 'refused, a newer leader has written';
  process.stdout.write(`token ${token}: ${outcome}\n`);
}

save(10, 4n);
save(20, 5n); // A new leader.
save(11, 4n); // The old one did not know yet.
save(30, 5n);

/** Registers that no honest leader makes. */
import { expect, it } from 'vitest';
import { objection } from '../../src/protocols/quorum/bounds.ts';
import type { Message, Register } from '../../src/protocols/quorum/messages.ts';
import type { QuorumConfig } from '../../src/protocols/quorum/settings.ts';
import type { State } from '../../src/protocols/quorum/state.ts';

const members = ['a', 'b', 'c', 'd'].map((id) => ({ id, disk: `disk of ${id}` }));
const committed: Register = { term: 2, version: 5, members, founding: members, value: 'x' };

/** What the member a objects to in this register. */
function told(register: Register): string | null {
  const by = { disk: 'disk of b', start: 1, life: 'b' };
  const message: Message = { type: 'publish/copy', by, register };
  return objection({ id: 'a', committed } as State, message, {} as QuorumConfig);
}

it('a later register goes on from the version that was committed', () => {
  expect(told({ ...committed, term: 3 })).toBeNull();
  expect(told({ ...committed, term: 3, version: 6 })).toBeNull();
  for (const version of [0, 1, 4])
    expect(told({ ...committed, term: 3, version })).toBe(`version ${version} after version 5 was committed`);
});

it('one that was overtaken on its way is no lie', () => {
  expect(told({ ...committed, term: 1, version: 4, members: [] })).toBeNull();
});

it('a majority does not leave in one step', () => {
  const alone = members.slice(0, 1);
  expect(told({ ...committed, term: 3, version: 6, members: alone })).toMatch(/^3 members come and go/);
  expect(told({ ...committed, term: 3, version: 9, members: alone })).toMatch(/1 are left and 3 are needed/);
});

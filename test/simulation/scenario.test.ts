import { describe, expect, it } from 'vitest';
import { BadInput } from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { readScenario } from '../../src/simulation/index.ts';

function complaint(scenario: unknown): string {
  try {
    readScenario(scenario, catalogue);
  } catch (error) {
    if (error instanceof BadInput) return error.message;
    throw error;
  }
  return 'accepted';
}

const event = (fields: object): object => ({ protocol: 'epoch', events: [{ atMs: 1, ...fields }] });

describe('a scenario', () => {
  it('is complete without any field', () => {
    const scenario = readScenario({}, catalogue);
    expect(scenario.members.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(scenario.network).toEqual({ latencyMs: [1, 10], loss: 0, duplicate: 0, reorder: 0 });
    expect(scenario.untilMs).toBe(20_000);
  });

  it('names its members by number, by ids or by objects', () => {
    const ids = (members: unknown) => readScenario({ members }, catalogue).members.map(({ id }) => id);
    expect(ids(3)).toEqual([1, 2, 3]);
    expect(ids(['b', 10, 'a', 9])).toEqual([9, 10, 'a', 'b']);
    expect(ids([{ id: 'x' }, { id: 'w', startMs: 10 }])).toEqual(['w', 'x']);
  });

  it('takes events in the order of their times, and of the file at one time', () => {
    const { events } = readScenario(
      {
        events: [
          { atMs: 5, do: 'heal' },
          { atMs: 1, do: 'crash', member: 1 },
          { atMs: 1, do: 'restart', member: 1 },
        ],
      },
      catalogue,
    );
    expect(events.map((each) => each.do)).toEqual(['crash', 'restart', 'heal']);
  });
});

describe('a bad scenario is refused with what, where and what was expected', () => {
  const cases: [given: unknown, complaint: RegExp][] = [
    [[], /^the document: expected an object, found \[\]$/],
    [null, /^the document: expected an object, found null$/],
    [{ protocl: 'epoch' }, /^protocl: expected one of the fields protocol, .*, found an unknown field$/],
    [{ protocol: 'paxos' }, /^protocol: expected one of .*epoch.*, found "paxos"$/],
    [{ protocol: 'constructor' }, /^protocol: expected one of/],
    [{ members: 0 }, /^members: expected a number from 1 to 1000/],
    [{ members: 2.5 }, /^members:/],
    [{ members: [] }, /^members:/],
    [{ members: [1, 1] }, /^members\[1\]: expected an id that no other member has, found 1$/],
    [{ members: [1, '1'] }, /^members\[1\]: expected an id that no other member has/],
    [
      { members: [{ id: 1, colour: 'red' }] },
      /^members\[0\]\.colour: expected one of the fields id, startMs/,
    ],
    [{ members: ['leader'] }, /^members\[0\]: expected an id other than leader/],
    [{ members: ['constructor'] }, /^members\[0\]: expected an id/],
    [{ members: ['a b'] }, /^members\[0\]: expected an id/],
    [{ members: [-1] }, /^members\[0\]: expected an id/],
    [{ untilMs: -5 }, /^untilMs: expected milliseconds above 0.*, found -5$/],
    [{ untilMs: 1e300 }, /^untilMs:/],
    [{ untilMs: '20s' }, /^untilMs:.*found "20s"$/],
    [{ seed: 1.5 }, /^seed: expected a whole number/],
    [{ timing: { heartbeat: 5 } }, /^timing\.heartbeat: expected one of the fields heartbeatMs, timeoutMs/],
    [
      { timing: { timeoutMs: [300, 150] } },
      /^timing\.timeoutMs: expected milliseconds, or \[least, most\], found \[300,150\]$/,
    ],
    [{ timing: { heartbeatMs: 0 } }, /^timing\.heartbeatMs: expected milliseconds above 0/],
    [{ options: { quorum: 'yes' }, protocol: 'epoch' }, /^options\.quorum: expected no fields here/],
    [{ network: { loss: 2 } }, /^network\.loss: expected a number from 0 to 1, found 2$/],
    [{ network: { latencyMs: [10, 1] } }, /^network\.latencyMs:/],
    [
      { network: { latencyMs: { minMs: 5, meanMs: 1 } } },
      /^network\.latencyMs\.meanMs: expected more than minMs/,
    ],
    [
      { protocol: 'bully', options: { minimumMasterNodes: 9 } },
      /^options\.minimumMasterNodes: .*found 9 with 5 members/,
    ],
    [{ protocol: null }, /^protocol: .*found null$/],
    [{ network: null }, /^network: expected an object, found null$/],
    [{ disk: null }, /^disk: expected an object, found null$/],
    [
      event({ do: 'publish', value: [Number.POSITIVE_INFINITY] }),
      /^events\[0\]\.value: expected a JSON value/,
    ],
    [event({ do: 'add', member: '1' }), /^events\[0\]\.member: expected another id than 1, found "1"$/],
    [
      event({ do: 'inject', from: 2, to: 2, message: { type: 'vote', epoch: 1 } }),
      /^events\[0\]\.to: expected another member than from/,
    ],
    [{ events: {} }, /^events: expected a list/],
    [{ events: [5] }, /^events\[0\]: expected an object, found 5$/],
    [event({ do: 'explode' }), /^events\[0\]\.do: expected one of crash, restart/],
    [event({ do: 'toString' }), /^events\[0\]\.do: expected one of crash/],
    [event({}), /^events\[0\]\.do: .*found nothing$/],
    [
      event({ do: 'crash' }),
      /^events\[0\]\.member: expected one of the members 1, 2, 3, 4, 5, or leader.*found nothing$/,
    ],
    [event({ do: 'crash', member: 9 }), /^events\[0\]\.member: .*found 9$/],
    [
      event({ do: 'crash', member: 1, when: 'now' }),
      /^events\[0\]\.when: expected one of the fields atMs, do, member/,
    ],
    [event({ do: 'crash', member: 1, atMs: -1 }), /^events\[0\]\.atMs: expected milliseconds from 0/],
    [event({ do: 'heal', from: 1 }), /^events\[0\]\.to: expected both ends of the link/],
    [event({ do: 'network', member: 1, from: 1, to: 2 }), /^events\[0\]\.member: expected either/],
    [event({ do: 'network', loss: -1 }), /^events\[0\]\.loss:/],
    [event({ do: 'clock', member: 1 }), /^events\[0\]: expected a rate or jumpMs/],
    [event({ do: 'clock', member: 1, rate: 0 }), /^events\[0\]\.rate:/],
    [event({ do: 'disk', member: 1, fault: 'fire' }), /^events\[0\]\.fault: expected "stall" or "full"/],
    [event({ do: 'drop', type: 'smoke-signal' }), /^events\[0\]\.type: expected one of keep-alive/],
    [event({ do: 'hold', count: 0 }), /^events\[0\]\.count: expected a whole number from 1/],
    [
      event({ do: 'inject', from: 1, to: 2, message: { type: 'vote' } }),
      /^events\[0\]\.message\.epoch: .*found nothing$/,
    ],
    [
      event({ do: 'inject', from: 1, to: 2, message: { type: 'vote', epoch: 1, x: 1 } }),
      /^events\[0\]\.message\.x:/,
    ],
    [
      event({ do: 'inject', from: 1, to: 2, message: { type: 'boo' } }),
      /^events\[0\]\.message\.type: expected one of/,
    ],
    [event({ do: 'partition', groups: [[1, 7]] }), /^events\[0\]\.groups\[0\]\[1\]: .*found 7$/],
    [event({ do: 'add', member: 'leader' }), /^events\[0\]\.member: expected an id other than/],
    [event({ do: 'remove', member: 7 }), /^events\[0\]\.member: .*found 7$/],
    [event({ do: 'cut', from: 1, to: 1 }), /^events\[0\]\.to: expected another member than from/],
    [
      event({
        do: 'partition',
        groups: [
          [1, 2],
          [2, 3],
        ],
      }),
      /^events\[0\]\.groups: expected each member in one group, found 2 twice/,
    ],
    [
      event({ do: 'restart', member: 1, disk: 'burnt' }),
      /^events\[0\]\.disk: expected "kept" or "lost" or "restored" or "kept-or-lost", found "burnt"$/,
    ],
    [
      event({ do: 'restart', member: 1, disk: 'lost', amnesia: true }),
      /^events\[0\]\.amnesia: expected either disk or amnesia, found both$/,
    ],
    [event({ do: 'backup' }), /^events\[0\]\.member: expected one of the members/],
    [event({ do: 'twin', member: 1 }), /^events\[0\]\.disk: expected "empty" or "copied", found nothing$/],
    [event({ do: 'twin', member: 1, disk: 'kept' }), /^events\[0\]\.disk: expected "empty" or "copied"/],
    [event({ do: 'twin', member: 1, disk: 'empty', with: [7] }), /^events\[0\]\.with\[0\]: .*found 7$/],
    [event({ do: 'crash', member: "1'" }), /^events\[0\]\.member: .*found "1'"$/],
    [event({ do: 'crash', member: 1, twin: 'yes' }), /^events\[0\]\.twin: expected true or false/],
    [
      event({ do: 'evidence', member: 1, peer: 2, gone: 'yes' }),
      /^events\[0\]\.gone: expected true or false/,
    ],
  ];

  for (const [given, expected] of cases) {
    it(`${JSON.stringify(given).slice(0, 90)}`, () => {
      expect(complaint(given)).toMatch(expected);
      expect(complaint(given)).not.toContain('\n');
    });
  }
});

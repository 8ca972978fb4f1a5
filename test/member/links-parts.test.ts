import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkUrl } from '../../src/member/links/dial.ts';
import {
  bytesAround,
  encodeHello,
  encodeLocalConfirmed,
  encodeLocalToken,
  encodeMessage,
  encodeMessages,
  readFrame,
} from '../../src/member/links/frames.ts';
import type { Hub } from '../../src/member/links/hub.ts';
import { readAnswer } from '../../src/member/links/post.ts';
import { type Outgoing, Queue } from '../../src/member/links/queue.ts';
import { RestLine } from '../../src/member/links/rest-line.ts';
import { Traffic } from '../../src/member/links/traffic.ts';

const message = { type: 't' };
const item = (bytes: number): Outgoing => ({
  election: 'e',
  message,
  frame: '',
  bytes,
  earlier: () => '',
});

describe('the queue of a peer', () => {
  it('behaves like a list that loses its oldest when it is too long or too large', () => {
    const step = fc.oneof(
      fc.record({ push: fc.integer({ min: 1, max: 60 }) }),
      fc.constant('shift' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new Queue(7, 100);
        const model: Outgoing[] = [];
        for (const each of steps) {
          if (each === 'shift') {
            expect(queue.shift()).toBe(model.shift());
          } else {
            const next = item(each.push);
            model.push(next);
            let dropped = 0;
            while (model.length > 7 || model.reduce((sum, { bytes }) => sum + bytes, 0) > 100) {
              model.shift();
              dropped++;
            }
            expect(queue.push(next)).toBe(dropped);
          }
          expect(queue.length).toBe(model.length);
        }
        expect(queue.clear()).toBe(model.length);
        expect(queue.length).toBe(0);
      }),
    );
  });
});

describe('a peer that is reached by POST alone', () => {
  it('is sent whole messages: without the length of a promise it would give its own, and leases could outlive it', () => {
    const posted: unknown[] = [];
    const options = { postsInFlight: 8 };
    const poster = { post: (...args: unknown[]) => posted.push(args[2]) };
    const queue = new Queue(7, 1000);
    const asked = { type: 't', promiseMs: 1500 };
    queue.push({ election: 'e', message: asked, frame: '', bytes: 1, earlier: () => '{"type":"t"}' });
    const line = new RestLine('b', { options, poster } as unknown as Hub, queue, new Traffic(), () => {});
    line.isOpen = true;
    line.flush('http://b');
    expect(posted).toEqual([{ election: 'e', message: asked }]);
  });
});

const HELLO = {
  caucus: 2,
  id: 1,
  cluster: 'c',
  incarnation: 7,
  life: 'l',
  url: 'http://127.0.0.1:9',
  process: null,
};

describe('a frame', () => {
  it('is read as it was written', () => {
    const process = { bootId: 'b', pidNamespace: 'pid:[1]', pid: 77, startTime: '12345' };
    const localSocket = `caucus-${'0af3'.repeat(8)}`;
    const base = { id: 'a', cluster: 'c', incarnation: 7, life: 'l', url: 'http://a' };
    for (const identity of [
      { ...base, process: null },
      { ...base, process, localSocket },
    ])
      expect(readFrame(encodeHello(identity))).toEqual({ type: 'hello', identity });
    expect(readFrame(encodeLocalToken('t'))).toEqual({ type: 'local-token', token: 't' });
    expect(readFrame(encodeLocalConfirmed('t'))).toEqual({ type: 'local-confirmed', token: 't' });
    const message = { type: 'vote', term: 3 };
    const [one, other] = [encodeMessage('e', message), encodeMessage('f', { type: 'probe' })];
    const first = { election: 'e', message };
    expect(readFrame(encodeMessages([one]))).toEqual({ type: 'messages', messages: [first] });
    const both = [first, { election: 'f', message: { type: 'probe' } }];
    expect(readFrame(encodeMessages([one, other]))).toEqual({ type: 'messages', messages: both });
    expect(encodeMessages([one, other]).length - bytesAround(both)).toBe(one.length + other.length);
  });

  it('with several messages is refused in one line if one of them cannot be read, or if there are too many', () => {
    const read = (frame: unknown) => readFrame(JSON.stringify(frame));
    const fine = ['e', { type: 't' }];
    for (const [frame, reason] of [
      [[[]], 'frame: expected [election, message], found 0 items'],
      [[fine, ['e']], 'frame: expected [election, message], found 1 items'],
      [[fine, 'e'], 'frame[1]: expected [election, message], found "e"'],
      [[fine, null], 'frame[1]: expected [election, message], found null'],
      [
        [fine, [fine, fine]],
        'election: expected a string of at most 256 characters, found ["e",{"type":"t"}]',
      ],
      [[fine, ['e', []]], 'message: expected an object, found []'],
      [[fine, ['e', { type: 7 }]], 'message.type: expected a string of at most 256 characters, found 7'],
      [Array.from({ length: 257 }, () => fine), 'frame: expected at most 256 messages, found 257'],
    ])
      expect(read(frame)).toEqual({ type: 'bad', refused: { kind: 'bad-shape', reason } });
    expect(read(Array.from({ length: 256 }, () => fine))).toMatchObject({ type: 'messages' });
  });

  it('of a later version may say more of its sender', () => {
    const hello = { ...HELLO, colour: 'red' };
    expect(readFrame(JSON.stringify(hello)).type).toBe('hello');
  });

  it('may be of a later version that understands this one, and of no other', () => {
    const read = (versions: object) => readFrame(JSON.stringify({ ...HELLO, ...versions }));
    expect(read({ caucus: 3, accepts: 2 }).type).toBe('hello');
    expect(read({ caucus: 2, accepts: 1 }).type).toBe('hello');
    const refused = (versions: object) => {
      const frame = read(versions);
      return frame.type === 'bad' ? [frame.refused.kind, frame.refused.reason] : frame.type;
    };
    const said = (speaks: number, accepts: number, older: string) => [
      'other-version',
      `a process that says it is member 1 speaks version ${speaks} of the messages between members and accepts ${accepts} or later, the process that refuses it speaks 2 and accepts 2 or later; run a later release of caucus in ${older}`,
    ];
    expect(refused({ caucus: 1 })).toEqual(said(1, 1, 'that process'));
    expect(refused({ caucus: 3 })).toEqual(said(3, 3, 'the process that refuses it'));
    expect(refused({ caucus: 4, accepts: 3 })).toEqual(said(4, 3, 'the process that refuses it'));
    for (const caucus of ['2', null, -1, 2.5, {}])
      expect(refused({ caucus })).toEqual(['bad-shape', expect.stringContaining('hello.caucus: expected')]);
    expect(refused({ caucus: 3, accepts: 'two' })).toEqual([
      'bad-shape',
      expect.stringContaining('hello.accepts: expected'),
    ]);
  });

  it('of a member that does not say which process it is tells what to do', () => {
    const { life: _, ...hello } = HELLO;
    expect(readFrame(JSON.stringify(hello))).toEqual({
      type: 'bad',
      refused: {
        kind: 'bad-shape',
        reason:
          'hello.life: expected the name of a process; run the same version of caucus on all members, found nothing',
      },
    });
  });

  it('cannot lead a member to the sockets of other programs', () => {
    for (const localSocket of [
      '/tmp/.X11-unix/X0',
      `caucus-${'0af3'.repeat(8)}/x`,
      `dbus-${'0'.repeat(34)}`,
      7,
    ]) {
      expect(readFrame(JSON.stringify({ ...HELLO, localSocket }))).toMatchObject({ type: 'bad' });
    }
  });

  it('never throws, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['bad', 'messages', 'hello', 'refused']).toContain(readFrame(text).type);
      }),
    );
  });
});

describe('what a voter answers to a POST', () => {
  const read = (value: unknown): ReturnType<typeof readAnswer> =>
    readAnswer('vote', Buffer.from(JSON.stringify(value)));

  it('is the answer, and beside it the voter that gives it', () => {
    expect(read({ voterId: 2, voterUrl: 'u', granted: true })).toEqual({
      answer: { type: 'vote/answer', granted: true },
      messages: [],
      voterId: 2,
    });
    expect(read({})).toEqual({ answer: { type: 'vote/answer' }, messages: [] });
  });

  it('may hold other messages, alone or beside the answer', () => {
    const messages = [{ type: 'granted', term: 3 }];
    expect(read({ voterId: 2, messages: [...messages, 7, null, {}] })).toEqual({
      answer: null,
      messages,
      voterId: 2,
    });
    expect(read({ term: 1, messages })).toEqual({ answer: { type: 'vote/answer', term: 1 }, messages });
  });

  it('is nothing if it is no object', () => {
    for (const value of [null, 7, 'yes', [1]]) expect(read(value)).toEqual({ answer: null, messages: [] });
    expect(readAnswer('vote', Buffer.from('<html>'))).toEqual({ answer: null, messages: [] });
  });
});

describe('the address of a link', () => {
  it('lies below the URL of the member', () => {
    expect(linkUrl('http://a:1', '/link')).toBe('ws://a:1/link');
    expect(linkUrl('https://a/caucus/', '/link')).toBe('wss://a/caucus/link');
  });
});

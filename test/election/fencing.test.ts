import { describe, expect, it } from 'vitest';
import { checkToken, Gate } from '../../src/election/index.ts';

describe('a gate', () => {
  it('lets the same token pass again, a newer one for good, and an older one never', () => {
    const gate = new Gate();
    expect([3n, 3n, 5n, 3n, 4n, 5n, 2n ** 70n, 5n].map((token) => gate.accepts(token))).toEqual([
      true,
      true,
      true,
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(gate.highest).toBe(2n ** 70n);
  });

  it('goes on from the highest token that was stored', () => {
    const gate = new Gate(7n);
    expect(gate.accepts(6n)).toBe(false);
    expect(gate.accepts(7n)).toBe(true);
  });
});

describe('the token of a request', () => {
  it('passes, or is refused with the status that fits', () => {
    const gate = new Gate(10n);
    expect(checkToken('12', gate)).toEqual({ ok: true, token: 12n });
    expect(checkToken(['12'], gate)).toMatchObject({ ok: true });
    expect(checkToken('11', gate)).toMatchObject({
      ok: false,
      status: 412,
      error: { code: 'E_STALE_TOKEN' },
    });
    for (const missing of [undefined, null, []]) {
      expect(checkToken(missing, gate)).toMatchObject({ ok: false, status: 428 });
    }
    for (const bad of ['', 'x', '-1', '1.5', '0x10', ' 12', '1e3', '9'.repeat(1000), ['12', '13']]) {
      expect(checkToken(bad, gate)).toMatchObject({ ok: false, status: 400, error: { code: 'E_NO_TOKEN' } });
    }
    expect(gate.highest).toBe(12n);
  });
});

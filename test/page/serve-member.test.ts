/** Every member has the page at /ui/, as it was built. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { join, type Member } from '../../src/member/index.ts';
import { ask } from '../api/test-member.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function openMember(): Promise<Member> {
  const member = await join({ id: 'a' });
  open.push(() => member.close());
  return member;
}

describe('a member', () => {
  it('has the page, with all that it names', async () => {
    const member = await openMember();
    const page = await ask(member, 'GET', '/ui/');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const named = [...page.text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((match) => match[1]!);
    expect(named.filter((name) => name.endsWith('.js'))).toHaveLength(1);
    for (const name of named) expect((await ask(member, 'GET', `/ui/${name}`)).status).toBe(200);
    const { json } = await ask(member, 'GET', '/ui/about.json');
    expect(json).toEqual({ mode: 'member', chaos: false, api: '../', tokens: [] });
    expect((await ask(member, 'GET', '/', undefined, { accept: 'text/html' })).text).toContain(
      `${member.url}/ui/`,
    );
  });

  it('has nothing else there, and takes nothing', async () => {
    const member = await openMember();
    for (const path of ['/ui/nothing.js', '/ui/..%2fpackage.json', '/elections/main/ui/']) {
      const { status, json } = await ask(member, 'GET', path);
      expect([path, status, json.error.code]).toEqual([path, 404, 'E_NOT_FOUND']);
    }
    const { status, headers } = await ask(member, 'POST', '/ui/', {});
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('shows it under its own names only', async () => {
    const member = await openMember();
    for (const path of ['/ui', '/ui/', '/ui/about.json']) {
      const { status, json } = await ask(member, 'GET', path, undefined, { host: 'evil.example' });
      expect([status, json.error.code]).toEqual([403, 'E_HOST']);
    }
  });

  it('has it below wherever a server of the user mounts it', async () => {
    const member = await openMember();
    const server = http.createServer((request, response) => {
      request.url = request.url!.replace(/^\/inner/, '');
      member.handler(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/inner/ui`, { headers: { connection: 'close' } });
    expect(response.url).toBe(`http://127.0.0.1:${port}/inner/ui/`);
    expect(await response.text()).toContain('<div id="page">');
  });
});

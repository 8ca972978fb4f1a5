/** Three bare processes that send each other what members at rest do: what that takes at least on this machine. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../test/support/free-ports.ts';
import { Candidates } from './candidates.ts';

const SCRIPT = fileURLToPath(new URL('./bare-member.mjs', import.meta.url));

export class BareMembers extends Candidates {
  static async open(): Promise<BareMembers> {
    const ports = await freePorts(3);
    const made = new BareMembers({
      countsMessages: true,
      launch: async (id) =>
        spawn(process.execPath, [SCRIPT, String(id), JSON.stringify(ports)], {
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        }),
    });
    try {
      // The first one connects to the others.
      for (const id of [2, 3, 1]) await made.start(id);
      await made.settled();
    } catch (error) {
      await made.close();
      throw error;
    }
    return made;
  }
}

/** A member in a process of its own that always stands. Its options are the one argument, as JSON. */
import { type AnyJoinOptions, join } from '../../src/member/index.ts';

const member = await join(JSON.parse(process.argv[2]!) as AnyJoinOptions);
member.seat().stand();
process.stdout.write(`${member.url}\n`);

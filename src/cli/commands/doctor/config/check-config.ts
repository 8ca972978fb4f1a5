/** Checks what a member would be started with, before it is: the file of `caucus node --config`, and what it names. */
import { accessSync, constants } from 'node:fs';
import { BadInput, majority } from '../../../../core/index.ts';
import { readOptions } from '../../../../member/index.ts';
import { needsMajority } from '../../../../story/index.ts';
import { joinOptions } from '../../../input/config/join-options.ts';
import { type MemberConfig, readMemberConfig } from '../../../input/config/member-config.ts';
import { namedByOrigin } from '../../../input/config/named-by-origin.ts';
import { Refusal, systemWords } from '../../../input/refusal.ts';
import type { Examined } from '../examine.ts';
import { bySeverity, type Finding, problem, warning } from '../finding.ts';
import { listed } from '../gathered.ts';
import { certificateFindings, hostFindings, portAndFolderFindings } from './check-machine.ts';

const AREAS = ['settings', 'peers', 'port and data folder', 'certificates', 'host names'] as const;

export async function checkConfig(file: string, env: NodeJS.ProcessEnv): Promise<Examined> {
  if (file !== '-') {
    try {
      accessSync(file, constants.R_OK);
    } catch (error) {
      throw new Refusal(`--config: ${file}: ${systemWords(error)}`);
    }
  }
  const found = new Map<string, readonly Finding[]>();
  const config = await orFinding(found, 'settings', () => readMemberConfig({ config: file }, env));
  if (config !== null) found.set('peers', peerFindings(config));
  const settled =
    config === null
      ? null
      : await orFinding(found, 'settings', () =>
          namedByOrigin(config, () => readOptions(joinOptions(config))),
        );
  if (settled !== null) {
    found.set('port and data folder', await portAndFolderFindings(settled));
    found.set('certificates', certificateFindings(settled));
    found.set('host names', await hostFindings(settled));
  }
  const isSound = (area: string): boolean => found.get(area)?.length === 0;
  return {
    isAnswered: true,
    findings: bySeverity([...found.values()].flat()),
    sound: AREAS.filter(isSound),
    unchecked: AREAS.filter((area) => !found.has(area)),
  };
}

/** The result, or null with a finding if what was given cannot be used. */
async function orFinding<T>(
  found: Map<string, readonly Finding[]>,
  area: string,
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    const result = await read();
    found.set(area, []);
    return result;
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof BadInput)) throw error;
    found.set(area, [refused(error)]);
    return null;
  }
}

/** By the option that was refused, or its group. */
const KINDS: Readonly<Record<string, string>> = {
  tls: 'certificate',
  secretFile: 'secret',
  secret: 'secret',
  tokens: 'tokens',
  timing: 'settings',
  options: 'settings',
};

function refused(error: Refusal | BadInput): Finding {
  const group = error instanceof BadInput ? (/^\w+/.exec(error.path)?.[0] ?? '') : '';
  return problem(
    KINDS[group] ?? 'config',
    'the configuration',
    `a member cannot start with it: ${error.message}`,
    'correct it as the message says; caucus node --config FILE --print-config shows where each setting comes from',
  );
}

function peerFindings({ settings, definition, options }: MemberConfig): readonly Finding[] {
  const { id, url, peers = [], seedHost } = settings;
  const findings: Finding[] = [];
  const ids = [...new Set([...(id === undefined ? [] : [id]), ...peers.map((peer) => peer.id)])];
  if (id === undefined && peers.length > 0)
    findings.push(
      problem(
        'no-id',
        'id',
        'is not set, so each start is that of a member with a new name, which the others do not know',
        `set id to one of ${listed(ids)}`,
      ),
    );
  for (const [i, peer] of peers.entries()) {
    const same = peers.slice(0, i).find((each) => bare(each.url) === bare(peer.url));
    if (same !== undefined)
      findings.push(
        problem(
          'same-url',
          'peers',
          `${same.id} and ${peer.id} have the same URL, ${peer.url}`,
          'give each member its own URL',
        ),
      );
  }
  const taken = peers.find((peer) => peer.id !== id && url !== undefined && bare(peer.url) === bare(url));
  if (taken !== undefined)
    findings.push(
      problem(
        'wrong-id',
        'id',
        `is ${JSON.stringify(id)}, but its URL, ${url}, is that of the peer ${taken.id}`,
        `set id to ${taken.id}, or correct the URL`,
      ),
    );
  if (seedHost === undefined && needsMajority(definition, options))
    findings.push(...sizeFindings(ids.length));
  return findings;
}

function sizeFindings(count: number): readonly Finding[] {
  if (count > 2 && count % 2 === 1) return [];
  const what =
    count < 3
      ? `name ${count === 1 ? 'one member' : 'two members'}: no failure is survived`
      : `name ${count} members, an even number, of which ${majority(count)} are needed: no more failures are survived than with ${count - 1}`;
  return [warning('member-count', 'peers', what, 'run three or five members')];
}

function bare(url: string): string {
  return (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, '');
}

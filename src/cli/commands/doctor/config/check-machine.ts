/** What a start would find on this machine: its port, its data folder, its certificate, the names of hosts. */
import { lookup } from 'node:dns/promises';
import { createServer, isIP } from 'node:net';
import { status } from '../../../../api/wire/index.ts';
import { isPem, parseCertificates, readPublicFile } from '../../../../auth/index.ts';
import { inspectFolder, type readOptions } from '../../../../member/index.ts';
import { MemberClient, NoAnswer } from '../../ask/member-client.ts';
import { type Finding, problem, warning } from '../finding.ts';

type Settled = Awaited<ReturnType<typeof readOptions>>;

const ANSWER_WITHIN_MS = 2000;
const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

/** Where the member itself runs already, its port and its folder are in use by it. */
export async function portAndFolderFindings(settled: Settled): Promise<readonly Finding[]> {
  const port = await portFinding(settled);
  if (port === 'itself') return [];
  return [...(port === null ? [] : [port]), ...(await folderFindings(settled))];
}

async function portFinding(settled: Settled): Promise<Finding | 'itself' | null> {
  const { listen, id, cluster, tls } = settled;
  if (listen === null || listen.port === 0) return null;
  const code = await whyNotListen(listen.host, listen.port);
  if (code === null) return null;
  const subject = `port ${listen.port}`;
  if (code !== 'EADDRINUSE')
    return problem(
      'port',
      subject,
      `cannot be listened on at ${listen.host} (${code})`,
      code === 'EACCES'
        ? 'ports below 1024 need a privilege: take another one, or setcap cap_net_bind_service'
        : 'this machine does not have that address: set listen, for example to 0.0.0.0 and the port',
    );
  const found = await memberAt(listen, tls);
  if (found?.voterId === id && found.cluster === cluster) return 'itself';
  return problem(
    'port',
    subject,
    found === null
      ? `is in use at ${listen.host} by a program that is no member`
      : `is in use at ${listen.host} by member ${found.voterId} of the cluster ${found.cluster}`,
    `ss -ltnp 'sport = :${listen.port}' names the process; stop it, or take another port and tell it to all members`,
  );
}

function whyNotListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function memberAt(
  { host, port }: NonNullable<Settled['listen']>,
  tls: Settled['tls'],
): Promise<{ readonly voterId: string | number; readonly cluster: string } | null> {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? '127.0.0.1' : isIP(host) === 6 ? `[${host}]` : host;
  const ca = tls === null ? null : isPem(tls.files.ca) ? tls.files.ca : readPublicFile(tls.files.ca, 'tlsCa');
  const url = `${tls === null ? 'http' : 'https'}://${name}:${port}`;
  try {
    return await new MemberClient(url, undefined, null, ca).get('/status', status, ANSWER_WITHIN_MS);
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    throw error;
  }
}

async function folderFindings(settled: Settled): Promise<readonly Finding[]> {
  const { data } = settled;
  if (data === null) return [];
  const state = await inspectFolder({ ...settled, data });
  switch (state.is) {
    case 'new':
    case 'usable':
      return [];
    case 'locked':
      return [
        problem(
          'data-folder-locked',
          data,
          `is used by ${state.by}`,
          'stop that process, or give this member a data folder of its own',
        ),
      ];
    case 'unusable':
      return [
        problem(
          'data-folder',
          data,
          `cannot be used as the data folder: ${state.reason}`,
          'correct the path or its rights. To begin with an empty disk, name a new folder: the others give the member its seat again; never copy the folder of another member',
        ),
      ];
  }
}

/** What readOptions has accepted, and will not do for long. */
export function certificateFindings({ tls, url }: Settled): readonly Finding[] {
  if (tls === null) return [];
  const { certificateMs, caMs } = tls.expiry;
  const soon = ([what, atMs]: readonly [string, number]): readonly Finding[] => {
    const days = Math.floor((atMs - Date.now()) / DAY_MS);
    if (days >= SOON_DAYS) return [];
    return [warning('certificate', what, `expires in ${days} days`, 'issue a new one (caucus cert)')];
  };
  return [
    ...soon(['the certificate', certificateMs]),
    ...soon(['a CA', caMs]),
    ...(url === null ? [] : hostOfCertificate(tls.files.cert, new URL(url).hostname)),
  ];
}

/** Members compare ids; clients such as curl compare the name of the host. */
function hostOfCertificate(file: string, hostname: string): readonly Finding[] {
  const pem = isPem(file) ? file : readPublicFile(file, 'tlsCert');
  const [leaf] = parseCertificates(pem, file, 'tlsCert');
  const host = hostname.replace(/^\[|\]$/g, '');
  const isNamed = isIP(host) === 0 ? leaf!.checkHost(host) : leaf!.checkIP(host);
  if (isNamed !== undefined) return [];
  return [
    warning(
      'certificate-host',
      'the certificate',
      `does not name ${host}, the host of its URL: members accept it, and clients such as curl and caucus status do not`,
      `issue one that names it: caucus cert member --help`,
    ),
  ];
}

export async function hostFindings({ peers, url }: Settled): Promise<readonly Finding[]> {
  const urls = [...peers.map((peer) => peer.url), ...(url === null ? [] : [url])];
  const hosts = [...new Set(urls.map((each) => new URL(each).hostname.replace(/^\[|\]$/g, '')))];
  const findings = await Promise.all(
    hosts.map(async (host) => {
      try {
        await lookup(host);
        return [];
      } catch (error) {
        const { code = 'unknown' } = error as NodeJS.ErrnoException;
        return [
          problem(
            'host-name',
            host,
            `cannot be looked up on this machine (${code})`,
            `getent hosts ${host}; correct the URL, DNS or /etc/hosts`,
          ),
        ];
      }
    }),
  );
  return findings.flat();
}

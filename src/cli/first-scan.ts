// One scan of a new configuration, and what a person should know of it: which miners, which trouble, which addresses to look at.

import type { AgentConfig } from '../agent/config.ts';
import { type Found, scanOnce } from '../agent/once.ts';
import { formatDurationMs } from '../base/duration.ts';
import type { ScanAccount } from '../model/contact.ts';
import { formatModel } from './format.ts';
import { type CliContext, painter, progressBar } from './terminal.ts';

export type FirstScan = {
  readonly addresses: number;
  readonly identified: number;
  readonly login_refused: readonly string[];
  readonly unknown: readonly string[];
  readonly not_hashing: readonly string[];
  readonly models: Readonly<Record<string, number>>;
  /** For people. */
  readonly text: string;
};

/** Addresses named in one line of advice. */
const NAMED = 5;

export async function firstScan(config: AgentConfig, context: CliContext): Promise<FirstScan> {
  const progress = progressBar(context, 'scanning');
  const found: Found[] = [];
  let account: ScanAccount;
  try {
    const ranges = config.ranges.ranges.map(({ range }) => range.text);
    account = await scanOnce(
      { config, ranges, exclude: [] },
      {
        onUnderstood() {},
        onFound: (miner) => void found.push(miner),
        onProgress: (done, total, miners) => progress.update(done, total, `${miners} miners`),
      },
      context.signal,
    );
  } finally {
    progress.stop();
  }
  const of = (status: Found['status']) => found.filter((miner) => miner.status === status);
  const models = new Map<string, number>();
  for (const { reading, identity, driver } of [...of('identified'), ...of('login_refused')]) {
    const model = formatModel(reading?.make ?? identity?.make, reading?.model ?? identity?.model ?? driver);
    models.set(model, (models.get(model) ?? 0) + 1);
  }
  const outcome = {
    addresses: account.addresses,
    identified: account.counts.identified,
    login_refused: of('login_refused').map(({ ip }) => ip),
    unknown: of('unknown').map(({ ip }) => ip),
    not_hashing: of('identified').flatMap(({ ip, reading }) => (reading?.hashrateHs === 0 ? [ip] : [])),
    models: Object.fromEntries([...models].toSorted(([, a], [, b]) => b - a)),
  };
  return { ...outcome, text: describe(outcome, account, context) };
}

function describe(scan: Omit<FirstScan, 'text'>, account: ScanAccount, context: CliContext): string {
  const paint = painter(context.stdout);
  const total = Object.values(scan.models).reduce((sum, count) => sum + count, 0);
  const lines = [
    `${paint('bold', `${total} miners`)} on ${account.addresses} addresses, in ${formatDurationMs(account.elapsedMs)}`,
    ...Object.entries(scan.models).map(([model, count]) => `  ${String(count).padStart(5)}  ${model}`),
    ...advise(
      scan.login_refused,
      'refuse the login',
      'set their password: pithead setup, or credentials.logins in the configuration',
      paint,
    ),
    ...advise(scan.not_hashing, 'do not hash', 'pithead miner <ip> says what is wrong', paint),
    ...advise(scan.unknown, 'answer and are not known', 'pithead miner <ip> shows what they say', paint),
  ];
  if (total === 0) {
    const why =
      account.counts.closed > 0
        ? `${account.counts.closed} hosts answer, with every miner port closed`
        : 'no address answers';
    lines.push(
      paint(
        'yellow',
        `No miner was found: ${why}. Are these the networks of the miners, is this host let through? pithead doctor`,
      ),
    );
  }
  return lines.join('\n');
}

function advise(ips: readonly string[], what: string, then: string, paint: ReturnType<typeof painter>): string[] {
  if (ips.length === 0) return [];
  const more = ips.length > NAMED ? ` and ${ips.length - NAMED} more` : '';
  return [paint('yellow', `${ips.length} ${what}: ${ips.slice(0, NAMED).join(', ')}${more}; ${then}`)];
}

// One scan of a new configuration and its result for a person: the miners, the troubles, the addresses to look at. An
// agent that runs on this configuration does the scan, so that no second program asks its miners.
import type { Found } from '../../agent/capture/found.ts';
import type { AgentConfig } from '../../agent/config/config.ts';
import type { RunningAgent } from '../../agent/control/control-client.ts';
import { scanOnce } from '../../agent/standalone/scan.ts';
import { ConfigError, PeerError, RefusedError, renderError } from '../../base/errors.ts';
import { formatDurationMs } from '../../base/time/duration.ts';
import type { ScanAccount } from '../../model/contact.ts';
import { byWayOf, seekAgent, troubleOf, WITHOUT_IT } from '../miners/running-agent.ts';
import { formatModel } from '../output/format.ts';
import { type CliContext, painter, withProgress } from '../output/terminal.ts';

/** `text` is for people. */
export type FirstScan = ReturnType<typeof summarise> & { readonly text: string };

/** Addresses named in one line of advice. */
const NAMED = 5;

/** `path` = the file of the configuration, as it is on the disk now. */
export async function firstScan(config: AgentConfig, path: string, context: CliContext): Promise<FirstScan> {
  const found: Found[] = [];
  const asked = { ranges: config.ranges.ranges.map(({ range }) => range.text), exclude: [] };
  const account = await withProgress(context, 'scanning', ({ update }) => {
    const listener = {
      onUnderstood() {},
      onFound: (miner: Found) => void found.push(miner),
      onProgress: (done: number, total: number, miners: number) => update(done, total, `${miners} miners`),
    };
    return throughOwn(path, context, {
      ask: (agent) => agent.scan(asked, listener, context.signal),
      alone: () => scanOnce({ config, ...asked }, listener, context.signal),
    });
  });
  const summary = summarise(found, account);
  return { ...summary, text: describe(summary, account, context) };
}

function summarise(found: readonly Found[], account: ScanAccount) {
  const of = (status: Found['status']) => found.filter((miner) => miner.status === status);
  const models = new Map<string, number>();
  for (const { reading, identity, driver } of [...of('identified'), ...of('login_refused')]) {
    const model = formatModel(reading?.make ?? identity?.make, reading?.model ?? identity?.model ?? driver);
    models.set(model, (models.get(model) ?? 0) + 1);
  }
  return {
    addresses: account.addresses,
    identified: account.counts.identified,
    login_refused: of('login_refused').map(({ ip }) => ip),
    unknown: of('unknown').map(({ ip }) => ip),
    /** They look like miners and give no proof, by the driver that would read them. */
    likely: account.likely ?? {},
    not_hashing: of('identified').flatMap(({ ip, reading }) => (reading?.hashrateHs === 0 ? [ip] : [])),
    models: Object.fromEntries([...models].toSorted(([a, most], [b, fewer]) => fewer - most || (a < b ? -1 : 1))),
  };
}

/** What an agent keeps from before its restart, and would scan by. */
const OLD_WAYS: ReadonlySet<string> = new Set(['stateDir', 'portMap']);

/** By the agent that runs on this configuration, if it can take it over as it is now. */
async function throughOwn<T>(
  path: string,
  context: CliContext,
  { ask, alone }: { ask(agent: RunningAgent): Promise<T>; alone(): Promise<T> },
): Promise<T> {
  const { stateDir, found } = await seekAgent({ config: path }, context);
  if (found.kind === 'none') return alone();
  if (found.kind !== 'running') {
    context.stderr.write(`${troubleOf(found.kind, stateDir).text}${WITHOUT_IT}`);
    return alone();
  }
  const { agent } = found;
  try {
    const trouble = await takeOver(agent);
    if (trouble === undefined) {
      context.stderr.write(byWayOf(stateDir));
      return await ask(agent);
    }
    context.stderr.write(`the agent that runs here cannot scan this before its restart: ${trouble}\n`);
  } finally {
    await agent.close();
  }
  return alone();
}

/** Why not; undefined when it has. */
async function takeOver(agent: RunningAgent): Promise<string | undefined> {
  try {
    const { needs_restart } = await agent.reload();
    const old = needs_restart.filter((setting) => OLD_WAYS.has(setting));
    return old.length === 0 ? undefined : `${old.join(', ')} changed`;
  } catch (error) {
    if (error instanceof RefusedError || error instanceof ConfigError || error instanceof PeerError)
      return renderError(error);
    throw error;
  }
}

function describe(scan: ReturnType<typeof summarise>, account: ScanAccount, context: CliContext): string {
  const paint = painter(context.stdout);
  const total = Object.values(scan.models).reduce((sum, count) => sum + count, 0);
  const lines = [
    `${paint('bold', `${total} miners`)} on ${account.addresses} addresses, in ${formatDurationMs(account.elapsedMs)}`,
    ...Object.entries(scan.models).map(([model, count]) => `  ${String(count).padStart(5)}  ${model}`),
    ...advise(
      scan.login_refused,
      'let no one in without a login',
      'do they wait for you (pithead trust list)? Else set their password: credentials.logins in the configuration',
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

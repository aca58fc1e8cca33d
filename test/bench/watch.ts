// What lists that stay on screens cost the program of the farm: its processor time with and without them, in turns in
// one run, over real sockets, with real terminals. The farm and the lists run in processes of their own. The processors
// must have time left: where they are full, lists take their time from polls.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OWNERS_ENVIRONMENT, OWNERS_LOGINS } from '../../fixtures/farm/owners.ts';
import { findRunningAgent } from '../../src/agent/control/control-client.ts';
import { systemClock } from '../../src/base/clock.ts';
import { runOnTerminal } from '../e2e/terminal.ts';
import { asInstalled } from '../support/background.ts';
import { startFarmProcess } from './farm-process.ts';
import { print, processFigures } from './figures.ts';

const root = join(import.meta.dirname, '..', '..');
/** One process may not open the files of all of them. */
const NETWORKS = ['127.80.0.0/19', '127.80.32.0/19', '127.80.64.0/19'];
const MOST_OF_A_FARM = 4_500;
const FOUND_WITHIN_MS = 600_000;

export async function benchWatch(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '60' },
      rounds: { type: 'string', default: '2' },
      lists: { type: 'string', default: '1' },
    },
  });
  const [miners, seconds, count] = [Number(values.miners), Number(values.seconds), Number(values.rounds)];
  const lists = Number(values.lists);
  const farms = await Promise.all(
    parts(miners).map((count, part) =>
      startFarmProcess([
        ...['--miners', String(count), '--network', NETWORKS[part] ?? '', '--seed', String(part + 1)],
        ...['--mix', 'all', '--for', '2h'],
      ]),
    ),
  );
  const folder = mkdtempSync(join(tmpdir(), 'pithead-bench-'));
  const stateDir = join(folder, 'state');
  mkdirSync(stateDir, { mode: 0o700 });
  const config = join(folder, 'pithead.yaml');
  // Polls follow the order in which miners were found, so a minute can have many or few. Of four windows each side has
  // one in each half of the interval.
  writeFileSync(
    config,
    JSON.stringify({
      ...{ stateDir, networks: NETWORKS, scan: { maxPerSecond: 5_000 }, poll: { interval: `${2 * seconds}s` } },
      credentials: { trust: 'network', logins: OWNERS_LOGINS },
    }),
    { mode: 0o600 },
  );
  const {
    command,
    args: program,
    environment,
  } = asInstalled([join(root, 'src', 'main.ts'), 'up', '--config', config, '--port', '0']);
  const child = spawn(command, program, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...environment, ...OWNERS_ENVIRONMENT },
  });
  const ended = new Promise((end) => child.once('exit', end).once('error', end));
  try {
    print(`${await settled(stateDir, miners)} of ${miners} miners are known`);
    const farmCpuS = () => farms.reduce((sum, { pid }) => sum + processFigures(pid).cpuS, 0);
    const windowOf = async (work: () => Promise<unknown>): Promise<Window> => {
      const before = { ownS: processFigures(child.pid ?? 0).cpuS, farmS: farmCpuS() };
      const startMs = systemClock.monotonicMs();
      await work();
      const elapsedS = (systemClock.monotonicMs() - startMs) / 1_000;
      const share = (cpuS: number) => (100 * cpuS) / elapsedS;
      return {
        own: share(processFigures(child.pid ?? 0).cpuS - before.ownS),
        farm: share(farmCpuS() - before.farmS),
      };
    };
    const rest = () => systemClock.sleep(seconds * 1_000);
    // The scan and the first polls are no part of it.
    await rest();
    const watched = () =>
      Promise.all(
        Array.from({ length: lists }, () =>
          runOnTerminal(['miners', '--watch', '--config', config], {
            columns: 120,
            answers: [
              [' miners', rest],
              [' miners', 'q'],
            ],
          }),
        ),
      );
    const rounds: Record<'without' | 'withThem', Window[]>[] = [];
    for (let round = 1; round <= count; round++) {
      // What grows or falls with time counts for neither side.
      const without = [await windowOf(rest)];
      const withThem = [await windowOf(watched), await windowOf(watched)];
      without.push(await windowOf(rest));
      print(`round ${round}: ${summed(without, withThem, lists)} (${seconds} s each)`);
      rounds.push({ without, withThem });
    }
    const all = (side: 'without' | 'withThem') => rounds.flatMap((round) => round[side]);
    print(`all: ${summed(all('without'), all('withThem'), lists)}`);
  } finally {
    child.kill('SIGTERM');
    await ended;
    await Promise.all(farms.map((farm) => farm.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of one core, per cent: the program that is measured, and the farm that it polls. */
type Window = { readonly own: number; readonly farm: number };

/**
 * What a list costs. The farm does the same for each poll, so its processor time says how many polls a window had, and
 * how fast the machine was in it: the windows without lists are taken as if theirs had been the same. That counts all
 * work of the program as work of polls, so it corrects too much; what was measured is printed beside it.
 */
function summed(without: readonly Window[], withThem: readonly Window[], lists: number): string {
  const mean = (windows: readonly Window[], name: keyof Window) =>
    windows.reduce((sum, window) => sum + window[name], 0) / windows.length;
  const due = (mean(without, 'own') * mean(withThem, 'farm')) / mean(without, 'farm');
  const each = (mean(withThem, 'own') - due) / lists;
  const shown = (windows: readonly Window[]) =>
    windows.map(({ own, farm }) => `${own.toFixed(1)} beside ${farm.toFixed(1)}`).join(', ');
  return `${due.toFixed(1)} % of a core without lists, ${mean(withThem, 'own').toFixed(1)} % with ${lists}: ${each.toFixed(1)} % more for each; the program beside the farm: without ${shown(without)}; with ${shown(withThem)}`;
}

const parts = (miners: number): number[] =>
  NETWORKS.map((_, part) => Math.min(MOST_OF_A_FARM, miners - part * MOST_OF_A_FARM)).filter((count) => count > 0);

/** Until no more miners come: how many are known then. */
async function settled(stateDir: string, miners: number): Promise<number> {
  const startMs = systemClock.monotonicMs();
  for (;;) {
    await systemClock.sleep(10_000);
    const found = await findRunningAgent(stateDir);
    let known = 0;
    if (found.kind === 'running') {
      known = (await found.agent.state()).miners.total;
      await found.agent.close();
    }
    if (known >= miners * 0.98 || systemClock.monotonicMs() - startMs > FOUND_WITHIN_MS) return known;
  }
}

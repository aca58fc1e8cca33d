// Driver files of tests: written into folders of their own, without imports, as a stranger would.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { DriverFolder, type DriverSettings } from '../../../../src/driver/load/driver-folder.ts';
import type { LoadedDriver } from '../../../../src/driver/load/loaded-driver.ts';

/** A driver that reads the summary of CGMiner; `more` replaces parts of it. */
export const driverText = (id: string, more = '', before = '') => `${before}
export default ({ defineDriver, tcp, z, confidenceOf, PeerError }) =>
  defineDriver({
    id: '${id}',
    make: 'Toy',
    families: [{ id: '${id}', tcp: [{ words: ['${id.toUpperCase()}'] }] }],
    covers: [{ models: 'Toy T1', firmware: '1.x', evidence: 'claimed' }],
    asks: { summary: { every: 'poll', ...tcp('summary'), needs: 'SUMMARY' } },
    identify(evidence) {
      if (evidence.family !== '${id}') return undefined;
      return { confidence: confidenceOf(evidence), make: 'Toy', model: 'T1' };
    },
    read({ summary }) {
      const row = summary.row('SUMMARY');
      return { uptimeS: row.seconds('Elapsed'), hashrateHs: row.rateHs('MHS av', 'M') };
    },
    ${more}
  });
`;

export const RAW = { summary: { SUMMARY: [{ 'MHS av': '95,000.5', Elapsed: 12 }] } };
export const READ = { reading: { make: 'Toy', hashrateHs: 95_000.5e6, isMining: true, uptimeS: 12 }, unparsable: [] };

/** A folder with these files, which is gone after the test. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-drivers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  for (const [name, text] of Object.entries(files)) put(folder, name, text);
  return folder;
}

export function put(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, text, { mode: 0o644 });
  chmodSync(path, 0o644);
}

export type Opened = {
  readonly folder: DriverFolder;
  readonly drivers: readonly LoadedDriver[];
  /** Throws where there is none. */
  driver(id: string): LoadedDriver;
  /** What the log said as warning or error. */
  readonly lines: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[];
};

export async function open(
  path: string,
  {
    settings = {},
    builtIn = [],
    clock = systemClock,
  }: {
    readonly settings?: Readonly<Record<string, Partial<DriverSettings>>>;
    readonly builtIn?: readonly LoadedDriver[];
    readonly clock?: typeof systemClock;
  } = {},
): Promise<Opened> {
  const lines: Opened['lines'] = [];
  const note = (fields: Readonly<Record<string, unknown>>, message: string) => void lines.push({ message, fields });
  const folder = new DriverFolder({
    folder: () => path,
    settings: () =>
      Object.fromEntries(Object.entries(settings).map(([id, given]) => [id, { replace: false, allow: [], ...given }])),
    builtIn,
    clock,
    log: { debug() {}, info() {}, warn: note, error: note },
  });
  onTestFinished(() => folder.close());
  const drivers = await folder.load();
  return {
    folder,
    drivers,
    driver(id) {
      const driver = drivers.find((each) => each.id === id);
      if (driver === undefined) throw new Error(`no driver ${id}: ${JSON.stringify(folder.refused())}`);
      return driver;
    },
    lines,
  };
}

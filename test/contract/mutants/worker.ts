// A process that holds mutants of drivers to the shared contract, one after the other: what first refuses one, or
// nothing. It loads the driver anew for each, with one of its files changed; all else stays as it is loaded.
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { drivers, families } from '../../../drivers/index.ts';
import { FAMILY_NAMES } from '../../../fixtures/farm/mix.ts';
import { HUNTS, QUICK_CHECKS } from '../../../src/driver/check/check.ts';
import { DEVICE_CHECKS } from '../../../src/driver/check/device/check.ts';
import { type Finding, runCheck, type Subject } from '../../../src/driver/check/finding.ts';
import type { Driver } from '../../../src/driver/contract.ts';
import { type AbilityFarm, abilityFarm, kindsOf, NONE_LEFT } from '../ability-farm.ts';
import { contractOf } from '../contract-files.ts';
import { deviceSubjectOf } from '../device-bench.ts';
import { samplesOf } from '../samples.ts';
import { jobSchema, type Range, type Verdict } from './job.ts';

const DRIVERS = join(import.meta.dirname, '..', '..', '..', 'drivers');
/** Enough for a device that lives a hundred times faster than we do. */
const PATIENCE_MS = 600;
const PER_KIND = 64;

const outOfDevices = { check: 'bench', seen: 'the farm is too small', next: 'raise PER_KIND' };

let nth = 0;
let changed: { readonly url: string; readonly source: string } | undefined;
const MARK = '?mutant=';

// Files of the driver that a mutant imports are loaded anew with it.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const [, mark] = context.parentURL?.split(MARK) ?? [];
    if (mark === undefined || !specifier.startsWith('./')) return found;
    return { ...found, url: `${found.url}${MARK}${mark}` };
  },
  load(url, context, next) {
    if (changed === undefined || url !== changed.url) return next(url, context);
    return { format: 'module-typescript', source: changed.source, shortCircuit: true };
  },
});

const isDriver = (value: unknown, id: string): value is Driver =>
  typeof value === 'object' && value !== null && 'id' in value && value.id === id && 'read' in value;

async function load(id: string, file: string, source: string | undefined): Promise<Driver> {
  nth++;
  const mark = `${MARK}${nth}`;
  changed = source === undefined ? undefined : { url: `${pathToFileURL(join(DRIVERS, id, file)).href}${mark}`, source };
  const module: Readonly<Record<string, unknown>> = await import(
    `${pathToFileURL(join(DRIVERS, id, 'index.ts')).href}${mark}`
  );
  const driver = Object.values(module).find((value) => isDriver(value, id));
  if (!isDriver(driver, id)) throw new Error(`${fileURLToPath(pathToFileURL(join(DRIVERS, id)))} exports no driver`);
  return driver;
}

/** The first finding, if there is one. */
async function judge(driver: Driver, network: string): Promise<Finding | undefined> {
  const subject: Subject = {
    driver,
    folder: `drivers/${driver.id}`,
    families,
    samples: samplesOf(driver),
    exceptions: contractOf(driver.id),
  };
  for (const check of QUICK_CHECKS) for (const found of await runCheck(check, subject)) return found;
  const own = drivers.map((each) => (each.id === driver.id ? driver : each));
  const kinds = kindsOf(FAMILY_NAMES, own).filter((kind) => kind.driver === driver);
  let site: AbilityFarm | undefined;
  try {
    site = await abilityFarm({ network, perKind: PER_KIND, kinds });
    const onDevices = deviceSubjectOf(site, driver, PATIENCE_MS);
    for (const check of DEVICE_CHECKS)
      for (const found of await runCheck(check, onDevices))
        return found.seen.includes(NONE_LEFT) ? outOfDevices : found;
  } finally {
    await site?.stop();
  }
  for (const check of HUNTS) for (const found of await runCheck(check, subject)) return found;
  return undefined;
}

/** What of the files of a driver runs during `run`. Node takes types out and leaves every character where it was. */
async function covered<T>(id: string, run: () => Promise<T>): Promise<{ readonly result: T; readonly ran: Range[] }> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    const result = await run();
    const { result: scripts } = await session.post('Profiler.takePreciseCoverage');
    const folder = `${pathToFileURL(join(DRIVERS, id)).href}/`;
    const own = scripts.filter(({ url }) => url.startsWith(folder) && url.includes(MARK));
    const ran = own.flatMap(({ url, functions }) => {
      const file = (url.split(MARK)[0] ?? '').slice(folder.length);
      return functions.flatMap(({ ranges }) =>
        ranges.map(({ startOffset: start, endOffset: end, count }) => ({ file, start, end, count })),
      );
    });
    return { result, ran };
  } finally {
    session.disconnect();
  }
}

async function work(message: unknown): Promise<Verdict> {
  const { driver: id, file, source, network, isCovered } = jobSchema.parse(message);
  if (isCovered) {
    const { result, ran } = await covered(id, async () => judge(await load(id, file, source), network));
    return { ms: 0, ran, ...(result !== undefined && { by: result.check, seen: result.seen }) };
  }
  const startMs = performance.now();
  const finding = await load(id, file, source)
    .then((driver) => judge(driver, network))
    .catch((error: unknown) => ({ check: 'load', seen: String(error), next: 'let it load' }));
  return {
    ms: Math.round(performance.now() - startMs),
    ...(finding !== undefined && { by: finding.check, seen: finding.seen }),
  };
}

process.on('message', (message) => {
  void work(message).then((verdict) => process.send?.(verdict));
});
// A mutant may leave a promise behind that nobody waits for: it is judged by what it does.
process.on('unhandledRejection', () => {});
process.send?.({ ms: 0 } satisfies Verdict);

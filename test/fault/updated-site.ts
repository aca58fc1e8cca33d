// A host whose program is updated by the code of Pithead: real programs in files of their own, a real outbox, and the
// test in the place of the service manager, which starts what the units start: the current version as the service, the
// proven one as the updater, again while there is a journal, and for the databases.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { makeExecutable } from '../../packaging/binary/executable.ts';
import { TARGETS } from '../../packaging/binary/targets.ts';
import { newKey, publicHalf, signSet, writeBundle } from '../../packaging/release/sign.ts';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { currentLink, linkedVersion, linkTo, programOf, provenLink } from '../../src/update/install/layout.ts';
import { readNotes, type Step } from '../../src/update/install/notes.ts';
import { contents } from '../unit/agent/outbox/farm-records.ts';
import { MARK, type Site, saidSchema, type Unit } from './updated-site-types.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const TARGET = `linux-${process.arch}`;
const ROOM_BYTES = 4 * 1024 ** 3;
const RESTART_MS = 100;
const STOP_MS = 5_000;
const BACK_MS = 120_000;
const RECOVERIES = 5;
const run = promisify(execFile);

/** What a new version does. `processor`: it is for another one. */
export type Fault = 'works' | 'crash' | 'silent' | 'deaf' | 'later' | 'data' | 'processor';
export const BROKEN: readonly Fault[] = ['crash', 'silent', 'deaf', 'later', 'data', 'processor'];

export type UpdatedSite = Awaited<ReturnType<typeof startSite>>;

/** The programs are large: in memory where there is room. */
function folderWithRoom(): string {
  const { bavail, bsize } = existsSync('/dev/shm') ? statfsSync('/dev/shm') : { bavail: 0, bsize: 0 };
  return mkdtempSync(join(bavail * bsize > ROOM_BYTES ? '/dev/shm' : tmpdir(), 'pithead-updated-'));
}

function buildOnce(folder: string): Buffer {
  const target = TARGETS.find(({ name }) => name === TARGET);
  if (target === undefined) throw new Error(`build a program for ${TARGET}: there is no Node for it`);
  const [bundle, output] = [join(folder, 'program.cjs'), join(folder, 'program')];
  buildSync({
    ...{ entryPoints: [join(import.meta.dirname, 'updated-program.ts')], outfile: bundle, bundle: true },
    ...{ platform: 'node', target: 'node24', format: 'cjs', logLevel: 'error' },
  });
  makeExecutable(ROOT, join(folder, 'work'), target, process.execPath, bundle, output, {});
  return readFileSync(output);
}

/** The same program under another version, with another fault. */
function marked(program: Buffer, version: string, fault: Fault): Buffer {
  const at = program.indexOf(MARK);
  const [name = '', , , end = ''] = MARK.split(':');
  const [, oldVersion = '', oldFault = ''] = MARK.split(':');
  const mark = [name, version.padEnd(oldVersion.length, '_'), fault.padEnd(oldFault.length, '_'), end].join(':');
  if (at < 0 || mark.length !== MARK.length) throw new Error(`put ${mark} into the program`);
  const copy = Buffer.from(program);
  copy.write(mark, at, 'latin1');
  // The machine field of the header.
  if (fault === 'processor') copy.writeUInt16LE(process.arch === 'x64' ? 183 : 62, 18);
  return copy;
}

export async function startSite(patience: Site['patience']) {
  const folder = folderWithRoom();
  const program = buildOnce(folder);
  const [root, signing] = [newKey(), newKey()];
  const set = signSet({ sequence: 1, expires: '2099-01-01T00:00:00Z', keys: [publicHalf(signing)] }, [root]);
  const at = (name: string) => join(folder, name);
  const places = { system: 'linux' as const, programs: at('lib'), notes: at('notes'), requests: at('requests') };
  const site: Site = {
    ...{ places, state: at('state'), manager: at('manager'), patience, target: TARGET },
    pins: { roots: [publicHalf(root)], minSequence: 0 },
  };
  mkdirSync(join(places.programs, 'versions', '1.0.0'), { recursive: true });
  mkdirSync(site.state);
  writeFileSync(programOf(places, '1.0.0'), marked(program, '1.0.0', 'works'));
  chmodSync(programOf(places, '1.0.0'), 0o755);
  for (const link of [currentLink(places), provenLink(places)]) linkTo(places, link, '1.0.0');
  const manager = await startManager(site);
  const notes = readNotes(places.notes);

  /** What becomes of the updater; it is killed at this step, `afterMs` later. */
  const update = async (bundle: string | undefined, kill?: { step: Step; afterMs: number }) => {
    writeFileSync(
      at('site.json'),
      JSON.stringify({ ...site, pause: kill && { step: kill.step, ms: kill.afterMs + 50 } }),
    );
    const args = ['update', at('site.json'), ...(bundle === undefined ? [] : [bundle])];
    const child = spawn(join(provenLink(places), 'pithead'), args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const over = once(child, 'close');
    let outcome: ReturnType<typeof saidSchema.parse>['outcome'];
    let isKilled = false;
    let complaint = '';
    child.stderr.on('data', (bytes: Buffer) => {
      complaint += bytes.toString();
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = saidSchema.parse(JSON.parse(line));
      outcome = said.outcome ?? outcome;
      if (kill === undefined || said.step !== kill.step) return;
      setTimeout(() => {
        isKilled = child.kill('SIGKILL') && child.exitCode === null;
      }, kill.afterMs);
    });
    await over;
    if (!isKilled && complaint !== '') throw new Error(`update ${bundle}: ${complaint}`);
    return { outcome, isKilled };
  };

  /** As the path unit does. Gives how often the updater had to be started. */
  const recover = async (): Promise<number> => {
    let runs = 0;
    while (notes.journal() !== undefined && runs < RECOVERIES) {
      runs++;
      await update(undefined);
    }
    return runs;
  };

  return {
    ...{ places, notes, update, recover, starts: manager.starts },
    start: () => manager.order('start'),
    installed: () => linkedVersion(currentLink(places)),
    async bundle(version: string, fault: Fault): Promise<string> {
      const [path, made] = [at(`${version}.bundle`), at(`${version}.program`)];
      writeFileSync(made, marked(program, version, fault));
      await writeBundle(made, path, { name: 'pithead', version, target: TARGET }, set, signing);
      rmSync(made);
      return path;
    },
    /** How long until a version that is known to work serves; undefined when none does in time. */
    async worksAfterMs(): Promise<number | undefined> {
      const begunMs = performance.now();
      while (performance.now() - begunMs < BACK_MS) {
        const version = linkedVersion(currentLink(places));
        const isProven = version !== undefined && version === linkedVersion(provenLink(places));
        if (isProven && (await served(join(site.state, 'socket'))) === version) return performance.now() - begunMs;
        await sleep(20);
      }
      return undefined;
    },
    /** Records that were promised, and those of them that are not in the outbox. */
    async records(): Promise<{ promised: number; missing: number }> {
      await manager.order('stop');
      const promised = readFileSync(join(site.state, 'ledger'), 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      const outbox = openOutbox(site.state, { clock: systemClock, log: silentLog, newEpoch: () => 'none' });
      const source = outbox.source('farm');
      const kept = new Set<string>();
      for (const { epoch } of await source.epochs()) {
        const slices = await source.read({ epoch, afterSeq: 0, maxSlices: 1e6, maxBytes: 1e12 });
        for (const number of contents(slices).samples) kept.add(String(number));
      }
      await outbox.close();
      return { promised: promised.length, missing: promised.filter((number) => !kept.has(number)).length };
    },
    versions: () => readdirSync(join(places.programs, 'versions')).toSorted(),
    async stop(): Promise<void> {
      await manager.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The version that answers. */
const served = (socketPath: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const asking = request({ socketPath, path: '/', timeout: 1_000 }, (answer) => {
      let text = '';
      answer.on('data', (bytes: Buffer) => {
        text += bytes.toString();
      });
      answer.once('close', () => resolve(text));
    });
    asking.once('timeout', () => asking.destroy());
    asking.once('error', () => resolve(undefined));
    asking.end();
  });

async function startManager(site: Site) {
  const service = createService(site);
  const databases = (what: string) =>
    run(join(provenLink(site.places), 'pithead'), ['update-databases', what, site.state], { timeout: 60_000 });
  const order = async (what: string): Promise<unknown> => {
    if (what === 'start') return service.start();
    if (what === 'stop') return service.stop();
    if (what === 'unit') return service.unit();
    if (what !== 'save' && what !== 'restore') throw new Error(`no order ${what}`);
    await databases(what);
    return undefined;
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.once('end', () => {
      order(text.trim()).then(
        (answer) => socket.end(JSON.stringify({ answer })),
        (error: unknown) => socket.end(JSON.stringify({ failed: String(error) })),
      );
    });
  });
  await new Promise<void>((resolve) => void server.listen(site.manager, resolve));
  return {
    ...{ order, starts: service.starts },
    async stop() {
      await service.stop();
      server.close();
    },
  };
}

/** One service as systemd keeps it: ready when it says so, started again when it ends, killed when it does not. */
function createService({ places, state }: Site) {
  const idle: Unit = { active: 'inactive', sub: 'dead', restarts: 0, pid: 0 };
  let unit = idle;
  let child: ChildProcess | undefined;
  let over: Promise<unknown> = Promise.resolve();
  let isWanted = false;
  let again: NodeJS.Timeout | undefined;
  let started = 0;

  const launch = () => {
    started++;
    unit = { ...unit, active: 'activating', sub: 'start' };
    const launched = spawn(join(currentLink(places), 'pithead'), ['run', state], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child = launched;
    unit = { ...unit, pid: launched.pid ?? 0 };
    over = new Promise<void>((resolve) => {
      const end = () => {
        resolve();
        if (child !== launched || !isWanted) return;
        unit = { active: 'activating', sub: 'auto-restart', restarts: unit.restarts + 1, pid: 0 };
        again = setTimeout(launch, RESTART_MS);
      };
      launched.once('error', end);
      launched.once('exit', end);
    });
    launched.stdout.on('data', (bytes: Buffer) => {
      if (bytes.toString().includes('READY=1')) unit = { ...unit, active: 'active', sub: 'running' };
    });
  };
  return {
    starts: () => started,
    unit: () => unit,
    start(): void {
      if (isWanted) return;
      isWanted = true;
      unit = idle;
      launch();
    },
    async stop(): Promise<void> {
      isWanted = false;
      clearTimeout(again);
      child?.kill('SIGTERM');
      await Promise.race([over, sleep(STOP_MS, undefined, { ref: false })]);
      child?.kill('SIGKILL');
      await over;
      unit = idle;
    },
  };
}

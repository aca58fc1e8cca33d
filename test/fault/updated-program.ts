// The program of a host that is updated, small, with the storage and the updates of Pithead: the same file for every
// version, which a mark inside it names together with what is wrong with it. Commands, as of Pithead:
//   --version, selftest, run STATE, update SITE [BUNDLE], update-databases save|restore STATE
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { OUTBOX_FILE, openOutbox } from '../../src/agent/outbox/open.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { restoreDatabases, saveDatabases } from '../../src/update/install/database-copies.ts';
import type { UpdateHost } from '../../src/update/install/healthy.ts';
import { install, recover } from '../../src/update/install/install.ts';
import { lockUpdates, openNotes } from '../../src/update/install/notes.ts';
import { tryNewProgram } from '../../src/update/install/try-program.ts';
import { sample } from '../unit/agent/outbox/farm-records.ts';
import { MARK, siteSchema, unitSchema } from './updated-site-types.ts';

/** Replaced in the file itself, by a text of the same length. */
const mark = MARK.replaceAll('_', '');
const [, version = '', fault = ''] = mark.split(':');

const RECORD_EVERY_MS = 20;
const LATER_MS = 150;

async function main([command, ...args]: readonly string[]): Promise<void> {
  switch (command) {
    case '--version':
      return void process.stdout.write(`${version}\n`);
    case 'selftest': {
      using database = new DatabaseSync(':memory:');
      return void process.stdout.write(`${JSON.stringify({ ok: database.isOpen })}\n`);
    }
    case 'run':
      return run(args[0] ?? '');
    case 'update':
      return update(args[0] ?? '', args[1]);
    case 'update-databases':
      return void (args[0] === 'save' ? saveDatabases(args[1] ?? '') : restoreDatabases(args[1] ?? ''));
    default:
      throw new Error(`no command ${command}`);
  }
}

async function run(stateDir: string): Promise<void> {
  if (fault === 'crash') process.exit(1);
  if (fault === 'silent') return sleep(600_000);
  if (fault === 'data') {
    using database = new DatabaseSync(join(stateDir, OUTBOX_FILE));
    database.exec('UPDATE schema_version SET version = version + 1');
    process.exit(1);
  }
  const outbox = openOutbox(stateDir, { clock: systemClock, log: silentLog, newEpoch: randomUUID });
  await outbox.setUplinks(['farm']);
  const socket = join(stateDir, 'socket');
  rmSync(socket, { force: true });
  const server = createServer((_, answer) => void answer.end(version));
  if (fault !== 'deaf') await new Promise<void>((resolve) => void server.listen(socket, resolve));
  let isStopping = false;
  process.once('SIGTERM', () => {
    isStopping = true;
  });
  process.stdout.write('READY=1\n');
  const begunMs = performance.now();
  for (let number = Date.now() * 1_000; !isStopping; number++) {
    await outbox.append([sample(number, Date.now())]);
    // What is written here was promised.
    appendFileSync(join(stateDir, 'ledger'), `${number}\n`);
    if (fault === 'later' && performance.now() - begunMs > LATER_MS) process.exit(1);
    await sleep(RECORD_EVERY_MS);
  }
  await outbox.close();
  process.exit(0);
}

/** As `pithead update` does it, with the service manager that the site names. Each step and the outcome are a line. */
async function update(path: string, bundle: string | undefined): Promise<void> {
  const site = siteSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  const { places, patience, pins, pause } = site;
  const notes = openNotes(places.notes);
  const unlock = await lockUpdates(places.notes, { clock: systemClock, waitMs: 20_000 });
  const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);
  const parts = {
    ...{
      places,
      notes,
      patience,
      pins,
      clock: systemClock,
      target: site.target,
      host: hostOf(site.manager, site.state),
    },
    async onStep(step: string) {
      say({ step });
      if (step === pause?.step) await sleep(pause.ms);
    },
  };
  try {
    const recovered = await recover(parts);
    if (recovered !== undefined) say({ recovered });
    if (notes.journal() === undefined && bundle !== undefined)
      say({ outcome: await install(parts, { bundle, taskId: null }) });
  } finally {
    unlock();
  }
}

function hostOf(manager: string, state: string): UpdateHost {
  const order = (what: string) => asked(manager, what);
  return {
    start: async () => void (await order('start')),
    stop: async () => void (await order('stop')),
    unit: async () => unitSchema.parse(await order('unit')),
    isServing: () => isServing(join(state, 'socket')),
    tryProgram: tryNewProgram,
    saveDatabases: async () => void (await order('save')),
    restoreDatabases: async () => void (await order('restore')),
  };
}

const answerSchema = z.object({ failed: z.string().optional(), answer: z.unknown().optional() });

async function asked(manager: string, what: string): Promise<unknown> {
  const socket = connect(manager);
  socket.end(`${what}\n`);
  let text = '';
  for await (const bytes of socket) text += String(bytes);
  const { failed, answer } = answerSchema.parse(JSON.parse(text));
  if (failed !== undefined) throw new Error(`${what}: ${failed}`);
  return answer;
}

const isServing = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asking = request({ socketPath, path: '/', timeout: 2_000 }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200));
    });
    asking.once('timeout', () => asking.destroy());
    asking.once('error', () => resolve(false));
    asking.end();
  });

void main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});

// The folder of a test names its project, and a word before `.test.ts` names the exception: `.long` runs with `npm run
// test:long`, `.embedded` never on PostgreSQL, `.postgres-long` there with the long ones, `.quiet` after the busy bars,
// `.alone` after those, `.soak` with `npm run test:soak` only. `arch` is part of `npm run check` too; `postgres` starts
// a real PostgreSQL and runs the tests of the service once more on it.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BarTable } from './test/runner/bar-table.ts';
import { LastLines } from './test/runner/last-lines.ts';
import { LongestFirst } from './test/runner/longest-first.ts';

const LONG = '**/*.long.test.ts';
const EMBEDDED = '**/*.embedded{,.*}.test.ts';
const OF_POSTGRES = 'test/unit/service-postgres/**';
const POSTGRES_LONG = '**/*.postgres-long.test.ts';
/** Bars that mostly wait, and time what busy ones would slow down: four at once. */
const QUIET = '**/*.quiet.test.ts';
/** Bars that compare times of the same run, or measure the event loop: nothing beside them. */
const ALONE = '**/*.alone.test.ts';
/** Bars of a night. */
const SOAK = '**/*.soak.test.ts';

/**
 * Only what hangs should meet these: how long a test takes, and how soon a thing happens, is the machine's matter and
 * not the test's.
 */
const PROMPT = { testTimeout: 30_000, hookTimeout: 30_000, expect: { poll: { timeout: 10_000 } } };
/** For what is long, or waits for a real PostgreSQL, for other processes or for devices. */
const PATIENT = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } };

/**
 * Nothing of ours keeps state in a module, so the files of a worker share what they import: reading it anew for each
 * costs as much as the tests.
 */
const BUSY = { ...PATIENT, isolate: false };
/**
 * All of `npm test` at once: a worker more, for what waits for devices. Projects of one group have the same number of
 * workers.
 */
const FAST = { maxWorkers: 3, sequence: { groupOrder: 2 } };

/** Of `npm run test:slow` first: these wait little, so one worker per core of a small machine. */
const LONG_GROUP = { maxWorkers: 2, sequence: { groupOrder: 0 } };
/**
 * Then all that starts programs: what waits leaves the processors to what does not. Five of them kept two processors
 * busy all the time, and some that should come in time came late.
 */
const SLOW = { maxWorkers: 4, sequence: { groupOrder: 1 } };

const MEMORY = '/dev/shm';
/** A database of a test is a few MiB. */
const ROOM_BYTES = 1024 ** 3;

/** A folder in memory for the length of this run; undefined where there is none, or no room. */
function folderInMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ROOM_BYTES) return undefined;
    const folder = mkdtempSync(`${MEMORY}/pithead-tests-`);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  } catch {
    return undefined;
  }
}

const inMemory = folderInMemory();
/**
 * What these test is not the disk, and each commit to one takes its time: their folders lie in memory where there is
 * room.
 */
const IN_MEMORY = { ...BUSY, ...FAST, ...PROMPT, ...(inMemory !== undefined && { env: { TMPDIR: inMemory } }) };

/**
 * V8 13 can end the process (`Check failed: jit_page.has_value()`) when it makes a faster wrapper for a call from
 * WebAssembly to JavaScript while others of the process are freed. A worker that starts a thread for large pages from
 * its sources, which Node strips of types with WebAssembly, again and again, met that in two runs of three.
 */
const NO_WRAPPER_TIERS = '--wasm-wrapper-tiering-budget=2000000000';

const POSTGRES = {
  globalSetup: 'test/postgres/global-setup.ts',
  runner: 'test/postgres/runner.ts',
};

/**
 * A zone in which a run begins between 14 and 15 o'clock, at whatever hour it begins: screens show times of another day
 * with their date, and shifts of half a day must look the same by day and by night. In zones of this kind the sign is
 * the other way round: `Etc/GMT-10` is UTC+10.
 */
function afternoonZone(): string {
  const offsetH = 14 - new Date().getUTCHours();
  return `Etc/GMT${offsetH > 0 ? '-' : '+'}${Math.abs(offsetH)}`;
}

const E2E = { ...BUSY, env: { TZ: afternoonZone() }, testTimeout: 600_000 };
/** In processes of their own: they measure memory and open files. */
const FAULT = { ...BUSY, isolate: true, include: ['test/{fault,property}/**/*.test.ts'] };

const FULL = { env: { PITHEAD_BARS: 'full' }, testTimeout: 300_000 };
const WHOLE = { env: { PITHEAD_BARS: 'whole' }, testTimeout: 4 * 3_600_000 };
/** What `npm run test:fault` can only do in part. */
const WITH_WHOLE_FORM = [
  ...['fault/r8-outage', 'fault/r12-herd', 'fault/r17-loop', 'fault/r18-cold-start', 'fault/webhook-kills'],
  'property/*',
];

export default defineConfig({
  test: {
    execArgv: [NO_WRAPPER_TIERS],
    teardownTimeout: 60_000,
    reporters: ['default', new BarTable(), new LastLines()],
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...BUSY, ...FAST, ...PROMPT, name: 'arch', include: ['test/arch/**/*.test.ts'] } },
      {
        test: {
          ...IN_MEMORY,
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: [OF_POSTGRES, LONG],
        },
      },
      {
        test: {
          ...BUSY,
          ...FAST,
          name: 'postgres',
          include: ['test/unit/{service,service-postgres}/**/*.test.ts'],
          exclude: [EMBEDDED, LONG, POSTGRES_LONG],
          ...POSTGRES,
        },
      },
      {
        test: {
          ...BUSY,
          ...LONG_GROUP,
          name: 'postgres-long',
          include: [
            ...['test/property/*.test.ts', 'test/unit/service-http/*.test.ts', 'test/conformance/*.test.ts'],
            'test/unit/{service,service-postgres}/**/*.{long,postgres-long}.test.ts',
          ],
          exclude: [EMBEDDED],
          ...POSTGRES,
        },
      },
      {
        test: {
          ...BUSY,
          ...LONG_GROUP,
          name: 'unit-long',
          include: ['test/unit/**/*.long.test.ts'],
          exclude: [OF_POSTGRES],
        },
      },
      { test: { ...IN_MEMORY, name: 'conformance', include: ['test/conformance/**/*.test.ts'] } },
      {
        test: {
          ...IN_MEMORY,
          name: 'contract',
          include: ['test/contract/**/*.test.ts', 'drivers/*/*.test.ts'],
          exclude: [LONG],
        },
      },
      { test: { ...BUSY, ...LONG_GROUP, name: 'contract-long', include: ['test/contract/**/*.long.test.ts'] } },
      // The bars of reliability and security. Most of the time they wait: for a link to come back, for a process to
      // start, for the next poll. Those of the program as it is shipped are in `packaging`.
      { test: { ...FAULT, ...FULL, ...SLOW, name: 'fault', exclude: [QUIET, ALONE, SOAK] } },
      {
        test: { ...FAULT, ...FULL, name: 'fault-quiet', include: [QUIET], maxWorkers: 4, sequence: { groupOrder: 3 } },
      },
      {
        test: { ...FAULT, ...FULL, name: 'fault-alone', include: [ALONE], maxWorkers: 1, sequence: { groupOrder: 4 } },
      },
      {
        test: {
          ...{ ...FAULT, ...WHOLE, name: 'soak', maxWorkers: 1 },
          include: [SOAK, ...WITH_WHOLE_FORM.map((name) => `test/${name}{,.quiet,.alone}.test.ts`)],
        },
      },
      // Installs linters and generators of clients the first time: `npm run test:clients`.
      {
        test: { ...BUSY, name: 'clients', include: ['test/clients/*.test.ts'], globalSetup: 'test/clients/tools.ts' },
      },
      // Builds the program: a minute of its own, `npm run test:packaging`.
      {
        test: {
          ...PATIENT,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          name: 'packaging',
          include: ['test/packaging/**/*.test.ts'],
          ...SLOW,
        },
      },
      // In a browser: `npm run test:page`.
      {
        test: {
          ...E2E,
          name: 'page',
          include: ['test/page/**/*.test.ts'],
          maxWorkers: 4,
          globalSetup: 'test/page/support/require-browser.ts',
        },
      },
      { test: { ...E2E, ...FAST, name: 'e2e', include: ['test/e2e/**/*.test.ts'], exclude: [LONG] } },
      { test: { ...E2E, ...SLOW, name: 'e2e-long', include: ['test/e2e/**/*.long.test.ts'] } },
    ],
  },
});

// A shift of twelve hours: thirty acts of three persons, and forty changes that came by themselves. `pithead changes`
// names all of them, with who did what, and none twice. Time passes between starts of the program, so that it takes
// minutes.
import measure from 'fast-string-truncated-width';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import { userName } from '../../src/base/platform/user-name.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead } from './process.ts';
import { type ProgramSite, startProgram } from './program-site.ts';
import { COLUMNS, keepScreen, keepText, masked } from './screens.ts';
import { until } from './until.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NET = loopback(24);
/** Spare units stand in the other half of the network, which nobody watches. */
const WATCHED = NET.part(0, 25);
const WATCHED_SIZE = 128;

const changeSchema = z.looseObject({
  kind: z.string(),
  text: z.string(),
  miner: z.looseObject({ ip: z.string().nullable() }).nullable(),
  by: z.looseObject({ type: z.string(), name: z.string(), via: z.string().optional() }).nullable(),
  evidence: z.looseObject({ flag: z.string().optional() }),
});
type Change = z.infer<typeof changeSchema>;
const lineSchema = z.union([z.looseObject({ summary: z.looseObject({}) }), changeSchema]);
const minerSchema = z.looseObject({ ip: z.string(), flags: z.array(z.string()), is_online: z.boolean() });

let site: ProgramSite;
/** The options by which each person asks. */
let persons: readonly (readonly [name: string, options: readonly string[]])[];
/** Watched miners of which nothing has been said yet, and units that nobody knows. */
let fresh: Device[];
let spare: Device[];
/** What the page has to name: `kind address who what`. */
const acts: string[] = [];
const happened: string[] = [];

const take = (count: number): Device[] => {
  const taken = fresh.splice(0, count);
  if (taken.length < count) throw new Error('the farm is too small');
  return taken;
};
const hostOf = ({ ip }: Device) => Number(ip.split('.')[3]);
/** Not the last address of that network, which is for all. */
const isWatched = (device: Device) => hostOf(device) < WATCHED_SIZE - 1;
const freeFrom = (first: number) =>
  Array.from({ length: WATCHED_SIZE - 2 }, (_, n) => NET.ip(first + n)).find((ip) => !site.farm.device(ip)) ?? '';
const freeAddress = () => freeFrom(1);
const outside = () => freeFrom(WATCHED_SIZE);
const list = (...args: string[]) => site.json(minerSchema, 'miners', ...args);
const changes = async (): Promise<Change[]> => {
  const lines = await site.json(lineSchema, 'changes', '--since', '12h');
  return lines.flatMap((line) => ('summary' in line ? [] : [changeSchema.parse(line)]));
};

/** As one line of what is expected. */
const named = ({ kind, miner, by, text, evidence: { flag } }: Change): string =>
  [kind, miner?.ip ?? '-', by?.name ?? '-', flag ?? (by === null && kind !== 'other' ? '-' : text)].join(' ');

/** For each try a farm of its own, of which nothing has been said yet. */
async function startShift(): Promise<void> {
  await site?.stop();
  for (const told of [acts, happened]) told.length = 0;
  site = await startProgram({
    farm: {
      miners: 140,
      mix: 'antminer-c',
      network: NET.network,
      seed: 12,
      noise: 0.002,
      noiseStepS: 1,
      bootS: 2,
      warmUpS: 1,
    },
    // Before the shift: nothing of how the miners were found belongs to it.
    laterMs: -13 * HOUR_MS,
    config: () => ({
      networks: [WATCHED],
      poll: { interval: '3s', slowEvery: 1, staticEvery: '9s', deadline: '2s' },
      flags: {
        warmUp: '1s',
        // The devices live in the time of this test: their shares stand still while the shift passes.
        pool: { noShare: '1d', noFirstShare: '1d' },
        // One that moved is found before it counts as silent.
        network: { raise: { polls: 5 } },
      },
      tasks: {
        reboot: { backS: 60, hashS: 120, graceS: 4, checkEveryS: 0.3, dailyCap: 100, recentS: 0 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
    }),
  });
  const { devices } = site.farm;
  fresh = devices.filter((device) => isWatched(device) && device.spec.fans > 0);
  spare = devices.filter((device) => hostOf(device) >= WATCHED_SIZE);
  await untilAllAnswer(devices.filter(isWatched).length);
}
afterAll(() => site?.stop());

const untilAllAnswer = (count: number) =>
  until(
    () => list(),
    (miners) => miners.length === count && miners.every(({ is_online }) => is_online),
  );

/** One act of the next person. `what` = as the page names it; `miner` is undefined for several. */
async function act(kind: string, words: readonly string[], devices: readonly Device[], what: string): Promise<void> {
  const [name, options] = persons[acts.length % persons.length] ?? ['', []];
  const ips = devices.map(({ ip }) => ip);
  const args = words.flatMap((word) => (word === '{}' ? ips : [word]));
  const yes = kind === 'note' || kind === 'location' ? [] : ['--yes'];
  const { code, stdout, stderr } = await runPithead([...args, ...yes, ...options]);
  expect(code, `${args.join(' ')}: ${stdout}${stderr}`).toBe(0);
  acts.push([kind, ips.length === 1 ? ips[0] : '-', name, what].join(' '));
}

const done = (task: string, count: number) =>
  `${task}, ${count === 1 ? 'one task' : `${count} tasks`}: ${count} succeeded`;

/** The first of them asks at the host, the others from their own computers. */
async function introduce(): Promise<void> {
  const byKey = async (name: string) => [name, await site.keyOf(name, 'admin')] as const;
  persons = [[userName(), site.atHost], await byKey('ana'), await byKey('boris')];
}

async function actsOfTheEvening(): Promise<void> {
  for (let n = 0; n < 6; n++) await act('task', ['light', 'on', '{}'], take(2), done('light on', 2));
  for (let n = 0; n < 3; n++) await act('task', ['reboot', '{}'], take(1), done('reboot', 1));
  for (const text of ['fan 2 ordered', 'waits for a PSU', 'board 1 to the bench', 'label is torn'])
    await act('note', ['note', '{}', text], take(1), text);
}

async function actsOfTheMorning(): Promise<void> {
  const sleepers = take(3);
  for (const device of sleepers) await act('task', ['sleep', '{}'], [device], done('sleep', 1));
  for (const device of sleepers.slice(1)) await act('task', ['wake', '{}'], [device], done('wake', 1));
  for (let n = 0; n < 3; n++) {
    const pool = ['--url', 'stratum+tcp://new.example:3333', '--worker', 'farm.{ip4}'];
    await act('task', ['pools', 'set', '{}', ...pool], take(1), done('pools set', 1));
  }
  const worked = take(2);
  for (const device of worked)
    await act('ops_status', ['maintenance', 'on', '{}'], [device], 'in operation → maintenance');
  await act('ops_status', ['maintenance', 'off', '{}'], worked.slice(1), 'maintenance → in operation');
  for (let n = 1; n <= 4; n++)
    await act('location', ['position', 'set', '{}', `C03/${n}`], take(1), `no location → C03 / ${n}`);
  const lit = take(2);
  for (const device of lit) await act('task', ['light', 'off', '{}'], [device], done('light off', 1));
}

const happens = (kind: string, devices: readonly Device[], flag = '-') =>
  void happened.push(...devices.map(({ ip }) => [kind, ip, '-', flag].join(' ')));

async function raise(fault: FaultName, flag: string, devices: readonly Device[], value?: number): Promise<void> {
  for (const device of devices) device.setFault(fault, true, value);
  const ips = new Set(devices.map(({ ip }) => ip));
  await until(
    async () => (await list(`flag:${flag}`)).filter(({ ip }) => ips.has(ip)),
    (found) => found.length === devices.length,
  );
}

async function heal(fault: FaultName, devices: readonly Device[]): Promise<void> {
  for (const device of devices) device.setFault(fault, false);
  const ips = new Set(devices.map(({ ip }) => ip));
  await until(
    async () => (await list('--ill')).filter(({ ip }) => ips.has(ip)),
    (found) => found.length === 0,
  );
}

/** Four get other addresses, three are taken out and others put in their places, and three are new. */
async function moveUnits(): Promise<void> {
  const movers = take(4);
  for (const device of movers) await site.farm.move(device.ip, freeAddress());
  const out = take(3);
  const places = out.map(({ ip }) => ip);
  for (const device of out) await site.farm.move(device.ip, outside());
  const [one, two, three, ...others] = spare.filter((device) => hostOf(device) < WATCHED_SIZE + 100);
  const put = [one, two, three].flatMap((device) => device ?? []);
  for (const [n, device] of put.entries()) await site.farm.move(device.ip, places[n] ?? '');
  const added = others.slice(0, 3);
  for (const device of added) await site.farm.move(device.ip, freeAddress());
  expect(await site.pithead('scan', WATCHED)).toMatchObject({ code: 0 });
  happens('moved', movers);
  happens('replaced', put);
  happens('appeared', [...put, ...added]);
}

test('thirty acts and forty changes are named, each once and each act with who did it', async () => {
  await startShift();
  await site.restart(-11 * HOUR_MS);
  await introduce();
  const passing = take(12);
  await raise('fan-stopped', 'fan', passing);
  await actsOfTheEvening();
  await heal('fan-stopped', passing);
  happens('healed', passing, 'fan');

  await site.restart(-65 * MINUTE_MS);
  await introduce();
  const [still, hot] = [take(4), take(4)];
  await raise('fan-stopped', 'fan', still);
  await raise('hot', 'temperature', hot, 40);
  happens('open', still, 'fan');
  happens('open', hot, 'temperature');
  await moveUnits();
  const gone = take(4);
  for (const device of gone) {
    device.setFault('never-returns', true);
    device.reboot();
  }
  await actsOfTheMorning();
  await until(
    () => list('flag:network'),
    (found) => found.length === gone.length,
  );

  await site.restart(0);
  await until(changes, (found) => found.filter(({ kind }) => kind === 'missing').length === gone.length);
  const back = gone.slice(1);
  for (const device of back) device.setFault('never-returns', false);
  happens('missing', gone);
  happens('back', back);
  const found = await until(
    changes,
    (now) =>
      now.filter(({ kind }) => kind === 'back').length === back.length &&
      now.filter(({ kind, evidence }) => kind === 'healed' && evidence.flag === 'network').length === back.length,
  );
  expect([acts.length, happened.length, new Set(persons.map(([name]) => name)).size]).toEqual([30, 40, 3]);
  // That they do not answer is a flag too.
  happens('open', gone.slice(0, 1), 'network');
  happens('healed', back, 'network');
  expect(found.map(named).toSorted()).toEqual([...acts, ...happened].toSorted());
  // A name of the host is only what the client says; a key proves its own.
  const ways = new Set(found.flatMap(({ by }) => (by === null ? [] : [[by.name, by.type, by.via ?? ''].join(' ')])));
  expect([...ways].toSorted()).toEqual(
    ['ana api_key ', 'boris api_key ', `${userName()} user control-socket`].toSorted(),
  );
}, 600_000);

/** The lines of each part in an order of their own: what came together comes in any order. */
function ordered(page: string): string {
  const part = (text: string) => {
    const [head = '', ...lines] = text.split('\n');
    if (!/^[A-Z ]+ \(\d+\)$/.test(head)) return text;
    // A line that was wrapped goes on with a blank.
    const rows = lines.join('\n').split(/\n(?! )/);
    // Whether one of them ended in another minute decides how wide the times are, and where lines are broken.
    const even = head.startsWith('TASKS')
      ? rows.map((row) => row.replaceAll(/\n */g, ' ').replaceAll(/ {2,}/g, '  '))
      : rows;
    return [head, ...even.toSorted()].join('\n');
  };
  return page.split('\n\n').map(part).join('\n\n');
}

test('on one page of 80 columns they are all named, for who takes over', async () => {
  const { code, stdout } = await site.pithead('changes', '--since', '12h', '--print');
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => measure(line).width > COLUMNS)).toEqual([]);
  const counts = Object.fromEntries(
    lines.flatMap((line) => {
      const [, title, count] = /^([A-Z ]+) \((\d+)\)$/.exec(line) ?? [];
      return title === undefined ? [] : [[title, Number(count)]];
    }),
  );
  expect(counts).toEqual({
    ...{ 'RAISED AND STILL OPEN': 9, 'RAISED AND HEALED': 15, MISSING: 4, BACK: 3, NEW: 6, MOVED: 4, REPLACED: 3 },
    ...{ LOCATIONS: 4, 'OPS STATUS': 3, NOTES: 4, TASKS: 19 },
  });
  const page = masked(lines)
    .replaceAll(`${userName()} (host)`, 'root (host)')
    .replaceAll(/00:00–00:00/g, '00:00      ');
  await keepText('changes', ordered(page));
});

test('what is missing since yesterday', async () => {
  const text = await keepScreen('miners-missing', ['miners', '--missing', '--since', '24h', ...site.atHost], {
    // The agent counts from its last start, and how often it has asked since is a matter of the machine.
    mask: (screen) => screen.replaceAll(/\d(?= polls in a row)/g, '#'),
  });
  expect(text).toMatch(/^4 of 75 miners/m);
});

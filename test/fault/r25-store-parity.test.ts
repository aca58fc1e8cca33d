// The service on SQLite and on PostgreSQL: the same reports and the same requests have the same answers; and no text
// that is sent, in whatever field, is anything but a value to either.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { z } from 'zod';
import { type ReportRecord, reportRecordSchema } from '../../src/wire/records.ts';
import { builtStatements, gluedStatements, trustedTexts } from '../arch/built-statements.ts';
import { sources } from '../arch/sources.ts';
import { NASTY } from '../property/arbitrary.ts';
import type { Got, Sent } from '../property/exchange.ts';
import { type Document, type Operation, readDocument } from '../property/openapi.ts';
import { createRequests, JSON_TYPE, type Requests } from '../property/requests.ts';
import { hostRecord, minerRecord, SILENT } from '../unit/service-http/records.ts';
import { seeded } from './seeded.ts';
import { leavesOf, withLeaf } from './string-leaves.ts';
import { isFull, isWithin, report } from './table.ts';
import { bare, startTwins, type Twins } from './twin-worlds.ts';

const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_124);
/** Of each operation. */
const REQUESTS = isFull ? 30 : 8;
const MINUTE_MS = 60_000;

let twins: Twins | undefined;
let document: Document;
let requests: Requests;
beforeAll(async () => {
  twins = await startTwins().catch((error: unknown) => {
    if (process.env.PITHEAD_REQUIRE_POSTGRES === '1') throw error;
    process.stdout.write(`PostgreSQL could not be started, so nothing is compared with it: ${error}\n`);
    return undefined;
  });
  if (twins === undefined) return;
  const { rig, known } = twins.embedded;
  document = readDocument((await rig.get('/openapi.json', {})).body);
  requests = createRequests(document, known);
});
afterAll(() => twins?.stop());

const place = ({ embedded: { own } }: Twins) => ({ workspace_id: own.workspaceId, farm_id: own.farmId });
const keyOf = ({ embedded: { own } }: Twins, { takesKey }: Operation) => (takesKey ? { 'x-api-key': own.key } : {});

/**
 * What depends on the moment: figures of the process, a stream, refusals that are summed up over time, agents by when
 * they were last heard. Of these the status is compared.
 */
const BY_MOMENT: readonly string[] = ['getMetrics', 'streamEventsV2', 'listAuditV2', 'searchAgents', 'listAgentsV2'];

const isDifferent = ({ id }: Operation, differs: string | undefined): differs is string =>
  differs !== undefined && (!BY_MOMENT.includes(id) || differs.startsWith('status'));

/** A board is a second old at most. */
const SETTLED_MS = 1_500;

/**
 * Asks both. What time alone changes, such as a miner that counts as silent from now on, shows in one a moment before
 * the other: what changes nothing is asked once more where the answers differ.
 */
async function askBoth({ ask }: Twins, operation: Operation, sent: Sent) {
  const startMs = performance.now();
  const first = await ask(sent);
  const tookMs = performance.now() - startMs;
  const changesNothing = sent.method === 'GET' || operation.path.endsWith('/search');
  if (!changesNothing || !isDifferent(operation, first.differs)) return { ...first, tookMs };
  await setTimeout(SETTLED_MS);
  return { ...(await ask(sent)), tookMs };
}

/** What changes nothing, in the same way. */
async function askSettled({ ask }: Twins, sent: Sent) {
  const first = await ask(sent);
  if (first.differs === undefined) return first;
  await setTimeout(SETTLED_MS);
  return ask(sent);
}

/** Of what is wrong, for the line of the bar. */
const examples = (texts: readonly string[]): string => (texts.length === 0 ? '' : ` (${texts.slice(0, 2).join('; ')})`);

/** Reports of some hours: miners that come, move, fall silent, raise and clear flags; gaps, events and hosts. */
function* farmHours(random: () => number, nowMs: number): Generator<ReportRecord[]> {
  const keys = Array.from({ length: 30 }, () => randomUUID());
  const minutes = isFull ? 80 : 20;
  for (let minute = 0; minute < minutes; minute++) {
    const atMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS - (minutes - minute) * MINUTE_MS;
    const at = new Date(atMs).toISOString();
    const records: ReportRecord[] = [hostRecord(atMs, { miners: keys.length })];
    for (const [n, key] of keys.entries()) {
      if (random() < 0.3) continue;
      const isSilent = random() < 0.1;
      records.push(
        minerRecord(2_000 + n + (random() < 0.02 ? 100 : 0), atMs, {
          key,
          document: {
            hashrate: isSilent ? null : Math.round(random() * 120) * 1e12,
            is_mining: !isSilent && random() < 0.9,
            power: random() < 0.2 ? null : Math.round(random() * 4_000),
            temp: Math.round(random() * 900) / 10,
            anomaly_flags: isSilent ? 1 : 0,
            model: ['Antminer S19 Pro', 'antminer s19 pro', 'Whatsminer M50', null][Math.floor(random() * 4)] ?? null,
          },
          extras: { flags: isSilent ? [SILENT] : [] },
        }),
      );
    }
    if (random() < 0.1) records.push({ kind: 'gap', from: at, to: at, reason: 'restart', count: minute });
    if (random() < 0.2)
      records.push({ kind: 'event', type: 'moved', key: keys[minute % 30] ?? '', at, detail: { minute, text: 'ä_%' } });
    yield records;
  }
}

test('the same reports and requests have the same answers on both', { timeout: 240_000 }, async ({ skip }) => {
  if (twins === undefined) return skip('no PostgreSQL');
  const both = twins;
  const random = seeded(SEED);
  const agents = await both.connectAgents(randomUUID());
  let slices = 0;
  for (const records of farmHours(random, both.embedded.rig.clock.nowMs())) {
    await agents.report(records);
    slices++;
  }
  await agents.stop();
  const differing: string[] = [];
  let asked = 0;
  for (const operation of document.operations) {
    const { good, bad } = requests;
    const ways = [
      good(operation, place(both), keyOf(both, operation)),
      bad(operation, place(both), keyOf(both, operation)),
    ];
    for (const way of ways)
      for (const request of way === undefined ? [] : fc.sample(way, { numRuns: REQUESTS / 2, seed: SEED })) {
        asked++;
        const { differs } = await askBoth(both, operation, request);
        if (isDifferent(operation, differs))
          differing.push(
            `${request.method} ${request.path.slice(0, 200)} ${String(request.body).slice(0, 200)}: ${differs}`,
          );
      }
  }
  for (const text of differing.slice(0, 12)) process.stdout.write(`R25: ${text}\n`);
  report({
    id: 'R25',
    value: `${slices} slices and ${asked} requests to ${document.operations.length} operations on SQLite and on PostgreSQL, seed ${SEED}: ${differing.length} answers differ${examples(differing)}`,
    bar: '100 % same results',
    isMet: differing.length === 0 && asked > 100,
  });
});

/** Texts that mean something to one database or the other, and those that hurt elsewhere. */
const INJECTIONS = [
  "' OR '1'='1",
  "'; DROP TABLE miners; --",
  "x'); DELETE FROM task_batches; --",
  "' || pg_sleep(9) || '",
  '1; SELECT pg_sleep(9)',
  "' UNION SELECT hash FROM api_keys --",
  "\\'; COPY agents TO PROGRAM 'id' --",
  '$1 ?1 :a @a',
  "' AND randomblob(1000000000) --",
  '%_%',
  ...NASTY.filter((text) => text.includes('\u0000') || text.includes('\\')),
];
/** What a statement that sleeps or computes would take. */
const SLOW_MS = 5_000;

/** The request with the text in one more of its places: path, parameters, headers, and every string of its body. */
function* injected(operation: Operation, request: Sent, text: string): Generator<Sent> {
  const written = encodeURIComponent(text.toWellFormed());
  const [path = '', query = ''] = request.path.split('?');
  const parts = path.split('/');
  for (const [index, part] of operation.path.split('/').entries())
    if (part.startsWith('{')) yield { ...request, path: parts.with(index, written).join('/') };
  for (const { in: where, name } of operation.parameters) {
    if (where === 'query') yield { ...request, path: `${path}?${query === '' ? '' : `${query}&`}${name}=${written}` };
    if (where === 'header' && /^[ -~]*$/.test(text))
      yield { ...request, headers: { ...request.headers, [name]: text } };
  }
  const body: unknown =
    request.body === undefined || operation.body?.type !== JSON_TYPE ? {} : JSON.parse(String(request.body));
  for (const leaf of leavesOf(body)) yield { ...request, body: JSON.stringify(withLeaf(body, leaf, text)) };
}

/** Everything that an agent reports has the text in one of its strings. */
function* reported(text: string, nowMs: number): Generator<ReportRecord> {
  const at = new Date(nowMs).toISOString();
  const records: ReportRecord[] = [
    minerRecord(5_000, nowMs, { key: randomUUID(), extras: { flags: [SILENT] } }),
    hostRecord(nowMs),
    { kind: 'event', type: 'moved', key: randomUUID(), at, detail: { text: 'x' } },
    { kind: 'gap', from: at, to: at, reason: 'restart', count: 1 },
    { kind: 'task', task_id: randomUUID(), status: 'failed', at, message: 'x', evidence: { text: 'x' } },
  ];
  for (const record of records)
    for (const leaf of leavesOf(record)) {
      const changed = reportRecordSchema.safeParse(withLeaf(record, leaf, text));
      if (changed.success) yield changed.data;
    }
}

/** Some fields have a moment as seconds or ms since 1970. */
const NUMBER_OF_MOMENT = /\b1[6-9]\d{8,11}\b/g;

/** Without ids and times, in an order of their own. */
const eventsOf = ({ text }: Got): string =>
  z
    .object({ data: z.array(z.unknown()) })
    .parse(JSON.parse(text))
    .data.map((event) => bare(JSON.stringify(event)).replaceAll(NUMBER_OF_MOMENT, '<time>'))
    .toSorted()
    .join('\n');

test('no text in any field is more than a value to either', { timeout: 240_000 }, async ({ skip }) => {
  if (twins === undefined) return skip('no PostgreSQL');
  const both = twins;
  const worlds = [both.embedded, both.postgres];
  const before = await Promise.all(worlds.map((world) => world.others()));
  const problems: string[] = [];
  let [asked, slowestMs] = [0, 0];
  for (const operation of document.operations) {
    const [request] = fc.sample(requests.good(operation, place(both), keyOf(both, operation)), {
      numRuns: 1,
      seed: SEED,
    });
    if (request === undefined) continue;
    for (const [index, text] of INJECTIONS.entries())
      for (const sent of injected(operation, request, text)) {
        if (!isFull && (asked + index) % 5 !== 0) continue;
        asked++;
        const { got, other, differs, tookMs } = await askBoth(both, operation, sent);
        slowestMs = Math.max(slowestMs, tookMs);
        const isOdd = got.status >= 500 || other.status >= 500;
        if (isOdd || isDifferent(operation, differs))
          problems.push(
            `${sent.method} ${sent.path.slice(0, 160)} ${String(sent.body).slice(0, 120)}: ${differs ?? got.status}`,
          );
      }
  }
  const after = await Promise.all(worlds.map((world) => world.others()));
  if (after.join() !== before.join()) problems.push('the other workspace, or who there is at all, has changed');
  const agents = await both.connectAgents(randomUUID());
  let strings = 0;
  for (const text of INJECTIONS) {
    const records = [...reported(text, both.embedded.rig.clock.nowMs())];
    strings += records.length;
    await agents.report(records);
  }
  await agents.stop();
  const { farmId, workspaceId, key } = both.embedded.own;
  for (const path of ['miners?page_size=1000', 'events?page_size=1000', 'task-batches']) {
    const list = {
      method: 'GET',
      path: `/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/${path}`,
      headers: { 'x-api-key': key },
      body: undefined,
    };
    const { got, other, differs } = await askSettled(both, list);
    // What an agent and what a service says of the same moment may stand in either order.
    const isSame = differs === undefined || (path.startsWith('events') && eventsOf(got) === eventsOf(other));
    if (!isSame) problems.push(`after the reports: ${path}: ${differs}`);
  }
  const rowsOf = (others: string) => JSON.stringify(JSON.parse(others).slice(0, 2));
  const atEnd = await Promise.all(worlds.map((world) => world.others()));
  if (atEnd.map(rowsOf).join() !== before.map(rowsOf).join()) problems.push('a report has changed the other workspace');
  const built = [builtStatements, gluedStatements, trustedTexts].flatMap((find) => find(sources('src')));
  for (const text of problems.slice(0, 12)) process.stdout.write(`S16: ${text}\n`);
  report({
    id: 'S16',
    value: `${INJECTIONS.length} texts in every string of ${document.operations.length} operations and of reports, on both stores: ${asked} requests, ${strings} records: ${problems.length} effects${examples(problems)}, slowest ${Math.round(slowestMs)} ms; ${built.length} statements built from text ${built.join(' ')}`,
    bar: '0 effects, 0 concatenations',
    isMet: problems.length + built.length === 0 && asked > 100 && isWithin(slowestMs, SLOW_MS),
  });
});

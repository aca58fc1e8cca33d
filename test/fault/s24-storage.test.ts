// One agent invents miners, events, gaps and all else that a report may have, and there is no other for which it would
// have to wait: what it adds to the database ends, its real miners stay, and nothing of others changes.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { test } from 'vitest';
import { z } from 'zod';
import { CELL_MS } from '../../src/service/store/history/history-sums.ts';
import { openStore } from '../../src/service/store/store.ts';
import { encodeSlice } from '../../src/wire/frames.ts';
import { ENROL_PATH, PROTOCOL_VERSION } from '../../src/wire/protocol.ts';
import type { ReportRecord } from '../../src/wire/records.ts';
import { hostRecord, type MinerChange, minerRecord } from '../unit/service-http/records.ts';
import { call, type Rig, startOwnedRig, startRig, steppedClock, temporaryFolder } from '../unit/service-http/rig.ts';
import { connect, enrol, type Identity, identityKey, slice } from '../unit/service-http/wire-agent.ts';
import { isFull, report } from './table.ts';

const GRANT = 500;
const REAL = 100;
/** Of each of the others: one of the same farm, the rest each in its own. */
const MINERS = 100;
const OTHERS = 4;
const CONNECTIONS = isFull ? 16 : 4;
const SLICES = 16;
const EPOCHS = 8;
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/** What the handbook promises (Security, "Agents"). */
const BOUND = {
  /**
   * The row, the document, the registration, the presence and at most 32 serials; 20 events with their size and 2 that
   * wait; a day of history for each of a month.
   */
  rowsPerMiner: 36 + 21 + 2 + 32,
  /** 2,000 events, 1,000 that wait, 10,000 gaps, 100 epochs, history of a month, and a word of each kind an hour. */
  rows: 2_000 + 1_000 + 10_000 + 100 + 31 * 144 + 32 * 24 + 200,
  /** A record of 64 KiB, stored with what is searched for of it, and 22 events of 1 KiB. */
  bytesPerMiner: 2 * 64 * 1_024 + 22 * 1_024,
  bytes: 16 * 1_024 ** 2,
} as const;
/** By then everything has come to its end; what an agent may add in a day comes back, and invented days fill up. */
const SECOND_HALF_ROWS = 200;

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

async function enrolWith(rig: Rig, maxMiners: number): Promise<Identity> {
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000, maxMiners });
  const { body } = await call(rig.url + ENROL_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ code, name: 'flood', version: '1.2.3', protocol: PROTOCOL_VERSION, identity_key: identityKey },
    }),
  });
  return { agentId: body.agent_id, token: body.token };
}

/** Rows of each table, and bytes of the whole. */
function sizeOf(path: string) {
  const db = new DatabaseSync(path, { readOnly: true });
  const names = z
    .array(z.object({ name: z.string() }))
    .parse(db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all());
  const rows = new Map(
    names.map(({ name }) => [name, Number(db.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n)]),
  );
  const { bytes } = z.object({ bytes: z.number() }).parse(
    db
      .prepare(
        `SELECT (page_count - freelist_count) * page_size AS bytes
           FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
      )
      .get(),
  );
  db.close();
  return { rows, bytes };
}

/** Everything that is stored of the miners of other agents, and of other farms. */
function storedOfOthers(path: string, { agentId }: Identity, farmId: string): string {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = [
    db
      .prepare('SELECT * FROM miners JOIN miner_documents USING (row_id) WHERE agent_id <> ? ORDER BY row_id')
      .all(agentId),
    db.prepare('SELECT * FROM history_cells WHERE farm_id <> ? ORDER BY farm_id, from_at').all(farmId),
    db.prepare('SELECT * FROM events WHERE farm_id <> ? ORDER BY farm_id, position').all(farmId),
  ];
  db.close();
  return JSON.stringify(tables);
}

/** A device that nobody has: as large as a record may be. */
function invented(nowMs: number, change: MinerChange = {}) {
  const hex = randomUUID().replaceAll('-', '').toUpperCase();
  const board = (n: number) => ({ serial_number: `${hex}${n}`, hashrate: 1e12, chips: 1, chip_frequency: 500 });
  return minerRecord(0, nowMs, {
    ...change,
    document: {
      mac: `02:${hex.slice(0, 10).replaceAll(/..(?=.)/g, '$&:')}`,
      serial_number: hex,
      hashboards: range(20).map(board),
      errors: range(100).map((n) => ({ code: `E${n}`, message: hex.repeat(15) })),
      ...change.document,
    },
  });
}

/** One of the slices of the flood. `real` and `claimed` = keys of its own miners, and of those of its neighbour. */
function floodSlice(n: number, nowMs: number, real: readonly string[], claimed: readonly string[]): ReportRecord[] {
  const detail = { text: 'x'.repeat(8_000) };
  const at = new Date(nowMs).toISOString();
  const events = ['appeared', 'noise', 'moved'].flatMap((type) =>
    range(40).map((k): ReportRecord => {
      const key = type === 'appeared' ? randomUUID() : (real[(n + k) % REAL] ?? '');
      return { kind: 'event', type, key, at, detail: { ...detail, n, k } };
    }),
  );
  const gaps = range(250).map((k): ReportRecord => {
    return { kind: 'gap', from: at, to: at, reason: `reason ${n} ${k}`, count: 1 };
  });
  return [
    hostRecord(nowMs, { audit_head: { seq: 1, hash: randomUUID().replaceAll('-', '').repeat(2) } }),
    // Of all the time that history takes.
    ...real.flatMap((key, k) => {
      const atMs = nowMs - (n % 31) * DAY_MS - k * HOUR_MS;
      return (k + n) % 4 === 0 ? [minerRecord(k, atMs, { key, document: { anomaly_flags: 1 << (n % 8) } })] : [];
    }),
    // More than any device has to say.
    minerRecord(0, nowMs, { key: real[0] ?? '', document: { model: 'x'.repeat(1_000_000) } }),
    ...range(12).map(() => invented(nowMs)),
    ...claimed.slice(0, 10).map((key, k) => minerRecord(1_000 + k, nowMs, { key })),
    ...events,
    ...gaps,
  ];
}

/** Another installation each time, with as many epochs as a connection may have. */
async function floodOnce(rig: Rig, identity: Identity, round: number, real: readonly string[]): Promise<void> {
  const agent = await connect(rig, { identity, outbox: randomUUID() });
  const claimed = range(MINERS).map(() => randomUUID());
  const nowMs = rig.clock.nowMs();
  const producedAt = new Date(nowMs).toISOString();
  for (let n = 0; n < 40; n++) {
    const header = { live: true as const, produced_at: producedAt, order: 1, through: 1, fault: `fault ${n}` };
    agent.sendBytes(encodeSlice(header, zstdCompressSync(Buffer.from(JSON.stringify({ v: 1, records: [] })))));
  }
  for (let n = 1; n < EPOCHS; n++) {
    const epoch = randomUUID();
    agent.send({ type: 'epoch', epoch, next_seq: 1 });
    agent.sendBytes(
      slice(
        epoch,
        1,
        claimed.slice(10 * n, 10 * n + 10).map((key, k) => minerRecord(1_000 + 10 * n + k, nowMs, { key })),
      ),
    );
  }
  for (let n = 0; n < SLICES; n++) await agent.report(floodSlice(round * SLICES + n, rig.clock.nowMs(), real, claimed));
  // Its state of last: the real ones are as they were.
  await agent.report(real.map((key, k) => minerRecord(k, rig.clock.nowMs(), { key, document: { hashrate: 77e12 } })));
  await agent.close();
}

test('what an agent invents without end is bounded in the database, and nothing real gives way to it', async () => {
  const databasePath = join(temporaryFolder(), 'service.sqlite');
  const clock = steppedClock();
  const first = await startOwnedRig({ databasePath, clock });
  const before = { ...first.rig, clock };
  const identity = await enrolWith(before, GRANT);
  const real = range(REAL).map(() => randomUUID());
  const { admin } = before.service;
  const farms = await Promise.all(
    range(OTHERS - 1).map((n) => admin.createFarm({ workspaceId: before.workspaceId, name: `farm ${n}` })),
  );
  const others = await Promise.all([before.farmId, ...farms.map(({ id }) => id)].map((id) => enrol(before, id)));
  const keysOf = others.map(() => range(MINERS).map(() => randomUUID()));
  // Twice, hours apart: these were there before, and are no guests.
  for (let time = 0; time < 2; time++) {
    for (const [k, other] of others.entries()) {
      const agent = await connect(before, { identity: other });
      const records = (keysOf[k] ?? []).map((key, n) => minerRecord(1_000 * (k + 1) + n, clock.nowMs(), { key }));
      await agent.report([hostRecord(clock.nowMs()), ...records]);
      await agent.close();
    }
    const agent = await connect(before, { identity });
    await agent.report([hostRecord(clock.nowMs()), ...real.map((key, n) => minerRecord(n, clock.nowMs(), { key }))]);
    await agent.close();
    if (time === 0) clock.step(2 * HOUR_MS);
  }
  await first.stop();

  // Started anew, it knows of no other agent that is here: this one waits for nobody.
  const rig = { ...(await startRig({ databasePath, clock })), clock };
  // A cell of the history begins: by the next one, which has rows of its own, the flood is over.
  clock.step(CELL_MS - (clock.nowMs() % CELL_MS));
  const [calm, untouched] = [sizeOf(databasePath), storedOfOthers(databasePath, identity, rig.farmId)];
  const startMs = performance.now();
  let half = calm;
  for (let round = 0; round < CONNECTIONS; round++) {
    if (round === CONNECTIONS / 2) half = sizeOf(databasePath);
    await floodOnce(rig, identity, round, real);
  }
  const tookS = (performance.now() - startMs) / 1_000;
  const flooded = sizeOf(databasePath);
  const isUntouched = storedOfOthers(databasePath, identity, rig.farmId) === untouched;
  const addedTo = (from: typeof calm, to: typeof calm) =>
    [...to.rows].flatMap(([name, rows]) => {
      const more = rows - (from.rows.get(name) ?? 0);
      return more === 0 ? [] : [[name, more] as const];
    });
  const sum = (parts: readonly (readonly [string, number])[]) => parts.reduce((all, [, rows]) => all + rows, 0);
  const added = addedTo(calm, flooded);
  const listed = async () => {
    const page = await rig.get(`/private-api/v1/${rig.workspaceId}/farms/${rig.farmId}/miner/latest?pageSize=1000`);
    return page.body.data.filter(({ hashrate }: { hashrate: number }) => hashrate === 77e12).length;
  };
  const realLeft = await listed();
  // A week later nobody has seen again what was invented.
  clock.step(8 * DAY_MS);
  const store = await openStore(databasePath);
  await store.prune(clock.nowMs());
  await store.close();
  const weekLater = sizeOf(databasePath).rows.get('miners') ?? 0;
  const realAfter = await listed();

  const [rows, bytes] = [sum(added), flooded.bytes - calm.bytes];
  const laterRows = sum(addedTo(half, flooded));
  const [mostRows, mostBytes] = [GRANT * BOUND.rowsPerMiner + BOUND.rows, GRANT * BOUND.bytesPerMiner + BOUND.bytes];
  const mib = (of: number) => (of / 1_024 ** 2).toFixed(1);
  const parts = added.map(([name, more]) => `${name} ${more}`).join(', ');
  report({
    id: 'S24',
    value: `${CONNECTIONS * SLICES} slices of what an agent invents, in ${tookS.toFixed(0)} s: ${rows} rows and ${mib(bytes)} MiB added, ${laterRows} and ${mib(flooded.bytes - half.bytes)} of them by the second half (${parts}); ${realLeft} of its ${REAL} miners there, after a week ${realAfter} and ${weekLater - REAL - OTHERS * MINERS} that it invented; others ${isUntouched ? 'as they were' : 'CHANGED'}`,
    bar: `a grant of ${GRANT}: <= ${mostRows} rows and ${mib(mostBytes)} MiB, an end; real miners stay`,
    isMet:
      rows <= mostRows &&
      (!isFull || laterRows <= SECOND_HALF_ROWS) &&
      bytes <= mostBytes &&
      isUntouched &&
      realLeft === REAL &&
      realAfter === REAL &&
      weekLater === REAL + OTHERS * MINERS,
  });
});

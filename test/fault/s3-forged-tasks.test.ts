// Orders that the service never gave, in every way in which they can be forged or used again, against a real agent on a
// simulated farm: none is carried out, every one is in the account of refusals that the agent reports. Between them it
// goes on to carry out what is right. The same with what would cancel the right ones, and with what would call miners
// out of operation to hide their flags.
import { randomUUID, sign } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { type Agent, createAgent } from '../../src/agent/agent.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { agentDatabasePath } from '../../src/agent/state/database.ts';
import { enrolOnce, loadCredentials } from '../../src/agent/uplink/enrolment/credentials.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Notice, SignedNoticeFrame, SignedTaskFrame } from '../../src/wire/frames.ts';
import type { ReportRecord } from '../../src/wire/records.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { keyChange, newSigner, task as taskOf } from '../unit/agent/uplink/signatures/signed.ts';
import { type Line, startForgingService } from './forging-service.ts';
import { seeded } from './seeded.ts';
import { isFull, report } from './table.ts';

const CASES = isFull ? 1_000 : 120;
const NOTICE_CASES = isFull ? 100 : 24;
const MINERS = 12;
const REALM = 'forged';
const TTL_MS = 900_000;

const isOutcome = (record: ReportRecord, taskId: string) =>
  record.kind === 'task' && record.task_id === taskId && record.status === 'succeeded';

type Case = { readonly what: string; make(line: Line): unknown };

test('nothing is carried out that the service did not order of this agent, now, once', async () => {
  const random = seeded(3);
  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
  const folder = mkdtempSync(join(tmpdir(), 'pithead-forged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const portMap = await suitablePortMap();
  const { network } = loopback(27);
  const farm = await startFarm({
    network,
    miners: MINERS,
    seed: 3,
    mix: 'antminer-stock',
    bootS: 1,
    warmUpS: 1,
    portMap,
  });
  onTestFinished(() => farm.stop());
  const service = await startForgingService();
  onTestFinished(() => service.stop());
  const stateDir = join(folder, 'state');
  const options = { baseDir: folder, environment: { XDG_CONFIG_HOME: folder }, name: 'forged' };
  const config = parseConfig(
    JSON.stringify({
      stateDir,
      networks: [network],
      portMap,
      scan: { maxPerSecond: 50_000 },
      poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
      tasks: { reboot: { backS: 15, hashS: 60, graceS: 8, checkEveryS: 0.3 }, powerGate: { kw: 100_000, windowS: 1 } },
    }),
    options,
  );
  const { keyFile } = config.credentials;
  mkdirSync(stateDir, { mode: 0o700 });
  await enrolOnce({ stateDir, keyFile, realm: REALM, url: service.url, code: 'code', allowPlain: true });

  let agent: Agent | undefined;
  /** Starts the agent on what lies in its state directory, and waits for its line. */
  const start = async (): Promise<Line> => {
    const credentials = loadCredentials(stateDir, REALM, keyFile);
    if (credentials === undefined) throw new Error('the agent is enrolled');
    const before = service.lines.length;
    agent = createAgent({
      config,
      uplinks: [{ name: 'service', allowPlain: true, ...credentials }],
      clock: systemClock,
      log: silentLog,
    });
    await agent.start();
    await until(
      () => service.lines.length,
      (count) => count > before,
    );
    return newest();
  };
  const newest = (): Line => {
    const line = service.lines.at(-1);
    if (line === undefined) throw new Error('the agent has connected');
    return line;
  };
  const stop = async () => {
    await agent?.stop();
    agent = undefined;
  };
  onTestFinished(stop);

  const fresh = (minerKey: string) => {
    const nowMs = Date.now();
    return taskOf({
      miner_key: minerKey,
      created_at: new Date(nowMs).toISOString(),
      expires_at: new Date(nowMs + TTL_MS).toISOString(),
    });
  };
  const reboots = () => farm.devices.reduce((sum, device) => sum + device.reboots, 0);
  const audited = () => {
    const counts = new Map<string, number>();
    for (const record of service.records) {
      const [what, count] =
        record.kind === 'event' && record.type === 'orders_refused'
          ? [String(record.detail.reason), Number(record.detail.count)]
          : record.kind === 'task' && record.status === 'timeout'
            ? ['expired', 1]
            : ['', 0];
      if (count > 0) counts.set(what, (counts.get(what) ?? 0) + count);
    }
    return counts;
  };
  const auditedTotal = () => [...audited().values()].reduce((sum, count) => sum + count, 0);

  let line = await start();
  const keys = await until(
    () => [...new Set(service.records.flatMap((record) => (record.kind === 'miner' ? [record.key] : [])))],
    (found) => found.length === MINERS,
  );
  // Recorded while the agent was right to take them: each is carried out, once.
  const recorded: { readonly line: Line; readonly frame: SignedTaskFrame }[] = [];
  const ordered: string[] = [];
  let seq = line.taskSeq;
  let wanted = 0;
  const giveGood = async () => {
    const task = fresh(keys[wanted] ?? '');
    const frame = service.signFor(line, ++seq, task);
    recorded.push({ line, frame });
    ordered.push(task.task_id);
    line.send(frame);
    wanted++;
    // While it is looked at before it begins, which is when it could be cancelled.
    target = task.task_id;
    for (const kind of cancels) forgeAndSend(kind);
    await until(reboots, (count) => count >= wanted);
  };

  const outcomes = () =>
    until(
      () => ordered.filter((id) => !service.records.some((record) => isOutcome(record, id))),
      (open) => open.length === 0,
      // Longer than a reboot may take to be proven or given up (hashS).
      180_000,
    );

  const stranger = newSigner();
  const forge = (what: string, make: Case['make']): Case => ({ what, make });
  const mutated = (text: string): string => {
    const at = Math.floor(random() * text.length);
    return text.slice(0, at) + String.fromCharCode(33 + Math.floor(random() * 90)) + text.slice(at + 1);
  };
  const changed = (given: Line): SignedTaskFrame => {
    const frame = service.signFor(given, seq + 1, fresh(pick(keys)));
    const text = pick([
      () => frame.text.replace(/"miner_key":"[^"]*"/, `"miner_key":"${pick(keys)}"`).replace('{}', '{"force":true}'),
      () => frame.text.replace(/"expires_at":"\d{4}/, '"expires_at":"2999'),
      () => frame.text.replace('"seq":', '"seq":1'),
      () => frame.text.replace('miner.system.reboot', 'miner.firmware.update'),
      () => mutated(frame.text),
      () => `${frame.text} `,
    ])();
    return text === frame.text ? { ...frame, text: `${text}\n` } : { ...frame, text };
  };
  const cases: readonly Case[] = [
    forge('unsigned', () => fresh(pick(keys))),
    forge('another key', (to) => service.signFor(to, seq + 1, fresh(pick(keys)), { by: stranger })),
    forge('for another purpose', (to) => {
      const { type, text } = service.signFor(to, seq + 1, fresh(pick(keys)));
      return { type, text, signature: sign(null, Buffer.from(text), service.signer.key).toString('base64') };
    }),
    forge('another agent', (to) => service.signFor(to, seq + 1, fresh(pick(keys)), { to: randomUUID() })),
    forge('another nonce', ({ at }) =>
      service.signFor({ at, nonce: 'AAAAAAAAAAAAAAAAAAAAAA' }, seq + 1, fresh(pick(keys))),
    ),
    forge('replayed', () => pick(recorded).frame),
    forge('older sequence', (to) => service.signFor(to, Math.floor(random() * seq), fresh(pick(keys)))),
    forge('altered after signing', changed),
    forge('expired', (to) => {
      const task = fresh(pick(keys));
      const past = new Date(Date.parse(to.at) - 1 - Math.floor(random() * TTL_MS)).toISOString();
      return service.signFor(to, ++seq, { ...task, expires_at: past });
    }),
  ];
  /** What forged cancels are about: the right task that came last. */
  let target = '';
  const cancel = (): Notice => ({ type: 'cancel', task_id: target });
  const hide = (): Notice => {
    const miners = keys.map((miner_key) => ({ miner_key, ops_status: 'retired' }));
    return { type: 'ops-status', is_first: pick([true, false]), miners };
  };
  const altered = (frame: SignedNoticeFrame) => ({ ...frame, text: `${frame.text} ` });
  const forgedNotices = (what: string, make: () => Notice): readonly Case[] => [
    forge(`${what}, unsigned`, make),
    forge(`${what}, by another key`, (to) => service.noticeFor(to, seq + 1, make(), { by: stranger })),
    forge(`${what}, altered after signing`, (to) => altered(service.noticeFor(to, seq + 1, make()))),
    forge(`${what}, for another agent`, (to) => service.noticeFor(to, seq + 1, make(), { to: randomUUID() })),
    forge(`${what}, of another connection`, ({ at }) =>
      service.noticeFor({ at, nonce: 'AAAAAAAAAAAAAAAAAAAAAA' }, seq + 1, make()),
    ),
    forge(`${what}, older sequence`, (to) => service.noticeFor(to, Math.floor(random() * seq), make())),
  ];
  const cancels = forgedNotices('cancel', cancel);
  const hides = forgedNotices('ops status', hide);
  /** What the agent has been told of its miners, by the service. */
  const outOfOperation = (): readonly unknown[] => {
    const db = new DatabaseSync(agentDatabasePath(stateDir), { readOnly: true });
    try {
      return db
        .prepare('SELECT key FROM ops_status')
        .all()
        .map(({ key }) => key);
    } finally {
      db.close();
    }
  };
  const giveNotices = async () => {
    const miners = [{ miner_key: keys[0] ?? '', ops_status: 'maintenance' }];
    line.send(service.noticeFor(line, ++seq, { type: 'ops-status', is_first: true, miners }));
    const task = fresh(keys[0] ?? '');
    cancelled.push(task.task_id);
    line.send(service.signFor(line, ++seq, task));
    line.send(service.noticeFor(line, ++seq, { type: 'cancel', task_id: task.task_id }));
    await until(outOfOperation, (out) => out.length === 1);
    await until(
      () => service.records.some((record) => record.kind === 'task' && record.status === 'cancelled'),
      (isTold) => isTold,
    );
  };
  const cancelled: string[] = [];
  const sent = new Map<string, number>();
  const forgeAndSend = (kind: Case) => {
    line.send(kind.make(line));
    sent.set(kind.what, (sent.get(kind.what) ?? 0) + 1);
  };
  const sentTotal = () => [...sent.values()].reduce((sum, count) => sum + count, 0);
  const ordersSent = () => sentTotal() - noticesSent();
  const noticesSent = () => [...cancels, ...hides].reduce((sum, { what }) => sum + (sent.get(what) ?? 0), 0);
  /**
   * Until the account holds all of them, or has had the time. What it does not hold when a connection ends counts as
   * told to this service.
   */
  const accounted = async () => {
    await until(
      () => sentTotal() - auditedTotal(),
      (open) => open <= 0,
      30_000,
      // What is missing then is in the line of the bar.
    ).catch(() => {});
  };
  const attack = async (count: number, kinds: readonly Case[]) => {
    for (let n = 0; n < count; n++) {
      const kind = kinds[n % kinds.length];
      if (kind === undefined) return;
      forgeAndSend(kind);
    }
    await accounted();
  };

  await giveNotices();
  await giveGood();
  await attack(Math.round(CASES * 0.4), cases);
  await attack(NOTICE_CASES, hides);
  await giveGood();

  // An agent that is put back to a copy from before it took orders that somebody has recorded.
  await accounted();
  await stop();
  const copy = join(folder, 'copy');
  cpSync(stateDir, copy, { recursive: true });
  line = await start();
  expect(line.taskSeq).toBe(seq);
  await giveGood();
  await giveGood();
  await attack(Math.round(CASES * 0.2), cases);
  await outcomes();
  await accounted();
  await stop();
  rmSync(stateDir, { recursive: true });
  cpSync(copy, stateDir, { recursive: true });
  const newerSeq = seq;
  line = await start();
  expect(line.taskSeq).toBeLessThan(newerSeq);
  seq = line.taskSeq;
  await attack(Math.round(CASES * 0.2), [
    ...recorded.map(({ frame }) => forge('recorded before the agent was put back', () => frame)),
    forge('numbers from before it was put back', (to) =>
      service.signFor({ at: recorded[0]?.line.at ?? '', nonce: to.nonce }, newerSeq, fresh(pick(keys))),
    ),
  ]);
  await giveGood();

  // Somebody answers in the place of the service, with a key of their own.
  await accounted();
  await stop();
  service.behaviour.shows = stranger.publicKey;
  service.behaviour.changes = [
    keyChange(stranger, stranger),
    { ...keyChange(stranger, service.signer), from: service.signer.publicKey, to: stranger.publicKey },
  ];
  line = await start();
  seq = line.taskSeq;
  await attack(NOTICE_CASES, hides.slice(0, 2));
  await attack(CASES - ordersSent(), [
    forge('by who shows another key', (to) => service.signFor(to, seq + 1, fresh(pick(keys)), { by: stranger })),
    forge('unsigned', () => fresh(pick(keys))),
  ]);
  await accounted();
  await stop();
  service.behaviour.shows = service.signer.publicKey;
  line = await start();
  seq = line.taskSeq;
  await giveGood();

  await accounted();
  await outcomes();
  const journaled = (agent?.tasks.list(10_000) ?? []).filter(
    ({ taskId }) => !ordered.includes(taskId) && !cancelled.includes(taskId),
  );
  const started = journaled.filter(({ startedMs }) => startedMs !== null).length;
  const executed = reboots() - wanted + started;
  const heeded = outOfOperation().length - 1;
  report({
    id: 'S3',
    value: `${ordersSent()} forged orders and ${noticesSent()} forged notices of ${sent.size} kinds: ${executed} executed, ${heeded} heeded, ${auditedTotal()} in the account; ${wanted} right orders in between, ${wanted} executed`,
    bar: '1,000: 0 executed, 100 % audited',
    isMet: executed === 0 && heeded === 0 && auditedTotal() === sentTotal(),
  });
  expect(journaled.every(({ status }) => status === 'timeout')).toBe(true);
  expect(audited().get('expired')).toBe(sent.get('expired'));
  expect([...sent.keys()].length).toBe(24);
}, 240_000);

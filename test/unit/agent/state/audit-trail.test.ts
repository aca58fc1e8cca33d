// The audit trail of an agent: tasks from their acceptance to their end, in one commit with the journal; and what is
// done to it in the file is found.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkAgentTrail, listAgentTrail } from '../../../../src/agent/state/audit-check.ts';
import { auditMigrations, openAuditTrail } from '../../../../src/agent/state/audit-trail.ts';
import { createAuditedEvents } from '../../../../src/agent/state/audited-events.ts';
import { failed } from '../../../../src/agent/tasks/contract.ts';
import { newRow } from '../../../../src/agent/tasks/queue/admission.ts';
import { openJournal, tasksMigrations } from '../../../../src/agent/tasks/queue/journal.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVault } from '../../../../src/base/storage/vault.ts';

const vault = createVault(Buffer.alloc(32, 3));
const DAY_MS = 86_400_000;

function openSite() {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-trail-'));
  const path = join(folder, 'agent.sqlite');
  const db = openSqlite(path, [tasksMigrations, auditMigrations]);
  onTestFinished(() => {
    if (db.isOpen) db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const time = { nowMs: 1_700_000_000_000 };
  const audit = openAuditTrail(db, { nowMs: () => time.nowMs, vault });
  const actions = () => listAgentTrail(path, { sinceMs: 0, limit: 10_000 }).map(({ action }) => action);
  return { path, db, audit, time, actions, check: () => checkAgentTrail(path, vault) };
}

const row = (taskId: string) =>
  newRow(
    {
      ...{ taskId, batchId: 'b', name: 'miner.pool.update', minerKey: 'm', source: 'service', uplink: 'company' },
      ...{
        params: { pools: [{ url: 'stratum+tcp://pool.example:3333', user: 'w', password: 'hunter2!' }] },
        expiresMs: 9,
      },
    },
    1,
  );

test('a task is in the trail when it is accepted, begins and ends; a refused one with the reason; no password is', () => {
  const { path, db, audit, actions, check } = openSite();
  const journal = openJournal(db, vault, audit);
  const refused = { ...row('2'), ...failed('not allowed here'), state: 'final' as const, finishedMs: 1 };
  journal.insert([row('1'), refused]);
  journal.started('1', {}, 0, 2);
  journal.finished([{ row: row('1'), outcome: { status: 'succeeded', message: 'done', evidence: {} } }], 3, () => {});
  expect(actions()).toEqual(['task.accepted', 'task.refused', 'task.begun', 'task.ended']);
  const [accepted, second] = listAgentTrail(path, { sinceMs: 0, limit: 10 });
  expect(accepted?.actor_name).toBe('company');
  expect(second?.detail).toContain('not allowed here');
  expect(JSON.stringify(listAgentTrail(path, { sinceMs: 0, limit: 10 }))).not.toContain('hunter2!');
  expect(check()).toMatchObject({ problem: undefined, entries: 4, unsigned: 0 });
});

test('what the journal does not keep is not in the trail either', () => {
  const { db, audit, actions, check } = openSite();
  const journal = openJournal(db, vault, audit);
  journal.insert([row('1')]);
  expect(() =>
    journal.finished([{ row: row('1'), outcome: { status: 'succeeded', message: '', evidence: {} } }], 3, () => {
      throw new Error('the disk refuses');
    }),
  ).toThrow();
  expect(() => journal.insert([row('3'), row('1')])).toThrow();
  expect(actions()).toEqual(['task.accepted']);
  expect(check().problem).toBeUndefined();
});

test('starts, new services, another version, calls and a new configuration are in it', () => {
  const { path, audit, actions, check } = openSite();
  const audited = createAuditedEvents(audit, silentLog);
  audited.started('1.0.0', [{ agentId: 'a', name: 'company' }]);
  audited.started('1.1.0', [{ agentId: 'a', name: 'company' }]);
  audited.called({ route: '/tasks/run', user: 'mira' });
  audited.reloaded({ changed: ['networks'], needsRestart: [] });
  const at = new Date(0).toISOString();
  audited.reported({ kind: 'event', type: 'moved', key: 'm', at, detail: {} });
  audited.reported({ kind: 'event', type: 'orders_refused', key: '', at, detail: { reason: 'signature', count: 2 } });
  audited.reported({ kind: 'event', type: 'identity_settled', key: 'm', at, detail: { ip: '10.0.0.1' } });
  expect(actions()).toEqual([
    ...['agent.started', 'agent.enrolled', 'update.installed', 'agent.started', 'control.called', 'config.reloaded'],
    ...['task.refused', 'identity.settled'],
  ]);
  expect(listAgentTrail(path, { sinceMs: 0, limit: 10 })[4]?.actor_name).toBe('mira');
  expect(check().problem).toBeUndefined();
});

test('what is done to it in the file is found', () => {
  const { path, db, audit } = openSite();
  const acts = (count: number) =>
    audit.record(
      Array.from({ length: count }, (_, index) => ({
        ...({ action: 'control.called', actor: { type: 'user', id: 'x', name: 'x' }, detail: { index } } as const),
      })),
    );
  acts(20);
  const noted = db.prepare('SELECT seq, hash FROM audit_head').get();
  const head = { seq: Number(noted?.seq), hash: String(noted?.hash) };
  const ways: readonly [sql: string, fault: string][] = [
    ["UPDATE audit_entries SET detail = '{}' WHERE seq = 7", 'changed'],
    ["UPDATE audit_entries SET actor_name = 'y' WHERE seq = 20", 'changed'],
    ['DELETE FROM audit_entries WHERE seq = 7', 'missing'],
    ['DELETE FROM audit_entries WHERE seq > 15', 'cut'],
    [
      'DELETE FROM audit_entries WHERE seq > 15; UPDATE audit_head SET (seq, hash) = (SELECT seq, hash FROM audit_entries WHERE seq = 15)',
      'head',
    ],
    ['UPDATE audit_entries SET seq = 99 WHERE seq = 3; UPDATE audit_entries SET seq = 3 WHERE seq = 4', 'reordered'],
    ['DELETE FROM audit_entries; DELETE FROM audit_head', 'cut'],
  ];
  for (const [sql, fault] of ways) {
    db.exec('SAVEPOINT tampering');
    db.exec(sql);
    db.exec('RELEASE tampering');
    expect([sql, checkAgentTrail(path, vault, head).problem?.fault]).toEqual([sql, fault]);
    db.exec('DELETE FROM audit_entries; DELETE FROM audit_head');
    acts(20);
  }
});

test('what is older than 400 days goes, and the rest is still whole', () => {
  const { db, audit, time, check } = openSite();
  const call = { action: 'control.called', actor: { type: 'user', id: 'x', name: 'x' } } as const;
  audit.record(Array.from({ length: 600 }, () => call));
  time.nowMs += 401 * DAY_MS;
  audit.record(Array.from({ length: 600 }, () => call));
  expect(check()).toMatchObject({ problem: undefined, entries: 601, last: { seq: 1_201 } });
  db.exec("DELETE FROM audit_entries WHERE action = 'trail.pruned'");
  expect(check().problem).toBeDefined();
});

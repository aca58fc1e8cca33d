// Records as the agent would hand them over, and ways to look into what came out. Each sample carries a number by which
// a ledger knows it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import type { Outbox } from '../../../../src/agent/outbox/outbox.ts';
import type { OutgoingSlice } from '../../../../src/agent/outbox/outgoing.ts';
import type { MinerRecord, ReportRecord, TaskRecord } from '../../../../src/wire/records.ts';
import { sliceBodySchema } from '../../../../src/wire/records.ts';

const KEY = '0198a7a2-0000-7000-8000-000000000001';

export function sample(number: number, atMs: number): MinerRecord {
  return {
    kind: 'miner',
    key: KEY,
    at: new Date(atMs).toISOString(),
    mac_state: 'ok',
    sn_state: 'ok',
    abilities: ['miner.system.reboot'],
    document: {
      serial_number: `SN${number}`,
      model: 'Antminer S19',
      ip: '10.0.0.1',
      mac: 'AA:BB:CC:DD:EE:FF',
      firmware_version: null,
      is_mining: true,
      last_check_succeed: true,
      unstable_reason: null,
      mining_mode: 'normal',
      mining_mode_preset: null,
      hashrate: number,
      hashrate_24h: null,
      power: null,
      temp: null,
      temperature_inlet_avg: null,
      temperature_outlet_avg: null,
      efficiency: null,
      uptime: 0,
      last_updated_at: null,
      errors: [],
      hashboards: [],
      total_chips: null,
      expected_chips: null,
      anomaly_flags: 0,
      pools: [],
      psus: [],
    },
    extras: {
      make: null,
      algorithm: null,
      firmware: 'antminer-stock',
      hostname: null,
      controller_serial_number: null,
      expected_hashrate: null,
      power_limit: null,
      cooling: null,
      light_on: null,
      fans: [],
      board_details: [],
      flags: [],
    },
  };
}

export function outcome(number: number, atMs: number): TaskRecord {
  return {
    kind: 'task',
    task_id: `0198a7a2-0000-7000-8000-${String(number).padStart(12, '0')}`,
    status: 'succeeded',
    at: new Date(atMs).toISOString(),
    message: null,
    evidence: { number },
  };
}

/** What an uplink that is about to connect would send of its oldest epoch. */
export async function readOldest(
  outbox: Pick<Outbox, 'source'>,
  uplink: string,
  limits: { readonly maxSlices: number; readonly maxBytes: number } = { maxSlices: 1e6, maxBytes: 1e12 },
): Promise<readonly OutgoingSlice[]> {
  const source = outbox.source(uplink);
  const [{ epoch, ackedSeq }] = await source.epochs();
  return source.read({ epoch, afterSeq: ackedSeq, ...limits });
}

export async function acknowledgeOldest(outbox: Pick<Outbox, 'source'>, uplink: string, seq: number): Promise<void> {
  const source = outbox.source(uplink);
  await source.acknowledge(seq, (await source.epochs())[0].epoch);
}

/**
 * Numbers of the samples, numbers of the task outcomes, and the gaps in a list of slices. Throws when a slice is not
 * what the wire allows.
 */
export function contents(slices: readonly Pick<OutgoingSlice, 'body'>[]) {
  const records: ReportRecord[] = slices.flatMap(
    ({ body }) => sliceBodySchema.parse(JSON.parse(zstdDecompressSync(body).toString('utf8'))).records,
  );
  return {
    samples: records.flatMap((record) => (record.kind === 'miner' ? [record.document.hashrate ?? -1] : [])),
    tasks: records.flatMap((record) => (record.kind === 'task' ? [Number(record.evidence.number)] : [])),
    gaps: records.flatMap((record) => (record.kind === 'gap' ? [record] : [])),
  };
}

/** In memory where the system has that: for many runs that are not about durability. */
const memoryOrTmp = () => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());

export function makeDir({ isQuick = false } = {}): { path: (name: string) => string; remove: () => void } {
  const dir = mkdtempSync(join(isQuick ? memoryOrTmp() : tmpdir(), 'pithead-outbox-'));
  return { path: (name) => join(dir, name), remove: () => rmSync(dir, { recursive: true, force: true }) };
}

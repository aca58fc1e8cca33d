// Records as agents send them, plausible in every field; tests change what they are about.
import { randomUUID } from 'node:crypto';
import type { HostRecord, MinerRecord } from '../../../src/wire/records.ts';

export type MinerChange = {
  key?: string;
  at?: string;
  mac_state?: MinerRecord['mac_state'];
  sn_state?: MinerRecord['sn_state'];
  abilities?: string[];
  document?: Partial<MinerRecord['document']>;
  extras?: Partial<MinerRecord['extras']>;
};

/** Miner number `n` (0 to 65,535): its own address, MAC and serial. */
export function minerRecord(n: number, nowMs: number, change: MinerChange = {}): MinerRecord {
  const at = change.at ?? new Date(nowMs).toISOString();
  const hex = n.toString(16).padStart(4, '0').toUpperCase();
  return {
    kind: 'miner',
    key: change.key ?? randomUUID(),
    at,
    mac_state: change.mac_state ?? 'ok',
    sn_state: change.sn_state ?? 'ok',
    abilities: change.abilities ?? ['miner.system.reboot'],
    document: {
      serial_number: `SN-${hex}`,
      model: 'Antminer S19 Pro',
      ip: `10.0.${n >> 8}.${n & 255}`,
      mac: `02:00:00:00:${hex.slice(0, 2)}:${hex.slice(2)}`,
      firmware_version: '2022-06-08',
      is_mining: true,
      last_check_succeed: true,
      unstable_reason: null,
      mining_mode: 'normal',
      mining_mode_preset: null,
      hashrate: 110e12,
      hashrate_24h: 109e12,
      power: 3250,
      temp: 71.5,
      temperature_inlet_avg: 31,
      temperature_outlet_avg: 64,
      efficiency: 29.5,
      uptime: 86_400,
      last_updated_at: at,
      errors: [],
      hashboards: [
        { serial_number: `HB-${hex}-0`, hashrate: 55e12, chips: 114, chip_frequency: 545 },
        { serial_number: `HB-${hex}-1`, hashrate: 55e12, chips: 114, chip_frequency: 545 },
      ],
      total_chips: 228,
      expected_chips: 228,
      anomaly_flags: 0,
      pools: [
        {
          url: 'stratum+tcp://pool.example:3333',
          worker_id: `farm.${n}`,
          difficulty_accepted: 1e9,
          difficulty_rejected: 0,
          difficulty_stale: 0,
        },
      ],
      psus: [{ serial_number: `PSU-${hex}`, temperature: 45 }],
      ...change.document,
    },
    extras: {
      make: 'Bitmain',
      algorithm: 'sha256',
      firmware: 'antminer-stock',
      hostname: `miner-${n}`,
      controller_serial_number: `CB-${hex}`,
      expected_hashrate: 110e12,
      power_limit: null,
      cooling: 'air',
      light_on: false,
      fans: [{ index: 0, rpm: 5800, duty_percent: 90 }],
      board_details: [],
      flags: [],
      ...change.extras,
    },
  };
}

/** Of a miner that is known to be silent; one missed answer is no silence yet. */
export const SILENT: MinerRecord['extras']['flags'][number] = {
  type: 'network',
  since: '2026-03-01T00:00:00.000Z',
  severity: 'critical',
  value: 2,
  limit: 2,
  source: 'contact',
  message: 'does not answer (peer.timeout), 2 polls in a row',
};

export function hostRecord(nowMs: number, change: Partial<HostRecord> = {}): HostRecord {
  return {
    kind: 'host',
    at: new Date(nowMs).toISOString(),
    version: '1.2.3',
    uptime: 42,
    poll_interval_ms: 60_000,
    miners: 3,
    host: {
      platform: 'linux',
      os: 'Debian GNU/Linux 12',
      cpu_count: 4,
      uptime: 1000,
      timestamp: Math.floor(nowMs / 1000),
      load_average: [0.1, 0.2, 0.3],
      memory: { total: 8e9, free: 4e9, used: 4e9, swap_total: 0, swap_free: 0, swap_used: 0 },
      ip: '10.0.0.2',
      hostname: 'agent-host',
    },
    ...change,
  };
}

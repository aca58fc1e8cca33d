// Records of miners with ids, MACs, rates and times by chance, as a farm has: those of a test would compress better.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { MinerRecord } from '../../src/wire/records.ts';
import { minerRecord } from '../unit/service-http/records.ts';

export const POLL_S = 60;

const MODELS = [
  'Antminer S19 Pro',
  'Antminer S19j Pro',
  'Antminer S21',
  'Whatsminer M50S VH50',
  'Whatsminer M30S++ VH100',
];

const DAY_MS = 86_400_000;
/** One of so many is ill, and of so many polls one finds that another than before. */
const ILL_OF = 25;
const CHANGED_OF = 100;

const stillFan = (sinceMs: number) => {
  const since = new Date(sinceMs).toISOString();
  const message = `fan ${randomInt(4)} stands still`;
  return { type: 'fan', since, severity: 'major', message, value: 0, limit: 1, source: 'fans[0].rpm' } as const;
};

export function recordByChance(n: number): MinerRecord {
  const hex = randomBytes(3)
    .toString('hex')
    .toUpperCase()
    .replace(/(..)(..)(..)/, '$1:$2:$3');
  const serial = `SMTTYRHBDJ${'ABC'[n % 3]}${String(randomInt(1e6)).padStart(6, '0')}`;
  return minerRecord(n % 65_536, Date.now(), {
    key: randomUUID(),
    abilities: ['miner.system.reboot', 'miner.light.update', 'miner.log.get'],
    document: {
      ip: `10.${1 + Math.floor(n / 62_500)}.${Math.floor(n / 250) % 250}.${n % 250}`,
      mac: `02:55:F7:${hex}`,
      serial_number: serial,
      model: MODELS[randomInt(MODELS.length)] ?? null,
      uptime: randomInt(5_000_000),
    },
    extras: {
      hostname: 'Antminer',
      expected_hashrate: 110e12,
      // Since some time of the last day: ages of a farm are mostly minutes and hours.
      flags: randomInt(ILL_OF) === 0 ? [stillFan(Date.now() - randomInt(DAY_MS))] : [],
    },
  });
}

/** Polled now: values that move. */
export function polled(record: MinerRecord): MinerRecord {
  const at = new Date().toISOString();
  const { document } = record;
  const moved = {
    hashrate: 95e12 + Math.random() * 20e12,
    power: randomInt(3_000, 3_600),
    temp: randomInt(600, 850) / 10,
  };
  const before = record.extras?.flags ?? [];
  const isChanged = randomInt(CHANGED_OF) === 0;
  const flags = !isChanged ? before : before.length > 0 ? [] : [stillFan(Date.now())];
  return {
    ...record,
    at,
    document: {
      ...{ ...document, ...moved, last_updated_at: at, uptime: document.uptime + POLL_S },
      anomaly_flags: flags.length > 0 ? 1 : 0,
    },
    extras: { ...record.extras, flags, fans: [{ index: 0, rpm: randomInt(300, 600) * 10, duty_percent: null }] },
  };
}

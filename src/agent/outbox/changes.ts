// Tells a sample that shows a change of state from one that repeats it: the first are kept longer when space is short. It looks at what flags,
// lists and identity are made of, never at figures that move all the time.
import { crc32 } from 'node:zlib';
import type { ReportRecord } from '../../wire/records.ts';

export type Changes = {
  /** True for the first record of a miner, and whenever its state differs from that of the record before. */
  isChange(record: ReportRecord): boolean;
};

/** Beyond this it begins anew rather than grow. */
const MAX_MINERS = 200_000;

export function createChanges(): Changes {
  const last = new Map<string, number>();
  return {
    isChange(record) {
      if (record.kind !== 'miner') return false;
      const { anomaly_flags, last_check_succeed, is_mining, mining_mode, unstable_reason, ip, mac, firmware_version } =
        record.document;
      const state = [anomaly_flags, last_check_succeed, is_mining, mining_mode, unstable_reason, ip, mac];
      const sum = crc32([...state, firmware_version, record.document.model].join('\n'));
      if (last.get(record.key) === sum) return false;
      if (last.size >= MAX_MINERS) last.clear();
      last.set(record.key, sum);
      return true;
    },
  };
}

// Recognises samples that show a change of state: the first of a miner, and each whose state differs from the one before. The state is that of
// flags, lists and identity, never figures that move all the time.
import { crc32 } from 'node:zlib';
import type { ReportRecord } from '../../../wire/records.ts';

/** With more miners than this all states are forgotten rather than kept without bound. */
const MAX_MINERS = 200_000;

export function createChanges() {
  const last = new Map<string, number>();
  return {
    isChange(record: ReportRecord): boolean {
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

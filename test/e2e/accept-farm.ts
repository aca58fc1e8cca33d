// What an operator does at a new farm, for tests that want all of it read: a scan, and then a person's word for every device that was met.
import { join } from 'node:path';
import type { Farm } from '../../fixtures/farm/farm.ts';
import type { AgentConfig } from '../../src/agent/config/config.ts';
import { openTrustRecord, TRUST_FILE } from '../../src/agent/device/trust-record.ts';
import { scanOnce } from '../../src/agent/standalone/scan.ts';
import { systemClock } from '../../src/base/clock.ts';

/** Those that prove their family are accepted as they are, the others as what the farm says that they are. */
export async function acceptFarm(config: AgentConfig, farm: Pick<Farm, 'device'>, network: string): Promise<void> {
  const listener = { onUnderstood() {}, onFound() {}, onProgress() {} };
  await scanOnce({ config, ranges: [network], exclude: [] }, listener, new AbortController().signal);
  const record = openTrustRecord(join(config.stateDir, TRUST_FILE), systemClock);
  for (const device of record.devices()) {
    const simulated = farm.device(device.ip);
    if (simulated === undefined) continue;
    record.accept([device], device.confidence === 'sure' ? undefined : simulated.driver);
  }
  record.close();
}

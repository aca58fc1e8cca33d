// Every kind of the simulated farm proves its family without a login, by the questions that every scan asks: it is a
// lasting miner at once.
import { expect, test } from 'vitest';
import { drivers, families } from '../../drivers/index.ts';
import type { Device } from '../../fixtures/farm/farm.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { gatherEvidence, matchDriver, SCAN_PORTS, SIDE_PORTS } from '../../src/driver/identify.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { everyKind, FAMILIES } from './every-kind.ts';

const OPEN = { 80: 19_080, 5000: 19_500, 443: 19_443, 4028: 19_028, 4433: 19_433, 8080: 19_088, 8359: 19_359 };

const farm = everyKind(OPEN);

async function confidenceAt(device: Device) {
  const portMap = new Map(Object.entries(OPEN).map(([port, to]) => [Number(port), to]));
  const transport = createTransport({
    clock: systemClock,
    log: silentLog,
    portMap,
    mayReach: (ip) => ip === device.ip,
  });
  try {
    const open = new Set<number>();
    for (const port of [...SCAN_PORTS, ...SIDE_PORTS])
      if ((await transport.probe(device.ip, port, 2_000)) === 'open') open.add(port);
    const { evidence } = await gatherEvidence(transport.link(device.ip), open, {
      families,
      clock: systemClock,
      isLastTry: true,
    });
    const choice = matchDriver(drivers, evidence);
    return `${choice?.driver.id} ${choice?.identity.confidence}`;
  } finally {
    await transport.close();
  }
}

/** What runs on a computer of its own is no family: its whole CGMiner answer proves that it is a mining program. */
const LEVEL: Readonly<Record<string, string>> = { cgminer: 'generic' };

test.each(FAMILIES)('%s proves what it is', async (family) => {
  const devices = farm.variantsOf(family);
  expect(devices.length).toBeGreaterThan(0);
  for (const device of devices)
    expect(await confidenceAt(device), device.spec.model).toBe(`${device.driver} ${LEVEL[family] ?? 'sure'}`);
});

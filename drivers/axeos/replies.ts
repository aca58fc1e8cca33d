// The one answer that AxeOS and its kin give, as far as we read it (atlas 11): everything is in `/api/system/info`.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, int, num, text, toTempC, toText } from '../../src/driver/fields.ts';
import { rateHs, toDifficulty } from '../_families/cgminer.ts';

const rate = () => field((value) => rateHs(value, 'G'));
/** -1 is a sensor that is not there. */
const sensor = () =>
  field((value) => {
    const tempC = toTempC(value);
    return tempC === -1 ? undefined : tempC;
  });
const count = () => int({ min: 0, max: 1e15 });
const port = () => int({ min: 1, max: 65_535 });

export const infoReply = z
  .looseObject({
    macAddr: field((value) => toText(value, 128)),
    hostname: text(),
    version: text(),
    boardVersion: text(32),
    ASICModel: text(64),
    /** NerdAxe family only. */
    deviceModel: text(64),
    /** LuckyMiner only. */
    minerModel: text(64),
    asicCount: int({ min: 1, max: 1_000 }),
    smallCoreCount: num({ min: 0, max: 1e6 }),
    frequency: num({ min: 1, max: 10_000 }),
    /** Of what feeds it, in mV. */
    voltage: num({ min: 1_000, max: 100_000 }),

    hashRate: rate(),
    hashRate_10m: rate(),
    expectedHashrate: rate(),
    temp: sensor(),
    temp2: sensor(),
    vrTemp: sensor(),
    power: num({ min: 0, max: 100_000 }),
    fanrpm: num({ min: 0, max: 30_000 }),
    fan2rpm: num({ min: 0, max: 30_000 }),
    fanspeed: num({ min: 0, max: 100 }),
    uptimeSeconds: num({ min: 0, max: 4e9 }),

    stratumURL: text(400),
    stratumPort: port(),
    stratumUser: text(512),
    fallbackStratumURL: text(400),
    fallbackStratumPort: port(),
    fallbackStratumUser: text(512),
    isUsingFallbackStratum: bool(),
    sharesAccepted: count(),
    sharesRejected: count(),
    stratumDiff: field(toDifficulty),
    poolDifficulty: field(toDifficulty),

    overheat_mode: bool(),
    power_fault: text(),
    /** Builds that can pause. */
    miningPaused: bool(),
  })
  .refine((info) =>
    [info.ASICModel, info.deviceModel, info.hashRate, info.macAddr].some((value) => value !== undefined),
  );
export type Info = z.output<typeof infoReply>;

/** One schema per ask of driver.ts. */
export const replies = z.object({ info: reply(infoReply) });
export type Replies = z.output<typeof replies>;

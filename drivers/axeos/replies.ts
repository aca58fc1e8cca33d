// The one answer that AxeOS and its kin give, as far as we read it (atlas 11): everything is in `/api/system/info`.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, int, list, num, text, toBoolean, toTempC, toText } from '../../src/driver/fields.ts';
import { rateHs, toDifficulty } from '../_dialects/cgminer.ts';
import { part } from '../_dialects/reply-part.ts';

const rate = () => field((value) => rateHs(value, 'G'));
/** -1 is a sensor that is not there. */
const sensor = () =>
  field((value) => {
    const tempC = toTempC(value);
    return tempC === -1 ? undefined : tempC;
  });
const count = () => int({ min: 0, max: 1e15 });
/** `true`, or the number of a kind of certificate; 0 is none. */
const isTls = () => field((value) => (typeof value === 'number' ? value > 0 : toBoolean(value)));
const rpm = () => num({ min: 0, max: 30_000 });
const percent = () => num({ min: 0, max: 100 });
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
    /** What the firmware is built for. */
    asicCount: int({ min: 1, max: 1_000 }),
    /** What it has found; LuckyMiner only. */
    asicDetected: int({ min: 0, max: 1_000 }),
    /** AxeOS from 2.12, which tells no `asicCount`: one row per chip that it is built for. */
    hashrateMonitor: part({ asics: list(z.looseObject({}), 1_000) }),
    smallCoreCount: num({ min: 0, max: 1e6 }),
    /** What is set; what the chips run at in newer builds, 0 while they rest. */
    frequency: num({ min: 1, max: 10_000 }),
    actualFrequency: num({ min: 0, max: 10_000 }),
    /** Of what feeds it, in mV; `voltagei` in old LuckyMiners. */
    voltage: num({ min: 1_000, max: 100_000 }),
    voltagei: num({ min: 1_000, max: 100_000 }),

    hashRate: rate(),
    hashRate_10m: rate(),
    /** NerdAxe family only: what was hashed in a day, also of a machine that runs for less. */
    hashRate_1d: rate(),
    expectedHashrate: rate(),
    temp: sensor(),
    temp2: sensor(),
    /** NerdAxe family only: of each chip, 0 without a sensor. */
    asicTemps: list(z.number(), 1_000),
    /** Of the regulator, which is made for far more heat than a board. */
    vrTemp: sensor(),
    power: num({ min: 0, max: 100_000 }),
    fanrpm: rpm(),
    fan2rpm: rpm(),
    fanspeed: percent(),
    /** The speed of the fan in old LuckyMiners, beside `fanspeed` in percent. */
    fanSpeed: rpm(),
    /** NerdAxe family only, newer builds: how many there can be, and each. */
    fanCount: int({ min: 0, max: 31 }),
    fans: list(z.looseObject({ rpm: rpm(), speedPerc: percent() }), 32),
    uptimeSeconds: num({ min: 0, max: 4e9 }),

    stratumURL: text(400),
    stratumPort: port(),
    stratumUser: text(512),
    fallbackStratumURL: text(400),
    fallbackStratumPort: port(),
    fallbackStratumUser: text(512),
    stratumTLS: isTls(),
    fallbackStratumTLS: isTls(),
    /** `SV1` or `SV2`; 0 or 1 in the NerdAxe family. */
    stratumProtocol: text(16),
    fallbackStratumProtocol: text(16),
    isUsingFallbackStratum: bool(),
    isStratumConnected: bool(),
    /**
     * NerdAxe family only, newer builds. `activePoolMode` 1 = both pools at once, each with a row; else one row, of the
     * pool in use.
     */
    stratum: part({
      activePoolMode: int({ min: 0, max: 9 }),
      usingFallback: bool(),
      pools: list(
        z.looseObject({
          connected: bool(),
          accepted: count(),
          rejected: count(),
          poolDifficulty: field(toDifficulty),
        }),
        2,
      ),
    }),
    sharesAccepted: count(),
    sharesRejected: count(),
    stratumDiff: field(toDifficulty),
    poolDifficulty: field(toDifficulty),

    overheat_mode: bool(),
    power_fault: text(),
    hardware_fault: text(),
    /** NerdAxe family only: stopped, by a person or by heat. */
    shutdown: bool(),
    /** Builds that can pause. */
    miningPaused: bool(),
  })
  .refine((info) =>
    [info.ASICModel, info.deviceModel, info.hashRate, info.macAddr].some((value) => value !== undefined),
  );
export type Info = z.output<typeof infoReply>;

/** One schema per ask of index.ts. */
export const replies = z.object({ info: reply(infoReply) });
export type Replies = z.output<typeof replies>;

// What Braiins OS answers before it had REST, as far as we read it: GraphQL (22.08 to 25.05), the LuCI page, CGMiner
// words on TCP (atlas 6.1, 6.2).
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, int, list, num, poolAddress, temp, text, toText } from '../../src/driver/fields.ts';
import { statsReply } from '../_dialects/bitmain.ts';
import { devRow, poolsReply, rateHs, summaryReply, versionReply } from '../_dialects/cgminer.ts';
import { part } from '../_dialects/reply-part.ts';

const megahashes = () => field((value) => rateHs(value, 'M'));
const watts = () => num({ min: 1, max: 100_000 });
const count = () => int({ min: 0, max: 1e15 });

/** Without this data there is no sense in the answer. */
const data = <S extends z.ZodRawShape>(shape: S) => reply(z.looseObject({ data: z.looseObject(shape) }));
/** Versions that do not know the query answer with errors: that is an answer, and says nothing. */
const maybe = <S extends z.ZodRawShape>(shape: S) =>
  reply(z.looseObject({ data: part(shape) }).refine((answer) => answer.data !== undefined || 'errors' in answer));
const inInfo = <S extends z.ZodRawShape>(shape: S) => ({ bosminer: part({ info: part(shape) }) });

const solver = z.looseObject({
  name: text(16),
  nominalMhs: megahashes(),
  realHashrate: part({ mhs5S: megahashes() }),
  hwDetails: part({
    chips: int({ min: 0, max: 100_000 }),
    frequencyMhz: num({ min: 0, max: 10_000 }),
    voltageV: num({ min: 0, max: 100 }),
    hbSerialNumber: text(),
  }),
  temperatures: list(z.looseObject({ name: text(32), degreesC: temp() }), 16),
});
export type Solver = z.output<typeof solver>;

const pool = z.looseObject({
  url: poolAddress(),
  user: text(512),
  status: text(32),
  active: bool(),
  shares: part({ acceptedSolutions: count(), rejectedSolutions: count() }),
});
export const poolGroups = list(z.looseObject({ name: text(), pools: list(pool, 64) }), 16);

const boardRow = devRow.extend({ ID: int({ min: 0, max: 63 }) });
const rows = <S extends z.ZodType>(row: S) => list(row, 64);

/** Joined answers: one list of one answer per command. */
const joined = <S extends z.ZodType>(schema: S) => list(schema, 1);

/** What says that the mining program was stopped; one that crashed is told by other words. */
export const STOPPED = /not running|not started|stopped|paused|suspended/i;

/** Null, or an error with a message, while the mining program is stopped. */
const bosminerInfo = z
  .union([
    z.null(),
    z.looseObject({
      message: text(512),
      workSolver: part({ nominalMhs: megahashes(), realHashrate: part({ mhs5S: megahashes() }) }),
      fans: list(
        z.looseObject({
          name: int({ min: 0, max: 31 }),
          rpm: num({ min: 0, max: 30_000 }),
          speed: num({ min: 0, max: 100 }),
        }),
        32,
      ),
      summary: part({ power: part({ approxConsumptionW: watts(), limitW: watts() }) }),
    }),
  ])
  .optional()
  .catch(undefined);

export const oldReplies = {
  gqlSystem: reply(
    z
      .looseObject({
        data: part({
          bos: part({
            hostname: text(),
            faultLight: bool(),
            info: part({ version: part({ full: text() }) }),
            uptime: part({ durationS: num({ min: 0, max: 4e9 }) }),
          }),
          bosminer: part({ info: bosminerInfo }),
        }),
        errors: list(z.looseObject({ message: text(512) }), 8),
      })
      .refine(
        ({ data: found, errors }) =>
          found?.bos !== undefined ||
          found?.bosminer !== undefined ||
          errors?.some(({ message }) => STOPPED.test(message ?? '')) === true,
      ),
  ),
  gqlBoards: data(inInfo({ workSolver: part({ childSolvers: list(solver, 64) }) })),
  gqlVoltages: maybe(inInfo({ workSolver: part({ childSolvers: list(solver, 64) }) })),
  gqlSerials: maybe(inInfo({ workSolver: part({ childSolvers: list(solver, 64) }) })),
  gqlPools: maybe(inInfo({ poolGroups })),
  gqlTuning: maybe({
    bosminer: part({
      config: part({ autotuning: part({ mode: text(32), powerTarget: watts(), hashrateTarget: num({ min: 0 }) }) }),
    }),
  }),
  gqlEvents: maybe({
    events: part({
      appeals: list(z.looseObject({ kind: text(128), message: text(512), timestamp: z.unknown().optional() }), 256),
    }),
  }),
  gqlModel: maybe(inInfo({ modelName: text() })),
  lan: reply(
    z
      .array(z.unknown())
      .transform((all) => list(z.looseObject({ macaddr: field((value) => toText(value, 128)) }), 8).parse(all)),
  ),
  bosInfo: reply(z.looseObject({ version: text() })),
  tcp: reply(
    z.looseObject({
      summary: joined(summaryReply),
      devs: joined(z.looseObject({ DEVS: rows(boardRow) })),
      temps: joined(
        z.looseObject({ TEMPS: rows(z.looseObject({ ID: int({ min: 0, max: 63 }), Board: temp(), Chip: temp() })) }),
      ),
      fans: joined(
        z.looseObject({
          FANS: rows(
            z.looseObject({
              ID: int({ min: 0, max: 31 }),
              RPM: num({ min: 0, max: 30_000 }),
              Speed: num({ min: 0, max: 100 }),
            }),
          ),
        }),
      ),
      tunerstatus: joined(
        z.looseObject({
          TUNERSTATUS: list(z.looseObject({ ApproximateMinerPowerConsumption: watts(), PowerLimit: watts() }), 1),
        }),
      ),
    }),
  ),
  tcpStats: reply(statsReply),
  tcpPools: reply(poolsReply.refine(({ POOLS }) => POOLS !== undefined)),
  tcpDetails: reply(
    z.looseObject({
      devdetails: joined(
        z.looseObject({
          DEVDETAILS: rows(
            z.looseObject({ ID: int({ min: 0, max: 63 }), Chips: int({ min: 0, max: 100_000 }), Model: text() }),
          ),
        }),
      ),
      version: joined(versionReply),
    }),
  ),
};

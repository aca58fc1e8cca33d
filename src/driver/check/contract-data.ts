// What one driver is excused from, each with its reason, and what tests need to know of its devices: `contract.data.ts`
// in its folder, checked when it is loaded. A row that is no longer needed is a finding.
import { z } from 'zod';
import { ABILITY_NAMES } from '../contract.ts';

/** The cases of each ability on a simulated device. */
export const COMMAND_CASES = [
  'accepted',
  'wrong password',
  'writing off',
  'session ended',
  'done nothing',
  'lost reply',
  'nonsense reply',
] as const;
export type CommandCase = (typeof COMMAND_CASES)[number];

const reason = z.string().min(8, 'give the reason in words');
const byAbility = <T extends z.ZodType>(value: T) => z.partialRecord(z.enum(ABILITY_NAMES), value);
/** `file`: the form of firmware file that the tests make for it; absent = none, for others a plain one. */
const command = z.strictObject({ params: z.record(z.string(), z.unknown()), file: z.string().exactOptional() });
export type CommandData = z.output<typeof command>;

const family = z.strictObject({
  /** Abilities that the driver has, for others of its families: refused before anything has changed. */
  lacks: byAbility(reason).exactOptional(),
  /** Of these, the ones where only the device itself knows, and says no. */
  deviceRefuses: z.array(z.enum(ABILITY_NAMES)).exactOptional(),
  /** Cases that cannot be shown on its simulated device. */
  cannotShow: byAbility(z.partialRecord(z.enum(COMMAND_CASES), reason)).exactOptional(),
  /** Where the usual way to have something done does not fit: these are tried too. */
  commands: byAbility(z.array(command)).exactOptional(),
  /**
   * The most requests that a poll may cost, on average of an hour, as measured (`npm run bench -- requests`) with a
   * tenth on top; `target` = what it should cost where nothing seldom is due. More needs a reason: small web servers of
   * control boards stumble over them.
   */
  requests: z.strictObject({ mean: z.number(), target: z.number().exactOptional() }).exactOptional(),
  /** By the state of a device: which exception of `illness.data.ts` holds for it. */
  illness: z.record(z.string(), z.string()).exactOptional(),
  /** What its firmware reports when it stops by heat: the value of the farm's fault `vendor-error`. */
  heatCode: z.union([z.string(), z.number()]).exactOptional(),
  /** It answers in Bitmain's dialect. */
  isBitmain: z.literal(true).exactOptional(),
  /** It lists its pools with which of them is alive. */
  showsDeadPool: z.literal(true).exactOptional(),
  /** Which driver a scan takes it for where only this server is open: nothing that it says there tells them apart. */
  takenFor: z.strictObject({ web: z.string().exactOptional(), tcp: z.string().exactOptional() }).exactOptional(),
  /** Where only this server is open it is found behind a login, which is sent for the proof of this other driver. */
  provenBy: z.strictObject({ web: z.string().exactOptional(), tcp: z.string().exactOptional() }).exactOptional(),
  /** Why it cannot be put to sleep, or its sleep cannot be ordered. */
  sleepless: reason.exactOptional(),
});
export type FamilyData = z.output<typeof family>;

const values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** The reasons for which a value of a recording is not reported. That it was not found out is none. */
export const REASONS = {
  'no-field': 'our document has no place for this kind of thing',
  'not-asked': 'it takes a question of its own, which costs the device more than the answer is worth',
  setting: 'what the device is told to do, not what it does',
  'same-fact': 'a value that is reported tells it, newer or finer',
  'not-a-measurement': 'it says nothing of the device: of an empty place, or in a unit that is not known',
} as const;

const recording = z.strictObject({
  /** What identification would have known. */
  known: z.strictObject({ generation: z.string().exactOptional(), model: z.string().exactOptional() }).exactOptional(),
  /** All that it reports, by place in a reading: nothing else may be reported of it. */
  values,
  /** By the name that the index gives it. `values`: how many of the recording this is. */
  notReported: z
    .record(
      z.string(),
      z.strictObject({ values: z.number().min(1), reason: z.literal(keysOf(REASONS)), why: z.string().min(10) }),
    )
    .exactOptional(),
  /** Values of the index that are compared at another place, or remarks that are none. */
  comparedAt: z.record(z.string(), z.string()).exactOptional(),
  /** Figures that the driver takes from another answer of the same minute. */
  tolerance: z.record(z.string(), z.strictObject({ relative: z.number(), reason })).exactOptional(),
});
export type RecordingData = z.output<typeof recording>;

export const contractSchema = z.strictObject({
  /** Abilities that the driver has not. */
  lacks: byAbility(reason).exactOptional(),
  /** By the family of the simulated device, or by family and model (`bitaxe Supra`). */
  families: z.record(z.string(), family).exactOptional(),
  /** Where it reads something else of a part of the answers than of all: fields, those of lists as `boards[].chips`. */
  prefers: z.array(z.strictObject({ fields: z.array(z.string()), reason: z.string().min(20) })).exactOptional(),
  /** How the index of the recordings calls its firmware; absent = as the driver. */
  recordedAs: z.string().exactOptional(),
  recordings: z.record(z.string(), recording).exactOptional(),
  /**
   * Its mutants are tried first by the mutation test. Those that change nothing that can be seen, by a part of the line
   * that was, each with its reason.
   */
  mutants: z.array(z.strictObject({ line: z.string(), reason: z.string().min(20) })).exactOptional(),
});
export type ContractData = z.output<typeof contractSchema>;

function keysOf<T extends object>(table: T): readonly Extract<keyof T, string>[] {
  const names: Extract<keyof T, string>[] = [];
  for (const name in table) names.push(name);
  return names;
}

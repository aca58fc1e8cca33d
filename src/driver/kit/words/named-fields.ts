// Fields of a reading that a device writes as nearly every device does, by a table of the names that it gives them.
// What needs more than a name, a rate in a unit of its own for one, is for the driver to read.
import { first, firstMac, firstSerial } from '../../fields.ts';
import type { Answer } from '../answer.ts';
import { present } from '../figures.ts';

/** Where a field may stand: by the names, the best first, and for each of them by the answers. */
type Places = readonly (readonly [answer: Answer, key: string])[];

const firstOf =
  <T>(read: (answer: Answer, key: string) => T | undefined) =>
  (places: Places): T | undefined =>
    first(...places.map(([answer, key]) => read(answer, key)));

const written = (places: Places) => places.map(([answer, key]) => answer.asWritten(key));
const serial = (places: Places) => firstSerial(...written(places));
const text = firstOf((answer, key) => answer.text(key));
const seconds = firstOf((answer, key) => answer.seconds(key));
const watts = firstOf((answer, key) => answer.watts(key));
const bool = firstOf((answer, key) => answer.bool(key));
const rpm = firstOf((answer, key) => answer.rpm(key));
const tempC = firstOf((answer, key) => answer.tempC(key));
const chips = firstOf((answer, key) => answer.count(key, 100_000));

/** Of the machine, of a board, of a fan and of a power supply: no name means two things. */
const FIELDS = {
  mac: (places) => firstMac(...written(places)),
  ...{ serialNumber: serial, controllerSerialNumber: serial },
  ...{ hostname: text, model: text, firmwareVersion: text, apiVersion: text, controlBoard: text },
  ...{ powerW: watts, powerLimitW: watts, psuOutputPowerW: watts, uptimeS: seconds, systemUptimeS: seconds },
  ...{ isLightOn: bool, isAlive: bool },
  ...{ chips, badChips: chips, frequencyMhz: firstOf((answer, key) => answer.mhz(key)) },
  ...{ rpm, fanRpm: rpm, dutyPercent: firstOf((answer, key) => answer.percent(key)) },
  ...{ tempC, inletTempC: tempC, outletTempC: tempC },
  ...{ inputPowerW: watts, inputVoltageV: firstOf((answer, key) => answer.positive(key, 1_000)) },
  // A supply that is there and gives nothing out says 0.
  outputPowerW: firstOf((answer, key) => answer.number(key, { min: 0, max: 100_000 })),
  outputVoltageV: firstOf((answer, key) => answer.number(key, { min: 0, max: 1_000 })),
} as const satisfies Readonly<Record<string, (places: Places) => unknown>>;

type Field = keyof typeof FIELDS;
type NamesOf = { readonly [F in Field]?: readonly string[] };
type Read<N> = { readonly [F in keyof N & Field]?: Exclude<ReturnType<(typeof FIELDS)[F]>, undefined> };

/** The fields that `names` lists and that can be read, each from the first name and answer under which it can. */
export function namedFields<const N extends NamesOf>(names: N, ...answers: readonly Answer[]): Read<N>;
export function namedFields(names: NamesOf, ...answers: readonly Answer[]): object {
  const readers: Readonly<Record<string, (places: Places) => unknown>> = FIELDS;
  const fields: Record<string, unknown> = {};
  for (const [field, keys] of Object.entries(names))
    fields[field] = readers[field]?.(keys.flatMap((key) => answers.map((answer) => [answer, key] as const)));
  return present(fields);
}

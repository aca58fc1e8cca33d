// Says who made a device that has no driver, from its `version` answer and the family tables. A guess is left out: no
// make is better than a wrong one.
import * as kit from '../../src/driver/kit/index.ts';
import { IN_NAMES, MAKES, PROGRAMS, VERSIONS } from './describe.data.ts';

/** `texts` of the `version` answer. */
export function describe(texts: Readonly<Record<string, string>>, family?: string) {
  const reported = texts.PROD ?? texts.Type ?? texts.Model;
  const row = kit.findAnyModel(reported);
  // `Antminer S19k Pro` names its maker.
  const inName = IN_NAMES.find((make) => reported?.toLowerCase().startsWith(make.toLowerCase()));
  const make = row?.make ?? (family === undefined ? undefined : MAKES[family]) ?? inName;
  return { row, make, model: row?.model ?? reported, firmwareVersion: firmwareOf(texts) };
}

/** The maker's version text; else the mining program and its version, said as such (`CGMiner 4.11.1`). */
function firmwareOf(texts: Readonly<Record<string, string>>): string | undefined {
  const own = VERSIONS.map((key) => texts[key]).find((text) => text !== undefined);
  const program = PROGRAMS.find((key) => texts[key] !== undefined);
  return own ?? (program && `${program} ${texts[program]}`.slice(0, 256));
}

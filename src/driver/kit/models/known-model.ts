// Which machine it is, by what it reports and by what earlier visits learned: its row in the table of models, the name
// to show, and what a complete unit of it has.
import type { Expectation } from '../../../model/reading.ts';
import type { FirmwareKey } from './models.data.ts';
import { findModel, type Model } from './models.ts';

export type KnownModel = {
  /** Undefined for a machine that is not in the table. */
  readonly row: Model | undefined;
  /** The name to show: of the table, else the first that was reported. */
  readonly model: string | undefined;
  /** Empty for a machine that is not in the table. */
  readonly expected: Expectation;
};

/** `names` in the order of trust; those that are undefined do not count. */
export function knownModel(key: FirmwareKey, ...names: readonly (string | undefined)[]): KnownModel {
  let row: Model | undefined;
  for (const name of names) row ??= findModel(key, name);
  return { row, model: row?.model ?? names.find((name) => name !== undefined), expected: row?.expected ?? {} };
}

// Finds the hardware model behind the name that a firmware reports, and what a complete unit of it has. A model that is not in the table is
// still a miner: keep the reported name, expect nothing.
import type { Expectation } from '../../src/model/reading.ts';
import { FIRMWARE_KEYS, type FirmwareKey, MODELS, type ModelRow } from '../models.data.ts';

export type Model = {
  /** Maker's line as farms name it: `Antminer`, `Whatsminer`, `Avalon`, ... */
  readonly make: string;
  /** Our display name without the make: `S19 Pro`, `M60S VK40`. */
  readonly model: string;
  readonly algorithm: ModelRow[2];
  /** Nameplate values; absent where nobody knows. */
  readonly expected: Expectation;
};

const byReportedName = indexModels();

/** The model that `firmwareKey` reports under this name (any case, blanks around), or undefined. */
export function findModel(firmwareKey: FirmwareKey, reported: string | undefined): Model | undefined {
  return reported === undefined ? undefined : byReportedName.get(firmwareKey)?.get(normalName(firmwareKey, reported));
}

function normalName(firmwareKey: FirmwareKey, reported: string): string {
  const name = reported.trim().toUpperCase();
  switch (firmwareKey) {
    case 'whatsminer-stock':
      // Bins whose last digit is not 0 are the same hardware: M50S_VH75 is an M50S VH70.
      return name.replaceAll(/[_ ]/g, '').replace(/.$/, '0');
    case 'avalon-stock:MODEL':
      return name.split('-')[0] ?? name;
    default:
      // Third-party firmware adds its own name in brackets.
      return name.split(' (')[0]?.trim() ?? name;
  }
}

function indexModels(): ReadonlyMap<FirmwareKey, ReadonlyMap<string, Model>> {
  const index = new Map<FirmwareKey, Map<string, Model>>(FIRMWARE_KEYS.map((key) => [key, new Map()]));
  for (const row of MODELS) {
    for (const [key, models] of index) {
      for (const name of row[8][key] ?? []) if (mayName(name, row, models)) models.set(name, toModel(row));
    }
  }
  return index;
}

/** Board names (`BHB42XXX`) mean that the controller does not know its model. Of two rows with one name, the one so called wins. */
function mayName(name: string, row: ModelRow, models: ReadonlyMap<string, Model>): boolean {
  if (/^BHB\d+X+$/.test(name)) return false;
  const bare = (text: string) => text.toUpperCase().replaceAll(' ', '');
  return !models.has(name) || bare(name).endsWith(bare(row[1]));
}

function toModel([make, model, algorithm, boards, chipsPerBoard, fans, cooling, nominalHs]: ModelRow): Model {
  return {
    make,
    model,
    algorithm,
    expected: {
      ...(boards !== null && { boards }),
      ...(chipsPerBoard !== null && { chipsPerBoard }),
      ...(fans !== null && { fans }),
      ...(cooling !== null && { cooling }),
      ...(nominalHs !== null && { hashrateHs: nominalHs }),
    },
  };
}

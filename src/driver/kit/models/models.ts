// Finds the hardware model behind the name that a firmware reports, and what a complete unit of it has. A model that is
// not in the table is still a miner: it keeps the reported name and expects nothing.
import type { Expectation } from '../../../model/reading.ts';
import { isFirmwareText } from './firmware-text.ts';
import { FIRMWARE_KEYS, type FirmwareKey, KEYS_OF_PARTS, MODELS, type ModelRow } from './models.data.ts';

export type Model = {
  /** Maker's line as farms name it: `Antminer`, `Whatsminer`, `Avalon`, ... */
  readonly make: string;
  /** Our display name without the make: `S19 Pro`, `M60S VK40`. */
  readonly model: string;
  readonly algorithm: ModelRow[2];
  /** Nameplate values; absent where they are not known. */
  readonly expected: Expectation;
};

/** `Hyd.`, `Hyd` and `Hydro` at the end of a name. */
const HYDRO = /\s*\bHYD(\.|RO)?$/i;

/** `Antminer S19PRO`, `S19Pro Hydro`. */
const GLUED = /^((?:antminer )?[ST]\d{2}[a-z]?)(pro|xp)\b/i;

const byReportedName = indexModels();

/**
 * The model that `firmwareKey` reports under this name (any case, blanks around it, text of a firmware after it), or
 * undefined.
 */
export function findModel(firmwareKey: FirmwareKey, reported: string | undefined): Model | undefined {
  return lookUp(firmwareKey, reported)?.model;
}

/** The model of this name, whatever firmware reports it; undefined for names that name no machine by themselves. */
export function findAnyModel(reported: string | undefined): Model | undefined {
  const keys = FIRMWARE_KEYS.filter((key) => !KEYS_OF_PARTS.includes(key));
  return keys.map((key) => findModel(key, reported)).find((model) => model !== undefined);
}

type Found = { readonly model: Model /** Characters of the name that are the model's. */; readonly length: number };

function lookUp(firmwareKey: FirmwareKey, reported: string | undefined): Found | undefined {
  if (reported === undefined) return undefined;
  const models = byReportedName.get(firmwareKey);
  const written = reported.trim().slice(0, 256);
  const name = normalName(firmwareKey, written);
  const model = models?.get(name);
  if (model !== undefined) return { model, length: written.length };
  switch (firmwareKey) {
    case 'whatsminer-stock': {
      // Bins whose last digit is not 0 are the same hardware, unless the table knows better: M50S_VH75 is an M50S VH70.
      const bin = models?.get(name.replace(/.$/, '0'));
      return bin && { model: bin, length: written.length };
    }
    case 'avalon-stock:MODEL':
      return undefined;
    default: {
      const apart = written.replace(GLUED, '$1 $2');
      const glued = apart === written ? undefined : models?.get(normalName(firmwareKey, apart));
      if (models === undefined) return undefined;
      if (glued !== undefined) return { model: glued, length: apart.length };
      return longestStart(models, firmwareKey, written) ?? longestStart(models, firmwareKey, apart);
    }
  }
}

/**
 * The longest known name at the start of the text, if the rest is a firmware's text. A possible other variant is not
 * known.
 */
function longestStart(
  models: ReadonlyMap<string, Model>,
  firmwareKey: FirmwareKey,
  written: string,
): Found | undefined {
  for (let end = written.length - 1; end > 0; end--) {
    if (!/[\s([\-_,;/]/.test(written[end] ?? '')) continue;
    const model = models.get(normalName(firmwareKey, written.slice(0, end)));
    if (model !== undefined) return isFirmwareText(written.slice(end)) ? { model, length: end } : undefined;
  }
  return undefined;
}

const ANTMINER_KEYS = ['antminer-stock', 'braiins-os', 'vnish', 'hiveon', 'luxos', 'epic-umcos', 'marathon'] as const;

/**
 * The Antminer of this name, with or without the make, from the names of all firmwares. For one that is not in the
 * table we know that it is hydro, if its name says so, and its algorithm, if it is a variant of one that is in the
 * table.
 */
export function findAntminer(reported: string | undefined): Model | undefined {
  if (reported === undefined) return undefined;
  const name = /^\s*antminer\b/i.test(reported) ? reported : `Antminer ${reported.trim()}`;
  let best: Found | undefined;
  for (const key of ANTMINER_KEYS) {
    const found = lookUp(key, name) ?? lookUp(key, reported);
    if (found !== undefined && found.length > (best?.length ?? 0)) best = found;
  }
  if (best !== undefined) return best.model;
  const isHydro = HYDRO.test(reported);
  const algorithm = ANTMINER_KEYS.some((key) => isSha256Variant(key, name)) ? 'sha256' : null;
  if (!isHydro && algorithm === null) return undefined;
  const expected: Expectation = isHydro ? { cooling: 'liquid', fans: 0, unproven: true } : {};
  return { make: 'Antminer', model: reported, algorithm, expected };
}

/**
 * Whether the text starts with the name of a known machine: another variant has other boards and rates, and the same
 * algorithm.
 */
function isSha256Variant(key: FirmwareKey, name: string): boolean {
  const models = byReportedName.get(key);
  return name
    .split(' ')
    .some((_, end, words) => models?.get(normalName(key, words.slice(0, end).join(' ')))?.algorithm === 'sha256');
}

function normalName(firmwareKey: FirmwareKey, reported: string): string {
  const name = reported.trim().toUpperCase();
  switch (firmwareKey) {
    case 'whatsminer-stock':
      return name.replaceAll(/[_ ]/g, '');
    case 'avalon-stock:MODEL':
      return name.split('-')[0] ?? name;
    default:
      return name.replace(HYDRO, ' HYDRO');
  }
}

function indexModels(): ReadonlyMap<FirmwareKey, ReadonlyMap<string, Model>> {
  const index = new Map<FirmwareKey, Map<string, Model>>(FIRMWARE_KEYS.map((key) => [key, new Map()]));
  for (const row of MODELS) {
    for (const [key, models] of index) {
      for (const written of row[8][key] ?? []) {
        const name = normalName(key, written);
        if (mayName(name, row, models)) models.set(name, toModel(row));
      }
    }
  }
  return index;
}

/**
 * Board names (`BHB42XXX`) mean that the controller does not know its model. Of two rows with one name, the exact name
 * wins.
 */
function mayName(name: string, row: ModelRow, models: ReadonlyMap<string, Model>): boolean {
  if (/^BHB\d+X+$/.test(name)) return false;
  const bare = (text: string) => text.toUpperCase().replaceAll(' ', '');
  return !models.has(name) || bare(name).endsWith(bare(row[1]));
}

function toModel([make, model, algorithm, boards, chipsPerBoard, fans, cooling, nominalHs, , doubt]: ModelRow): Model {
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
      ...(doubt !== undefined && { unproven: true as const }),
    },
  };
}

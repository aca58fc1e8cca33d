// Says who made a device that has no driver, from its `version` answer and the family tables. A guess is left out: no
// make is better than a wrong one.
import type { Evidence } from '../../src/driver/contract.ts';
import { FIRMWARE_KEYS, type FirmwareKey } from '../../src/driver/kit/models/models.data.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import { versionTexts } from '../_dialects/cgminer.ts';

type Description = { readonly make?: string; readonly model?: string; readonly firmwareVersion?: string };

/** Keys of `VERSION[0]` that hold the maker's own version text, best first; others name a program. */
const VERSIONS = ['LVERSION', 'CGVERSION', 'fw_version', 'VERSION', 'Miner'];
const PROGRAMS = ['LUXminer', 'BOSer', 'BOSminer+', 'BOSminer', 'BTMiner', 'BMMiner', 'BFGMiner', 'SGMiner', 'CGMiner'];

/** Families whose hardware has one maker only. */
const MAKES: Readonly<Partial<Record<NonNullable<Evidence['family']>, string>>> = {
  'antminer-stock': 'Antminer',
  'auradine-fluxos': 'Auradine',
  avalon: 'Avalon',
  elphapex: 'Elphapex',
  hammer: 'Hammer',
  innosilicon: 'Innosilicon',
  sealminer: 'Sealminer',
  volcminer: 'VolcMiner',
  whatsminer: 'Whatsminer',
};

/** Of a text in a Reading. */
const MAX_TEXT = 256;

export function describe(version: string | undefined, family: Evidence['family']): Description {
  const texts = versionTexts(version);
  const model = modelOf(texts);
  const make = model?.make ?? (family && MAKES[family]) ?? makeInName(reportedModel(texts));
  const name = model?.model ?? reportedModel(texts);
  const firmwareVersion = firmwareOf(texts);
  return { ...(make && { make }), ...(name && { model: name }), ...(firmwareVersion && { firmwareVersion }) };
}

/** The model of the table, whatever firmware says its name. */
export function modelOf(texts: Readonly<Record<string, string>>): Model | undefined {
  const reported = reportedModel(texts);
  return FIRMWARE_KEYS.filter(isPlainName)
    .map((key) => findModel(key, reported))
    .find((model) => model !== undefined);
}

/** Keys under which a name is a name: a chip (`BM1366`) or a bare number names no machine by itself. */
const isPlainName = (key: FirmwareKey) => key !== 'axeos' && key !== 'axeos-nerd' && key !== 'iceriver-stock';

const reportedModel = (texts: Readonly<Record<string, string>>) => texts.PROD ?? texts.Type ?? texts.Model;

/** `Antminer S19k Pro` names its maker. */
const makeInName = (name: string | undefined) =>
  ['Antminer', 'Whatsminer', 'Avalon', 'VolcMiner', 'Hammer'].find((make) =>
    name?.toLowerCase().startsWith(make.toLowerCase()),
  );

/** The maker's version text; else the mining program and its version, said as such (`CGMiner 4.11.1`). */
function firmwareOf(texts: Readonly<Record<string, string>>): string | undefined {
  const own = VERSIONS.map((key) => texts[key]).find((text) => text !== undefined);
  if (own !== undefined) return own;
  const program = PROGRAMS.find((key) => texts[key] !== undefined);
  return program && `${program} ${texts[program]}`.slice(0, MAX_TEXT);
}

// Recognises an Avalon by TCP or by its web page, each alone, and finds its model in the several places that builds
// write it (atlas 5.1).
import type { Evidence, Identity } from '../../src/driver/contract.ts';
import { first } from '../../src/driver/fields.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { present, versionTexts } from '../_dialects/cgminer.ts';

/** What builds say of themselves: `PROD`, `MODEL` of `version`, and `Ver` of the stats text. */
export type Names = {
  readonly PROD?: string | undefined;
  readonly MODEL?: string | undefined;
  readonly Ver?: string | undefined;
};

/** `1246-83-21072802_4ec6bb0_211fc46` is model and rate class, then firmware. */
export function splitVer(ver: string | undefined): { model: string | undefined; firmware: string | undefined } {
  const dash = ver?.lastIndexOf('-') ?? -1;
  if (ver === undefined || dash <= 0) return { model: undefined, firmware: undefined };
  return { model: ver.slice(0, dash), firmware: ver.slice(dash + 1) || undefined };
}

/** The 7, 8 and 9 series put the month of the build behind the model: `7411706` is a 741 of June 2017. */
const OLD_VER = /^([789]\d\d)\d{4}$/;

/**
 * Model and rate class: `1246-83`. With more between them, `1126Pro-S-64`, it is a variant, which has other boards than
 * its model.
 */
const OF_RATE_CLASS = /^[^-]+(-\d+)?$/;

/**
 * The row of the model table, if any, and the name to show. `15-194` is looked up whole: its first part alone is
 * another machine.
 */
export function modelOf({ PROD, MODEL, Ver }: Names): { model: Model | undefined; name: string | undefined } {
  const ver = splitVer(Ver).model;
  const short = [MODEL, ver?.match(OLD_VER)?.[1] ?? ver].filter((name) => name !== undefined);
  // `PROD` may leave the variant out.
  const isVariant = short.some((name) => !OF_RATE_CLASS.test(name));
  const model = first(
    isVariant ? undefined : findModel('avalon-stock', PROD),
    ...short.flatMap((name) => [
      findModel('avalon-stock', `AvalonMiner ${name}`),
      findModel('avalon-stock', `Avalon ${name}`),
      isVariant ? undefined : findModel('avalon-stock:MODEL', name),
    ]),
  );
  return { model, name: model?.model ?? (isVariant ? first(...short) : first(PROD, ...short)) };
}

/** Q, Mini and Nano: other modes, other questions. Undefined when no name is known. */
export function isHomeModel({ PROD, MODEL, Ver }: Names): boolean | undefined {
  const name = first(MODEL, splitVer(Ver).model, PROD);
  return name === undefined ? undefined : /^(avalon\s*(miner)?\s*)?(q|mini|nano)/i.test(name);
}

/** Old builds name themselves only in `devdetails`; their control board (`MM4v2_X3`) is as telling. */
export function identify(evidence: Evidence): Identity | undefined {
  const { family, version, web } = evidence;
  const texts = versionTexts(version);
  const isByBoard = family === undefined && /^([A-Z]_)?MM\dv\d/.test(texts.HWTYPE ?? '') && texts.DNA !== undefined;
  if (family !== 'avalon' && !isByBoard) return undefined;
  const names: Names = {
    PROD: texts.PROD ?? web?.body.match(/Avalon ?(?:Q|Mini|Nano) ?\w{0,3}\b/)?.[0],
    MODEL: texts.MODEL,
  };
  const { name } = modelOf(names);
  const isHome = isHomeModel(names);
  return present({
    generation: isHome === undefined && version === undefined ? undefined : isHome === true ? 'home' : 'a',
    make: 'Avalon',
    model: name,
    firmwareVersion: first(texts.LVERSION, texts.CGVERSION, texts.VERSION),
    mac: texts.MAC,
    serialNumber: texts.DNA,
    confidence: isByBoard ? ('sure' as const) : confidenceOf(evidence),
  });
}

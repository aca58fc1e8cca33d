// Recognises an Avalon by TCP or by its web page, each alone, and finds its model in the several places that builds
// write it (atlas 5.1).
import * as kit from '../../src/driver/kit/index.ts';

/** What builds say of themselves: `PROD`, `MODEL` of `version`, and `Ver` of the stats text. */
type Names = Readonly<Partial<Record<'PROD' | 'MODEL' | 'Ver', string | undefined>>>;

/** `1246-83-21072802_4ec6bb0_211fc46` is model and rate class, then firmware. */
export function splitVer(ver = ''): { model: string | undefined; firmware: string | undefined } {
  const [, model, firmware] = ver.match(/^(.+)-([^-]*)$/s) ?? [];
  return { model, firmware: firmware || undefined };
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
export function modelOf({ PROD, MODEL, Ver }: Names): { model: kit.Model | undefined; name: string | undefined } {
  const ver = splitVer(Ver).model;
  const short = [MODEL, ver?.match(OLD_VER)?.[1] ?? ver].filter((name) => name !== undefined);
  // `PROD` may leave the variant out.
  const isVariant = short.some((name) => !OF_RATE_CLASS.test(name));
  const model = kit.first(
    isVariant ? undefined : kit.findModel('avalon-stock', PROD),
    ...short.flatMap((name) => [
      kit.findModel('avalon-stock', `AvalonMiner ${name}`),
      kit.findModel('avalon-stock', `Avalon ${name}`),
      isVariant ? undefined : kit.findModel('avalon-stock:MODEL', name),
    ]),
  );
  return { model, name: model?.model ?? (isVariant ? kit.first(...short) : kit.first(PROD, ...short)) };
}

/** Q, Mini and Nano: other modes, other questions. Undefined when no name is known. */
export function isHomeModel({ PROD, MODEL, Ver }: Names): boolean | undefined {
  const name = kit.first(MODEL, splitVer(Ver).model, PROD);
  return name === undefined ? undefined : /^(avalon\s*(miner)?\s*)?(q|mini|nano)/i.test(name);
}

/** Old builds name themselves only in `devdetails`; their control board (`MM4v2_X3`) is as telling. */
export function identify({ family, version, web }: kit.Evidence, ours?: kit.Identity): kit.Identity | undefined {
  const texts = kit.versionTexts(version);
  const isByBoard = family === undefined && /^([A-Z]_)?MM\dv\d/.test(texts.HWTYPE ?? '') && texts.DNA !== undefined;
  if (ours === undefined && !isByBoard) return undefined;
  const { PROD = web?.body.match(/Avalon ?(?:Q|Mini|Nano) ?\w{0,3}\b/)?.[0], MODEL } = texts;
  const isHome = isHomeModel({ PROD, MODEL });
  return kit.present({
    ...(ours ?? { make: 'Avalon', confidence: 'sure' as const }),
    generation: isHome === undefined && version === undefined ? undefined : isHome === true ? 'home' : 'a',
    model: modelOf({ PROD, MODEL }).name,
    firmwareVersion: kit.first(texts.LVERSION, texts.CGVERSION, texts.VERSION),
    mac: texts.MAC,
    serialNumber: texts.DNA,
  });
}

// The web that calls itself blackMiner (atlas 21, 22, 26). Blackminer, Hammer and VolcMiner ask for a login in the same
// words; only answers behind the login tell them apart. Identity only; nothing about rates or boards.
import * as kit from '../../src/driver/kit/index.ts';
import type { Family } from '../../src/driver/recognition.ts';

/** All of these machines, by their web alone. Each driver tells its own by what else they answer. */
export const BLACK_MINER: Family = {
  id: 'black-miner',
  hasSidePort: true,
  startPages: [{ status: 401, realm: 'blackMiner' }],
  realms: [{ realm: 'blackMiner Configuration', server: /^lighttpd\// }],
};

type BlackMiner = {
  readonly make: 'Blackminer' | 'Hammer' | 'VolcMiner';
  /** Display name; the reported one where the table does not know it. */
  readonly model?: string;
  readonly row?: kit.Model;
};

/**
 * Names in the order of trust. The last may be a host name, which counts only if such a machine has that name.
 * Undefined when none counts.
 */
export const whichBlackMiner = (...names: readonly (string | undefined)[]): BlackMiner | undefined =>
  kit.first(...names.map(recognise));

function recognise(name: string | undefined): BlackMiner | undefined {
  if (name === undefined) return undefined;
  for (const [make, key] of MAKES) {
    if (!new RegExp(`^${make}\\b`, 'i').test(name)) continue;
    const row = key && kit.findModel(key, name);
    // `Hammer D10+` without its make.
    const model = row?.model ?? name.slice(make.length).trim();
    return { make, ...(model && { model }), ...(row && { row }) };
  }
  return undefined;
}

const MAKES = [
  ['Hammer', 'hammer-stock'],
  ['VolcMiner', 'volcminer-stock'],
  // F1, F1+, F1-ULTRA, F2: of no table. They mine what they are loaded with.
  ['Blackminer', undefined],
] as const;

/** A `version` answer of the CGMiner port 4028, which a Hammer has and a VolcMiner keeps elsewhere. */
export const speaksCgminer = (version: string | undefined) => version?.includes('"VERSION"') ?? false;

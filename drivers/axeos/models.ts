// Which machine it is: Bitaxes are told by their chip, NerdAxes and LuckyMiners by a name of their own beside it. All
// run the same API.
import type { Known } from '../../src/driver/contract.ts';
import { first } from '../../src/driver/fields.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import { withOwnBuild } from '../../src/driver/kit/models/own-build.ts';
import type { Expectation } from '../../src/model/reading.ts';
import { positive, present } from '../_dialects/cgminer.ts';
import type { Info } from './replies.ts';

/** What the web page says it is; `deviceModel` and `minerModel` know better. */
export const GENERATIONS: Readonly<Record<string, keyof typeof MAKES>> = {
  axeos: 'bitaxe',
  'axeos-nerd': 'nerd',
  luckyminer: 'lucky',
};
const MAKES = { bitaxe: 'Bitaxe', nerd: 'NerdAxe', lucky: 'LuckyMiner' } as const;

type Machine = { readonly make: string; readonly model?: string; readonly expected?: Expectation };

/** How many chips the firmware is built for. */
export const chipsOf = ({ asicCount, hashrateMonitor }: Info): number | undefined =>
  asicCount ?? positive(hashrateMonitor?.asics?.length);

/** Without an answer: what identification knew. */
export function machineOf(info: Info | undefined, known: Known): Machine {
  const kind = kindOf(info, known);
  const make = MAKES[kind];
  const key = kind === 'nerd' ? 'axeos-nerd' : 'axeos';
  const own = kind === 'lucky' ? info?.minerModel : info?.deviceModel;
  const byChip = kind === 'bitaxe' ? bitaxeOf(info) : findModel(key, info?.ASICModel);
  const model = own === undefined ? byChip : (findModel(key, own) ?? (isSame(byChip?.model, own) ? byChip : undefined));
  const chips = info && chipsOf(info);
  // The table knows one board per chip; a machine with another number of them is another machine.
  const isOther = own === undefined && chips !== undefined && model?.expected.chipsPerBoard !== chips;
  const name = isOther ? info?.ASICModel : first(own, model?.model, info?.ASICModel, known.model);
  const expected = withOwnBuild(isOther ? undefined : model?.expected, { chipsPerBoard: chips, fans: info?.fanCount });
  return { make, ...present({ model: name }), ...(Object.keys(expected).length > 0 && { expected }) };
}

/**
 * The boards of each Bitaxe, by the begin of their version. Copies of them use the same versions for machines of their
 * own, so that it must fit chip and number of chips, too.
 */
const BOARDS: Readonly<Record<string, RegExp>> = {
  Max: /^(1\d\d|2\.)/,
  Ultra: /^(2\d\d|0\.)/,
  Hex: /^3\d\d/,
  Supra: /^4\d\d/,
  Gamma: /^6[0-4]\d/,
  GammaDuo: /^65\d/,
  SupraHex: /^7\d\d/,
  GammaTurbo: /^8\d\d/,
};

function bitaxeOf(info: Info | undefined): Model | undefined {
  if (info?.ASICModel === undefined) return undefined;
  const { ASICModel, boardVersion } = info;
  if (boardVersion === undefined) return findModel('axeos', ASICModel);
  const name = Object.keys(BOARDS).find((board) => BOARDS[board]?.test(boardVersion));
  return name === undefined ? undefined : findModel('axeos', `${ASICModel} ${name}`);
}

function kindOf(info: Info | undefined, { generation }: Known): keyof typeof MAKES {
  if (info?.minerModel !== undefined) return 'lucky';
  if (info?.deviceModel !== undefined && /nerd/i.test(info.deviceModel)) return 'nerd';
  return generation === 'nerd' || generation === 'lucky' ? generation : 'bitaxe';
}

const isSame = (model: string | undefined, own: string) => model?.toUpperCase() === own.toUpperCase();

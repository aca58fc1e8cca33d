// Which machine it is: Bitaxes are told by their chip, NerdAxes and LuckyMiners by a name of their own beside it. All run the same API.
import type { Known } from '../../src/driver/contract.ts';
import type { FamilyId } from '../../src/driver/families.data.ts';
import type { Expectation } from '../../src/model/reading.ts';
import { findModel } from '../_families/models.ts';
import type { Info } from './replies.ts';

/** What the web page says it is; `deviceModel` and `minerModel` know better. */
export const GENERATIONS: Readonly<Partial<Record<FamilyId, keyof typeof MAKES>>> = {
  axeos: 'bitaxe',
  'axeos-nerd': 'nerd',
  luckyminer: 'lucky',
};
const MAKES = { bitaxe: 'Bitaxe', nerd: 'NerdAxe', lucky: 'LuckyMiner' } as const;

type Machine = { readonly make: string; readonly model?: string; readonly expected?: Expectation };

/** Without an answer: what identification knew. */
export function machineOf(info: Info | undefined, known: Known): Machine {
  const kind = kindOf(info, known);
  const make = MAKES[kind];
  const key = kind === 'nerd' ? 'axeos-nerd' : 'axeos';
  const own = kind === 'nerd' ? info?.deviceModel : kind === 'lucky' ? info?.minerModel : undefined;
  const byChip = findModel(key, info?.ASICModel);
  const model = own === undefined ? byChip : (findModel(key, own) ?? (isSame(byChip?.model, own) ? byChip : undefined));
  // The table knows one board per chip; a machine with another number of them is another machine.
  const isOther = info?.asicCount !== undefined && model?.expected.chipsPerBoard !== info.asicCount;
  if (own === undefined && isOther) return { make, ...(info?.ASICModel && { model: info.ASICModel }) };
  const name = model?.model ?? own ?? info?.ASICModel ?? known.model;
  const { chipsPerBoard, ...parts } = model?.expected ?? {};
  return {
    make,
    ...(name !== undefined && { model: name }),
    ...(model && { expected: { ...parts, ...(chipsPerBoard !== undefined && !isOther && { chipsPerBoard }) } }),
  };
}

function kindOf(info: Info | undefined, { generation }: Known): keyof typeof MAKES {
  if (info?.minerModel !== undefined) return 'lucky';
  if (info?.deviceModel !== undefined && /nerd/i.test(info.deviceModel)) return 'nerd';
  return generation === 'nerd' || generation === 'lucky' ? generation : 'bitaxe';
}

const isSame = (model: string | undefined, own: string) => model?.toUpperCase() === own.toUpperCase();

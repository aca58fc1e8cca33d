// Which machine it is: Bitaxes are told by their chip, NerdAxes and LuckyMiners by a name of their own beside it. All
// run the same API.
import * as kit from '../../src/driver/kit/index.ts';
import { BOARDS, MAKES } from './machines.data.ts';

/** How many chips the firmware is built for; AxeOS from 2.12 has one row per chip instead of a count. */
export const chipsOf = (info: kit.Answer): number | undefined =>
  info.int('asicCount', { min: 1, max: 1_000 }) ??
  kit.positive(info.at('hashrateMonitor').rows('asics', 1_000)?.length);

/** Without an answer: what identification knew. */
export function machineOf(info: kit.Answer, known: kit.Known) {
  const kind = kindOf(info, known);
  const key = kind === 'nerd' ? 'axeos-nerd' : 'axeos';
  const own = info.text(kind === 'lucky' ? 'minerModel' : 'deviceModel', 64);
  const chip = info.text('ASICModel', 64);
  const byChip = kit.findModel(key, kind === 'bitaxe' ? withBoard(chip, info.text('boardVersion', 32)) : chip);
  const isSame = byChip?.model.toUpperCase() === own?.toUpperCase();
  const row = kit.findModel(key, own) ?? (own === undefined || isSame ? byChip : undefined);
  const chips = chipsOf(info);
  // The table knows one board per chip; a machine with another number of them is another machine.
  const isOther = own === undefined && chips !== undefined && row?.expected.chipsPerBoard !== chips;
  const build = { chipsPerBoard: chips, fans: info.int('fanCount', { min: 0, max: 31 }) };
  return {
    make: MAKES[kind],
    model: isOther ? chip : kit.first(own, row?.model, chip, known.model),
    expected: kit.withOwnBuild(isOther ? undefined : row?.expected, build),
  };
}

/** The name of a Bitaxe in the table, where chip and board name it together. */
function withBoard(chip: string | undefined, version: string | undefined): string | undefined {
  if (chip === undefined || version === undefined) return chip;
  const name = Object.keys(BOARDS).find((board) => BOARDS[board]?.test(version));
  return name && `${chip} ${name}`;
}

function kindOf(info: kit.Answer, { generation }: kit.Known): keyof typeof MAKES {
  if (info.text('minerModel', 64) !== undefined) return 'lucky';
  if (/nerd/i.test(info.text('deviceModel', 64) ?? '')) return 'nerd';
  return generation === 'nerd' || generation === 'lucky' ? generation : 'bitaxe';
}

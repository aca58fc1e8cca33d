// What a model draws, from its nominal hashrate: for miners that tell no power, as many stock Antminers do. Rather too
// much than too little. Pure.
import { MODELS, type ModelRow } from '../../../driver/kit/models/models.data.ts';

/**
 * W per TH/s. Air cools no more than its limit, so of those that it cools the newer ones hash more, not hotter; with
 * liquid a unit may draw three times as much.
 */
const OLD_W_PER_THS = 100;
const AIR_MOST_W = 3_600;
const LIQUID_W_PER_THS = 25;

const NOMINAL: ReadonlyMap<string, number> = new Map(
  MODELS.flatMap((row) => {
    const drawW = drawOf(row);
    return drawW === undefined ? [] : [[row[1], drawW] as const];
  }),
);

/** `model` as it is shown: `S19 Pro`. Undefined where the table says too little. */
export const nominalDraw = (model: string | undefined): number | undefined => NOMINAL.get(model ?? '');

function drawOf([, , algorithm, , , , cooling, nominalHs]: ModelRow): number | undefined {
  if (algorithm !== 'sha256' || nominalHs === null) return undefined;
  const nominalThs = nominalHs / 1e12;
  if (cooling === 'liquid') return Math.max(AIR_MOST_W, Math.round(LIQUID_W_PER_THS * nominalThs));
  return cooling === 'air' ? Math.min(AIR_MOST_W, Math.round(OLD_W_PER_THS * nominalThs)) : undefined;
}

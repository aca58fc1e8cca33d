// What miners draw when they work at full load, as far as this agent knows: of one miner, and of the whole farm. It
// asks no miner.
import type { Clock } from '../../../base/clock.ts';
import { median } from '../../../base/numbers.ts';
import type { MinerDocument, MinerExtras } from '../../../model/miner.ts';
import type { Reading } from '../../../model/reading.ts';
import type { MinerState } from '../../fleet/miner-state.ts';
import { nominalDraw } from './nominal-draw.ts';

/** Where nothing is known: more than most miners draw, so that the budget errs on the side of the breakers. */
export const UNKNOWN_DRAW_W = 3_600;
/** A farm's figures change slowly, and to add them up takes a moment. */
const FRESH_MS = 30_000;

type Miner = Pick<MinerState, 'fullDrawW'> & {
  readonly reading: Pick<Reading, 'powerLimitW'> | undefined;
  readonly reported:
    | { readonly document: Pick<MinerDocument, 'model'>; readonly extras: Pick<MinerExtras, 'make' | 'power_limit'> }
    | undefined;
};

export type FarmFigures = { readonly miners: number; readonly drawW: number };
export type FarmDraw = ReturnType<typeof createFarmDraw>;

export function createFarmDraw(parts: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly get: (key: string) => Miner | undefined;
  readonly all: () => Iterable<Miner>;
}) {
  const { clock } = parts;
  let known = { atMs: Number.NEGATIVE_INFINITY, perModel: new Map<string, number>(), miners: 0, drawW: 0 };

  const lookAtFarm = () => {
    if (clock.monotonicMs() - known.atMs < FRESH_MS) return known;
    const all = [...parts.all()];
    const perModel = medians(all);
    const drawW = all.reduce((sum, miner) => sum + (drawIn(miner, perModel) ?? UNKNOWN_DRAW_W), 0);
    known = { atMs: clock.monotonicMs(), perModel, miners: all.length, drawW };
    return known;
  };

  return {
    /**
     * Undefined where neither the miner nor another one of its model has shown it, and the table of models does not
     * tell.
     */
    of(key: string): number | undefined {
      const miner = parts.get(key);
      return miner && drawIn(miner, lookAtFarm().perModel);
    },
    /** Miners whose draw is not known count with that of an ordinary one. */
    farm(): FarmFigures {
      const { miners, drawW } = lookAtFarm();
      return { miners, drawW };
    },
  };
}

const drawIn = (miner: Miner, perModel: ReadonlyMap<string, number>): number | undefined =>
  ownDraw(miner) ?? perModel.get(modelOf(miner) ?? '') ?? nominalDraw(miner.reported?.document.model ?? undefined);

/** A limit above what was seen is what the miner may come to. */
function ownDraw({ fullDrawW = 0, reading, reported }: Miner): number | undefined {
  const limitW = reading?.powerLimitW ?? reported?.extras.power_limit ?? 0;
  return Math.max(fullDrawW, limitW) || undefined;
}

function modelOf({ reported }: Miner): string | undefined {
  const model = reported?.document.model;
  return model ? `${reported?.extras.make ?? ''} ${model}` : undefined;
}

function medians(miners: readonly Miner[]): Map<string, number> {
  const shown = miners.flatMap((miner) => {
    const [model, drawW] = [modelOf(miner), ownDraw(miner)];
    return model === undefined || drawW === undefined ? [] : [{ model, drawW }];
  });
  const perModel = Map.groupBy(shown, ({ model }) => model);
  return new Map([...perModel].map(([model, all]) => [model, median(all.map(({ drawW }) => drawW))]));
}

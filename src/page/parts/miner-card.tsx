// One miner in a list: where it stands, what is wrong in words, then numbers, and how old they are.

import type { BoardMiner } from '../../model/board/board-miner.ts';
import { measuredOf, shareOf } from '../../model/board/measured.ts';
import type { Cause } from '../../model/board/work-line.ts';
import { useApp, useTexts } from '../app-state.ts';
import { causeOf, isAnomaly, sinceOf } from '../model/causes.ts';
import { labelOf, modelOf, stateOf } from '../model/label.ts';
import type { Texts } from '../text/texts.ts';
import { Age, StateMark } from './bits.tsx';

/** What is wrong with it in a few words; undefined = nothing is. */
export function troubleOf(miner: BoardMiner, cause: Cause | undefined, texts: Texts): string | undefined {
  if (cause === undefined) return undefined;
  return isAnomaly(cause) ? (miner.firstFlag?.message ?? texts.flag[cause]) : texts.cause[cause];
}

export function MinerCard({ miner, base }: { miner: BoardMiner; base: string }) {
  const { format, nowMs } = useApp();
  const texts = useTexts();
  const now = nowMs.peek();
  const cause = causeOf(miner, now);
  const trouble = troubleOf(miner, cause, texts);
  const since = cause === undefined ? null : sinceOf(miner, cause);
  const { value: show } = format;
  const { hashrateHs, tempC } = measuredOf(miner);
  return (
    <a class="miner-card" href={`${base}/miners/${miner.id}`}>
      <StateMark state={stateOf(miner, now)} />
      <span class="miner-name">
        <strong>{labelOf(miner)}</strong>
        {labelOf(miner) !== miner.ip && <span>{miner.ip}</span>}
        <span>{modelOf(miner) ?? texts.common.unknown}</span>
      </span>
      <span class="miner-trouble">
        {trouble}
        {since !== null && (
          <>
            {' · '}
            <Age atMs={since} />
          </>
        )}
      </span>
      <span class="miner-values">
        <span>{show.hashrate(hashrateHs)}</span>
        <span>{show.percent(shareOf(miner))}</span>
        <span>{show.tempC(tempC)}</span>
        <span class="miner-age">
          <Age atMs={miner.seenAtMs} />
        </span>
      </span>
    </a>
  );
}

// One row of the list: a card on a phone, cells on a wide screen. The same facts, in the same order of weight.
import { useMemo } from 'preact/hooks';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { measuredOf, shareOf } from '../../../model/board/measured.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { causeOf, sinceOf } from '../../model/causes.ts';
import { labelOf, modelOf, stateOf } from '../../model/label.ts';
import { Age, StateMark } from '../../parts/bits.tsx';
import { troubleOf } from '../../parts/miner-card.tsx';

export const rowHeight = (isWide: boolean): number => (isWide ? 48 : 88);

type RowProps = {
  readonly miner: BoardMiner;
  readonly base: string;
  readonly isWide: boolean;
  readonly isChosen: boolean;
  readonly isCursor: boolean;
  /** The same one each time: a row is drawn anew only where something of it is another. */
  readonly onToggle: (id: string) => void;
};

export function MinerRow({ miner, base, isWide, isChosen, isCursor, onToggle }: RowProps) {
  const { format, nowMs } = useApp();
  const texts = useTexts();
  const { value: show } = format;
  const now = nowMs.peek();
  const cause = causeOf(miner, now);
  const state = stateOf(miner, now);
  return useMemo(() => {
    const since = cause === undefined ? null : sinceOf(miner, cause);
    const label = labelOf(miner);
    const { hashrateHs, tempC, powerW } = measuredOf(miner);
    const choose = { checked: isChosen, onChange: () => onToggle(miner.id), 'aria-label': texts.list.choose(label) };
    return (
      <div class={`miner-row ${isCursor ? 'is-cursor' : ''}`}>
        <div role="gridcell" class="choose">
          <input type="checkbox" {...choose} />
        </div>
        <div role="gridcell" class="miner-cell">
          <a class="miner-link" href={`${base}/miners/${miner.id}`}>
            <StateMark state={state} />
            <strong class="c-label">{label}</strong>
            {label !== miner.ip && <span class="c-ip">{miner.ip}</span>}
            {isWide && <span class="c-model">{modelOf(miner) ?? texts.common.unknown}</span>}
            <span class="c-trouble">
              <span class="c-why">{troubleOf(miner, cause, texts)}</span>
              {since !== null && (
                <span class="c-since">
                  <Age atMs={since} />
                </span>
              )}
            </span>
            <span class="c-rate">{show.hashrate(hashrateHs)}</span>
            <span class="c-share">{show.percent(shareOf(miner))}</span>
            <span class="c-temp">{show.tempC(tempC)}</span>
            {isWide && <span class="c-power">{show.power(powerW)}</span>}
            <span class="c-age">
              <Age atMs={miner.seenAtMs} />
            </span>
          </a>
        </div>
      </div>
    );
  }, [miner, base, isWide, isChosen, isCursor, onToggle, cause, state, show, texts]);
}

// One rack as a table of its slots, each coloured by what its miner says now; a tap goes to the miner. Miners of the
// rack that stand at no slot of it are listed below.
import { useComputed } from '@preact/signals';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { shareOf } from '../../../model/board/measured.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { causeOf } from '../../model/causes.ts';
import { LEVEL_MARKS, levelOf } from '../../model/heat.ts';
import { labelOfSlot } from '../../model/rack-cells.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import { MinerCard, troubleOf } from '../../parts/miner-card.tsx';
import { RackTable } from '../../parts/rack-table.tsx';
import { type RackDetail, useRack } from '../locations/use-places.ts';
import { HeatSwitch, levelText, useHeatBy } from './heat-switch.tsx';

export function RackMap({ rack = '' }: { rack?: string }) {
  const { farm, may, isKnown } = useFarm();
  const texts = useTexts();
  const { answer, refusal } = useRack(rack);
  const base = `/f/${farm.id}`;
  return (
    <section>
      <h1>{texts.map.ofRack(rack)}</h1>
      <p class="actions">
        <a class="act" href={`${base}/map`}>
          {texts.map.all}
        </a>
        {may('miners.update') && (
          <a class="act" href={`${base}/walk/${encodeURIComponent(rack)}`}>
            {texts.places.walk}
          </a>
        )}
      </p>
      <RefusalNote refusal={refusal} />
      <HeatSwitch />
      {answer === undefined || !isKnown.value ? (
        refusal === undefined && <Loading />
      ) : (
        <Slots key={rack} rack={answer.data} />
      )}
    </section>
  );
}

function Slots({ rack }: { rack: RackDetail }) {
  const { miners, farm } = useFarm();
  const { nowMs, format } = useApp();
  const texts = useTexts();
  const by = useHeatBy();
  const standing = useComputed(() => miners.value.filter((miner) => miner.rack === rack.name)).value;
  const byPosition = new Map(standing.map((miner) => [miner.position, miner]));
  const known = new Set(rack.slots.map(({ position }) => position));
  const strangers = standing.filter(({ position }) => position === null || !known.has(position));
  const { value: show } = format;
  const base = `/f/${farm.id}`;
  const shownValue = (miner: BoardMiner): string => {
    if (!miner.isOnline || by === 'flags') return '';
    return by === 'temperature' ? show.tempC(miner.tempC) : show.percent(shareOf(miner));
  };
  const words = (miner: BoardMiner): string =>
    [
      ...[miner.ip, troubleOf(miner, causeOf(miner, nowMs.peek()), texts), shownValue(miner)],
      ...(miner.seenAtMs === null ? [] : [texts.common.ago(show.duration(nowMs.peek() - miner.seenAtMs))]),
    ]
      .filter((word) => word !== undefined && word !== '')
      .join(', ');
  return (
    <>
      <RackTable
        caption={texts.walk.slots}
        name={rack.name}
        slots={rack.slots}
        cell={({ position }) => {
          const miner = byPosition.get(position);
          const level = levelOf(miner, by, nowMs.peek());
          const word = levelText(level, by, texts);
          return {
            look: `level-${level}`,
            content: [LEVEL_MARKS[level], position, miner === undefined ? '' : shownValue(miner)].join(' ').trim(),
            label: [labelOfSlot(rack.name, position), word, ...(miner === undefined ? [] : [words(miner)])].join(', '),
            ...(miner !== undefined && { href: `${base}/miners/${miner.id}` }),
          };
        }}
      />
      {strangers.length > 0 && (
        <>
          <h2>{texts.map.strangers}</h2>
          <ul class="cards">
            {strangers.map((miner) => (
              <li key={miner.id}>
                <MinerCard miner={miner} base={base} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

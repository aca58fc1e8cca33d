// All racks of the farm in one picture, container by container; a tap on a rack goes to it. The list below says and
// does the same for keyboards and screen readers.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { type Level, levelOf } from '../../model/heat.ts';
import { boxAt, layoutOf, standingOf } from '../../model/map-layout.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import type { Texts } from '../../text/texts.ts';
import { type Racks, useRacks } from '../locations/use-places.ts';
import { HeatSwitch, useHeatBy } from './heat-switch.tsx';
import { type MapPicture, type Painted, paintMap } from './paint.ts';

export function FarmMap() {
  const { farm, isKnown } = useFarm();
  const texts = useTexts();
  const { answer, refusal } = useRacks();
  return (
    <section>
      <h1>{texts.map.title}</h1>
      <RefusalNote refusal={refusal} />
      {answer === undefined || !isKnown.value ? (
        refusal === undefined && <Loading />
      ) : answer.data.length === 0 ? (
        <p class="note">
          {texts.places.none} <a href={`/f/${farm.id}/locations`}>{texts.places.title}</a>
        </p>
      ) : (
        <Picture racks={answer.data} />
      )}
    </section>
  );
}

const START_WIDTH = 360;

function Picture({ racks }: { racks: Racks }) {
  const { farm } = useFarm();
  const texts = useTexts();
  const by = useHeatBy();
  const frame = useRef<HTMLDivElement>(null);
  const width = useSignal(START_WIDTH);
  // Before the browser shows anything: no picture is seen in another width than its own.
  useLayoutEffect(() => {
    const { current } = frame;
    if (current === null) return;
    width.value = current.clientWidth;
    const observer = new ResizeObserver(() => (width.value = current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const { picture, unplaced } = usePicture(racks, width.value);
  const rackHref = (name: string) => `/f/${farm.id}/map/${encodeURIComponent(name)}?by=${by}`;
  return (
    <>
      <HeatSwitch />
      <div ref={frame}>
        <Canvas picture={picture} rackHref={rackHref} />
      </div>
      {unplaced > 0 && (
        <p class="note">
          <a href={`/f/${farm.id}/miners?rack=`}>{texts.map.unplaced(unplaced)}</a>
        </p>
      )}
      <ul class="links">
        {picture.layout.boxes.map(({ name }, index) => (
          <li key={name}>
            <a href={rackHref(name)}>
              <strong>{name}</strong> <span>{countsText(picture.levels[index] ?? [], texts)}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The racks stay where they are as long as their slots do: an update of miners changes levels only. */
function usePicture(racks: Racks, width: number): { readonly picture: MapPicture; readonly unplaced: number } {
  const { miners } = useFarm();
  const { nowMs } = useApp();
  const texts = useTexts();
  const by = useHeatBy();
  const { standing, unplaced } = useMemo(() => standingOf(racks, miners.value), [racks, miners.value]);
  const slotCounts = racks.map(({ name }) => standing.get(name)?.slots.length ?? 0);
  const layout = useMemo(() => layoutOf(racks, slotCounts, width), [racks, slotCounts.join(), width]);
  const picture = useMemo(() => {
    const atMs = nowMs.peek();
    const inside = layout.boxes.map(({ name }) => standing.get(name));
    const nameOf = (name: string, strangers = 0) => (strangers === 0 ? name : `${name} +${strangers}`);
    return {
      ...{ layout, width },
      titles: layout.titles.map(({ text }) =>
        text === null ? texts.places.noContainer : texts.places.inContainer(text),
      ),
      names: layout.boxes.map(({ name }, index) => nameOf(name, inside[index]?.strangers.length)),
      levels: inside.map((rack) => rack?.slots.map((miner) => levelOf(miner, by, atMs)) ?? []),
    };
  }, [layout, standing, by, texts]);
  return { picture, unplaced };
}

type CanvasProps = { readonly picture: MapPicture; readonly rackHref: (name: string) => string };

function Canvas({ picture, rackHref }: CanvasProps) {
  const texts = useTexts();
  const { route } = useLocation();
  const canvas = useRef<HTMLCanvasElement>(null);
  const painted = useRef<Painted | undefined>(undefined);
  useLayoutEffect(() => {
    if (canvas.current !== null) painted.current = paintMap(canvas.current, picture, painted.current);
  }, [picture]);
  return (
    <canvas
      ref={canvas}
      class="farm-map"
      role="img"
      aria-label={texts.map.picture}
      onClick={({ offsetX, offsetY }) => {
        const box = boxAt(picture.layout, offsetX, offsetY);
        if (box !== undefined) route(rackHref(box.name));
      }}
    />
  );
}

function countsText(levels: readonly Level[], texts: Texts): string {
  let [good, unknown, empty] = [0, 0, 0];
  for (const level of levels) {
    if (level === 'good') good += 1;
    else if (level === 'unknown') unknown += 1;
    else if (level === 'empty') empty += 1;
  }
  return texts.map.counts(good, levels.length - good - unknown - empty, unknown, empty);
}

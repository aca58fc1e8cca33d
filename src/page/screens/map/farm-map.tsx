// All racks of the farm in one picture, container by container; a tap on a rack goes to it. The list below says and
// does the same for keyboards and screen readers.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { type HeatBy, type Level, levelOf } from '../../model/heat.ts';
import { boxAt, layoutOf, type MapLayout, type RackBox } from '../../model/map-layout.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import { type Racks, useRacks } from '../locations/use-places.ts';
import { HeatSwitch, useHeatBy } from './heat-switch.tsx';
import { paintMap } from './paint.ts';

export function FarmMap() {
  const { farm } = useFarm();
  const texts = useTexts();
  const { answer, refusal } = useRacks();
  return (
    <section>
      <h1>{texts.map.title}</h1>
      <RefusalNote refusal={refusal} />
      {answer === undefined ? (
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
  const { miners, farm } = useFarm();
  const texts = useTexts();
  const by = useHeatBy();
  const frame = useRef<HTMLDivElement>(null);
  const width = useSignal(START_WIDTH);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(() => (width.value = current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const layout = useMemo(() => layoutOf(racks, miners.value, width.value), [racks, miners.value, width.value]);
  const unplaced = miners.value.filter(({ rack }) => rack === null).length;
  const rackHref = (name: string) => `/f/${farm.id}/map/${encodeURIComponent(name)}?by=${by}`;
  return (
    <>
      <HeatSwitch />
      <div ref={frame}>
        <Canvas {...{ layout, by, rackHref }} width={width.value} />
      </div>
      {unplaced > 0 && (
        <p class="note">
          <a href={`/f/${farm.id}/miners?rack=`}>{texts.map.unplaced(unplaced)}</a>
        </p>
      )}
      <ul class="links">
        {layout.boxes.map((box) => (
          <li key={box.name}>
            <a href={rackHref(box.name)}>
              <strong>{box.name}</strong> <Counts box={box} by={by} />
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

type CanvasProps = {
  readonly layout: MapLayout;
  readonly width: number;
  readonly by: HeatBy;
  readonly rackHref: (name: string) => string;
};

function Canvas({ layout, width, by, rackHref }: CanvasProps) {
  const { nowMs } = useApp();
  const texts = useTexts();
  const { route } = useLocation();
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (canvas.current === null) return;
    const titleOf = (container: string | null) =>
      container === null ? texts.places.noContainer : texts.places.inContainer(container);
    paintMap(canvas.current, width, { layout, by, nowMs: nowMs.peek(), titleOf });
  }, [layout, width, by, texts]);
  return (
    <canvas
      ref={canvas}
      class="farm-map"
      role="img"
      aria-label={texts.map.picture}
      onClick={({ offsetX, offsetY }) => {
        const box = boxAt(layout, offsetX, offsetY);
        if (box !== undefined) route(rackHref(box.name));
      }}
    />
  );
}

function Counts({ box, by }: { box: RackBox; by: HeatBy }) {
  const { nowMs } = useApp();
  const texts = useTexts();
  const levels = box.spots.map(({ miner }) => levelOf(miner, by, nowMs.peek()));
  const count = (wanted: Level) => levels.filter((level) => level === wanted).length;
  const [good, unknown, empty] = [count('good'), count('unknown'), count('empty')];
  return <span>{texts.map.counts(good, levels.length - good - unknown - empty, unknown, empty)}</span>;
}

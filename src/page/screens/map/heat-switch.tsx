// By what the map is coloured, and what its marks mean. It stands in the address, so that a link shows the same.
import { useLocation } from 'preact-iso/router';
import { useTexts } from '../../app-state.ts';
import { HEAT_BYS, type HeatBy, isHeatBy, LEVEL_MARKS, LEVELS, type Level } from '../../model/heat.ts';
import type { Texts } from '../../text/texts.ts';

export function useHeatBy(): HeatBy {
  const { query } = useLocation();
  return isHeatBy(query.by) ? query.by : 'temperature';
}

export function levelText(level: Level, by: HeatBy, { map }: Texts): string {
  if (by === 'flags' && level === 'bad') return map.levelsOfFlags.bad;
  if (by === 'share' && (level === 'warm' || level === 'bad')) return map.levelsOfShare[level];
  return map.levels[level];
}

/** Levels that do not come with each way of colouring. */
const isShown = (level: Level, by: HeatBy): boolean =>
  (level !== 'cold' || by === 'temperature') && (level !== 'warm' || by !== 'flags');

export function HeatSwitch() {
  const { path, route } = useLocation();
  const texts = useTexts();
  const by = useHeatBy();
  return (
    <div class="list-line">
      <label>
        {texts.map.by}{' '}
        <select value={by} onChange={({ currentTarget: { value } }) => route(`${path}?by=${value}`, true)}>
          {HEAT_BYS.map((one) => (
            <option key={one} value={one}>
              {texts.map.bys[one]}
            </option>
          ))}
        </select>
      </label>
      <ul class="legend">
        {LEVELS.filter((level) => isShown(level, by)).map((level) => (
          <li key={level}>
            <span class={`swatch level-${level}`} aria-hidden="true">
              {LEVEL_MARKS[level]}
            </span>{' '}
            {levelText(level, by, texts)}
          </li>
        ))}
      </ul>
    </div>
  );
}

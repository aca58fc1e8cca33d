// The parts of a farm, one line each. Racks begin with the worst; the order stays until a person asks for another.
import { useComputed, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { filterOfGroup, writeFilter } from '../../model/list/filter.ts';
import { keepOrder, movedCount } from '../../model/list/order.ts';
import { type Group, type Grouping, groupsOf, worstFirst } from '../../model/overview.ts';
import { RefusalNote } from '../../parts/bits.tsx';
import { efficiencyText, precise } from './figures-text.ts';
import { uptimeOfGroups } from './uptime.ts';
import { useUptime } from './use-uptime.ts';

/** The worst ones are what a person looks for; all others on request. */
const FEW = 20;

export function Groups({ by }: { by: Grouping }) {
  const { miners } = useFarm();
  const { nowMs } = useApp();
  const texts = useTexts();
  const groups = useComputed(() => groupsOf(miners.value, by, nowMs.peek())).value;
  const sorted = by === 'rack' ? worstFirst(groups) : groups;
  const { shown, moved, again } = useKeptOrder(sorted);
  const isAll = useSignal(false);
  const { answer, refusal } = useUptime(by);
  const uptimeOf = useMemo(() => (answer === undefined ? undefined : uptimeOfGroups(answer.data)), [answer]);
  const some = isAll.value ? shown : shown.slice(0, FEW);
  return (
    <section>
      <h2>{by === 'rack' ? texts.overview.worst : texts.overview.groupings[by]}</h2>
      <RefusalNote refusal={refusal} />
      {moved > 0 && (
        <button type="button" class="link" onClick={again}>
          {texts.overview.moved(moved)}
        </button>
      )}
      <ul class="work">
        {some.map((group) => (
          <GroupLine key={group.name} by={by} group={group} uptime={uptimeOf?.get(group.name) ?? null} />
        ))}
      </ul>
      {some.length < shown.length && (
        <button type="button" class="act" onClick={() => (isAll.value = true)}>
          {texts.overview.showAll(shown.length)}
        </button>
      )}
    </section>
  );
}

/** A name cannot be empty. */
const keyOf = ({ name }: Group): string => name ?? '';

function useKeptOrder(sorted: readonly Group[]) {
  const kept = useRef<readonly string[]>([]);
  const asked = useSignal(0);
  void asked.value;
  const byKey = new Map(sorted.map((group) => [keyOf(group), group]));
  const fresh = [...byKey.keys()];
  kept.current = kept.current.length === 0 ? fresh : keepOrder(kept.current, new Set(fresh));
  return {
    shown: kept.current.flatMap((key) => byKey.get(key) ?? []),
    moved: movedCount(kept.current, fresh),
    again: () => {
      kept.current = [];
      asked.value += 1;
    },
  };
}

type LineProps = { readonly by: Grouping; readonly group: Group; readonly uptime: number | null };

function GroupLine({ by, group, uptime }: LineProps) {
  const { farm } = useFarm();
  const { format } = useApp();
  const texts = useTexts();
  const { value: show } = format;
  const { name, miners, onSite, online, ill, powerW, withoutPower, unknown, algorithms } = group;
  const list = (cause?: 'any') =>
    `/f/${farm.id}/miners?${writeFilter({ ...filterOfGroup(by, name), ...(cause !== undefined && { cause }) })}`;
  const isSeveral = algorithms.length > 1;
  return (
    <li class="line part">
      <a class="part-main" href={list()}>
        <strong class="part-name">{name ?? texts.overview.without[by]}</strong>
        <span class="part-count">{texts.miners(miners)}</span>
        <span class="part-rates">
          {algorithms.map((each) => (
            <span key={each.algorithm} class="part-rate">
              <strong>{show.percent(each.share)}</strong> <span>{show.hashrate(each.hashrateHs)}</span>{' '}
              <span>{efficiencyText(show, each)}</span>{' '}
              {isSeveral && <span>{each.algorithm ?? texts.common.unknown}</span>}
            </span>
          ))}
        </span>
        <span class="part-power">{show.power(powerW)}</span>
        <span class="part-online">{texts.now.counts(show.number(online), show.number(onSite))}</span>
        <span class="part-uptime">
          {texts.overview.uptimeShort} {precise(show, uptime)}
        </span>
        {(withoutPower > 0 || unknown > 0) && (
          <span class="part-gaps">
            {[
              ...(withoutPower > 0
                ? [texts.overview.withoutPower(show.number(withoutPower), show.number(miners))]
                : []),
              ...(unknown > 0 ? [texts.overview.unknown(show.number(unknown))] : []),
            ].join(' ')}
          </span>
        )}
      </a>
      {ill > 0 ? (
        <a class="part-ill" href={list('any')}>
          <span aria-hidden="true">✖</span> {texts.overview.illCount(ill)}
        </a>
      ) : (
        <span class="part-well" />
      )}
    </li>
  );
}

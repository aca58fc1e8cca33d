// What waits for the network on this device, and what the service did not take: with who wrote it, since when, and a
// way to discard it. Nothing of it is shown as done.
import { useSignal } from '@preact/signals';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import type { Waiting } from '../../model/field/waiting.ts';
import type { Texts } from '../../text/texts.ts';
import { Age } from '../bits.tsx';

export function WaitingBanner() {
  const { waiting } = useFarm();
  const { offline, common, now } = useTexts();
  const isOpen = useSignal(false);
  const list = waiting.list.value;
  if (list.length === 0) return null;
  const unsent = list.filter(({ problem }) => problem !== null).length;
  const counts = [
    ...(list.length > unsent ? [offline.waiting(list.length - unsent)] : []),
    ...(unsent > 0 ? [offline.unsent(unsent)] : []),
  ];
  return (
    <div class={unsent > 0 ? 'note note-bad waiting' : 'note waiting'} role="status">
      {counts.join(', ')}{' '}
      <button type="button" class="link" onClick={() => (isOpen.value = !isOpen.value)}>
        {isOpen.value ? common.close : now.show}
      </button>
      {!waiting.isKept.value && <p>{offline.notKept}</p>}
      {isOpen.value && <WaitingLines list={list} />}
    </div>
  );
}

export function WaitingLines({ list }: { list: readonly Waiting[] }) {
  const { waiting } = useFarm();
  const { session } = useApp();
  const texts = useTexts();
  const own = session.value.kind === 'open' ? session.value.session.person.id : '';
  return (
    <ul class="events">
      {list.map((each) => (
        <li key={each.key}>
          {/* By the clock of this device, which wrote it. */}
          <Age atMs={each.atMs} /> {wordsOf(each, texts)}:{' '}
          <strong>{each.problem === null ? texts.offline.waits : texts.offline.refused(each.problem)}</strong>{' '}
          {each.person.id !== own && texts.offline.others(each.person.name)}{' '}
          <button type="button" class="act" onClick={() => waiting.drop(each.key)}>
            {texts.offline.drop}
          </button>
        </li>
      ))}
    </ul>
  );
}

const wordsOf = ({ what, ip }: Waiting, { offline }: Texts): string =>
  what.kind === 'note' ? `${offline.note(ip)}: ${what.text}` : offline.place(ip, what.label);

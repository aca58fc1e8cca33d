// The pools of a saved set, as far as the service shows them: no password, only whether there is one.
import type { PoolSetItem } from '../../../wire/api/farm/pool-sets.ts';
import { useTexts } from '../../app-state.ts';
import { partText } from './pool-rows.ts';

export function PoolList({ pools }: { pools: PoolSetItem['pools'] }) {
  const { pools: texts } = useTexts();
  if (pools === null) return <p class="note note-bad">{texts.unreadable}</p>;
  return (
    <ol class="pool-list">
      {pools.map(({ url, user, password }, index) => (
        <li key={index}>
          <span class="pool-url">{partText(url)}</span>
          <span class="note">
            {texts.worker}: {partText(user)} · {texts.passwordShown[password]}
          </span>
        </li>
      ))}
    </ol>
  );
}

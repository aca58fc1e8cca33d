// Where one can go besides the places at the bottom of the screen.
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { useWorkspaceMay } from '../../live/workspace-may.ts';
import { Leave } from '../../parts/leave.tsx';

export function More() {
  const { session } = useApp();
  const { farm, may: farmMay } = useFarm();
  const texts = useTexts();
  const may = useWorkspaceMay();
  const base = `/f/${farm.id}`;
  const state = session.value;
  const places = [
    ...(farmMay('events.read') ? [['changes', texts.changes.title] as const] : []),
    ['overview', texts.overview.title],
    ['account', texts.more.account],
    ...(may('people.update') ? [['people', texts.people.title] as const] : []),
    ...(farmMay('tasks.pools_saved') ? [['pools', texts.pools.title] as const] : []),
    ...(may('audit.read') ? [['audit', texts.audit.title] as const] : []),
    ...(may('webhooks.update') ? [['webhooks', texts.webhooks.title] as const] : []),
    ...(may('keys.update') ? [['keys', texts.apiKeys.title] as const] : []),
    ['settings', texts.settings.title],
    ['about', texts.about.title],
    ['help', texts.help.title],
  ] as const;
  return (
    <section>
      <h1>{state.kind === 'open' ? state.session.person.name : texts.nav.more}</h1>
      <Leave />
      <ul class="links places">
        {places.map(([place, name]) => (
          <li key={place}>
            <a href={`${base}/${place}`}>{name}</a>
          </li>
        ))}
        <li>
          {/* It is no part of this page. */}
          <a href="/docs" target="_blank" rel="noreferrer">
            {texts.more.docs}
          </a>
        </li>
      </ul>
    </section>
  );
}

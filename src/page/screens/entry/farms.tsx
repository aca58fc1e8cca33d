// Which farm: for people who may see several.
import { useTexts } from '../../app-state.ts';
import type { FarmOfSession } from '../../live/farm-state.ts';

export function Farms({ farms }: { farms: readonly FarmOfSession[] }) {
  const texts = useTexts();
  return (
    <main class="entry">
      <h1>{texts.farms.title}</h1>
      {farms.length === 0 && <p class="note">{texts.farms.none}</p>}
      <ul class="links">
        {farms.map(({ id, name, role }) => (
          <li key={id}>
            <a href={`/f/${id}/now`}>
              {name ?? id} <small>{texts.role[role]}</small>
            </a>
          </li>
        ))}
      </ul>
    </main>
  );
}

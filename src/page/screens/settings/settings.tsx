// What a person asks of how the farm and the page are set up. Only to read: settings stand in files of the hosts.
import { HISTORY_KEPT_DAYS } from '../../../model/events/history-kept.data.ts';
import { PERMISSIONS, permissionsOf, ROLES } from '../../../model/permissions/permissions.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useTexts } from '../../app-state.ts';
import type { FarmAgent } from '../../live/agents.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Fact, Loading, ReadAge, RefusalNote } from '../../parts/bits.tsx';
import { AgentCard } from './agent-card.tsx';

const EVERY_MS = 10_000;

export function Settings() {
  const { settings: texts } = useTexts();
  const { ref, isKnown, miners } = useFarm();
  const { answer, atMs, refusal } = useAsked<Answer<readonly FarmAgent[]>>(
    farmPath(ref, 'agents?page_size=100'),
    EVERY_MS,
  );
  const list = answer?.data;
  const isEncrypted = location.protocol === 'https:';
  const kept = [
    [texts.kept.cells, HISTORY_KEPT_DAYS.cells],
    [texts.kept.hours, HISTORY_KEPT_DAYS.hours],
    [texts.kept.events, HISTORY_KEPT_DAYS.events],
    [texts.kept.audit, HISTORY_KEPT_DAYS.audit],
  ] as const;
  return (
    <section>
      <h1>{texts.title}</h1>
      <p class="note">{texts.intro}</p>
      <h2>{texts.agents}</h2>
      <RefusalNote refusal={refusal} />
      {list === undefined && refusal === undefined && <Loading />}
      {list?.length === 0 && <p class="note">{texts.noAgents}</p>}
      <ul class="cards">
        {list?.map((agent) => (
          <AgentCard
            key={agent.id}
            agent={agent}
            minerCount={isKnown.value ? miners.value.filter(({ agentId }) => agentId === agent.id).length : undefined}
          />
        ))}
      </ul>
      <ReadAge atMs={atMs} />
      <h2>{texts.history}</h2>
      <dl class="facts">
        {kept.map(([name, days]) => (
          <Fact key={name} name={name}>
            {texts.days(days)}
          </Fact>
        ))}
      </dl>
      <h2>{texts.connection}</h2>
      <dl class="facts">
        <Fact name={location.host}>{isEncrypted ? texts.encrypted : texts.plain}</Fact>
      </dl>
      <RoleTable />
    </section>
  );
}

/** Made of the same table that decides. */
function RoleTable() {
  const { settings: texts, role } = useTexts();
  return (
    <>
      <h2 id="roles">{texts.roles}</h2>
      {/* A table wider than a phone is moved by keys too. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="scroll role-table" aria-labelledby="roles" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.permission}</th>
              {ROLES.map((name) => (
                <th key={name} scope="col">
                  {role[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {PERMISSIONS.map((permission) => (
              <tr key={permission}>
                <th scope="row">{texts.permissions[permission]}</th>
                {ROLES.map((name) => {
                  const has = permissionsOf(name).includes(permission);
                  return (
                    <td key={name}>
                      <span aria-hidden="true">{has ? '✓' : '·'}</span>
                      <span class="hidden">{has ? texts.yes : texts.no}</span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

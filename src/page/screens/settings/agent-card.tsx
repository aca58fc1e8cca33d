// One agent of the farm: whether it is heard, what it runs, and what is wrong with it.
import { useApp, useTexts } from '../../app-state.ts';
import type { FarmAgent } from '../../live/agents.ts';
import { Age, Fact } from '../../parts/bits.tsx';

const msOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

export function AgentCard({ agent, minerCount }: { agent: FarmAgent; minerCount: number | undefined }) {
  const { format, nowMs } = useApp();
  const { settings: texts } = useTexts();
  const { id, status, version, storage_fault } = agent;
  const isOnline = status === 'online';
  return (
    <li class="card">
      {/* Agents have no names in v2. */}
      <h3>{texts.agent(id.slice(-6))}</h3>
      <p class={isOnline ? 'tone-good' : 'tone-bad'}>
        <span aria-hidden="true">{isOnline ? '●' : '○'}</span> {isOnline ? texts.online : texts.offline}
      </p>
      <dl class="facts">
        <Fact name={texts.version}>{version || '–'}</Fact>
        <Fact name={texts.miners}>{format.value.number(minerCount)}</Fact>
        <Fact name={texts.lastOnline}>
          <Age atMs={msOf(agent.last_online_at)} />
        </Fact>
        <Fact name={texts.lastReport}>
          <Age atMs={msOf(agent.last_updated_at)} />
        </Fact>
        <Fact name={texts.uptime}>{format.value.duration(isOnline ? runsMs(agent, nowMs.value) : null)}</Fact>
        <Fact name={texts.enrolled}>{format.value.moment(Date.parse(agent.enrolled_at), nowMs.value)}</Fact>
        <Clock aheadMs={agent.clock_ahead_ms} />
        <Fact name={texts.storage}>
          {storage_fault === null
            ? texts.storageGood
            : texts.storageFault(
                storage_fault.reason,
                format.value.duration(nowMs.value - Date.parse(storage_fault.since)),
              )}
        </Fact>
      </dl>
    </li>
  );
}

/** Its host reports it now and then: it has run on since. */
const runsMs = ({ uptime, last_updated_at }: FarmAgent, nowMs: number): number | null =>
  uptime === null || last_updated_at === null ? null : uptime * 1_000 + nowMs - Date.parse(last_updated_at);

/** null = by no more than a minute. */
function Clock({ aheadMs }: { aheadMs: number | null }) {
  const { format } = useApp();
  const { settings: texts } = useTexts();
  const words =
    aheadMs === null
      ? texts.clockRight
      : (aheadMs > 0 ? texts.clockAhead : texts.clockBehind)(format.value.duration(Math.abs(aheadMs)));
  return <Fact name={texts.clock}>{words}</Fact>;
}

// One webhook: whether it sends, what waits, what the receiver said last.
import type { WebhookItem } from '../../../wire/api/webhooks.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { Age, Fact } from '../../parts/bits.tsx';

/** Each has a shape beside its colour. */
const SHAPES = { active: '●', paused: '■', disabled: '✖' } as const;

const msOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

export function WebhookFacts({ webhook }: { webhook: WebhookItem }) {
  const { format, nowMs } = useApp();
  const { webhooks: texts } = useTexts();
  const { name, url, state, disabled_reason, failing_since, pending_count, pending_is_minimum } = webhook;
  const count = format.value.number(pending_count);
  const isFailing = state === 'active' && failing_since !== null;
  const tone = isFailing ? 'warn' : state === 'active' ? 'good' : 'bad';
  return (
    <>
      <h2>{name}</h2>
      <p class="card-address">{url}</p>
      <p class={`tone-${tone}`}>
        <span aria-hidden="true">{isFailing ? '▲' : SHAPES[state]}</span>{' '}
        {isFailing ? texts.failing : texts.state[state]}
        {disabled_reason !== null && `: ${texts.reason[disabled_reason]}`}
      </p>
      <dl class="facts">
        <Fact name={texts.waiting}>{pending_is_minimum ? texts.atLeast(count) : count}</Fact>
        <Fact name={texts.lastSuccess}>
          <Age atMs={msOf(webhook.last_success_at)} />
        </Fact>
        {failing_since !== null && (
          <Fact name={texts.failingSince}>
            <Age atMs={Date.parse(failing_since)} />
          </Fact>
        )}
        <LastFailure webhook={webhook} />
        {webhook.next_attempt_at !== null && (
          <Fact name={texts.nextTry}>{format.value.moment(Date.parse(webhook.next_attempt_at), nowMs.value)}</Fact>
        )}
        <Aims webhook={webhook} />
        <Secrets webhook={webhook} />
      </dl>
    </>
  );
}

function LastFailure({ webhook: { last_failure } }: { webhook: WebhookItem }) {
  const { format, nowMs } = useApp();
  const { webhooks: texts } = useTexts();
  if (last_failure === null) return null;
  const { at, status, error } = last_failure;
  const ago = texts.ago(format.value.duration(nowMs.value - Date.parse(at)));
  return <Fact name={texts.lastFailure}>{[ago, ...(status === null ? [] : [status]), error].join(', ')}</Fact>;
}

/** What is sent: of which farms, and which kinds. */
function Aims({ webhook: { farm_ids, event_types } }: { webhook: WebhookItem }) {
  const { session } = useApp();
  const { webhooks: texts } = useTexts();
  const state = session.value;
  const farms = state.kind === 'open' ? state.session.farms : [];
  const nameOf = (farmId: string) => farms.find(({ id }) => id === farmId)?.name ?? farmId.slice(-6);
  return (
    <>
      <Fact name={texts.farms}>{farm_ids === null ? texts.allFarms : farm_ids.map(nameOf).join(', ')}</Fact>
      <Fact name={texts.events}>{event_types === null ? texts.allEvents : event_types.join(', ')}</Fact>
    </>
  );
}

function Secrets({ webhook: { secrets } }: { webhook: WebhookItem }) {
  const { format, nowMs } = useApp();
  const { webhooks: texts } = useTexts();
  const [newest, before] = secrets;
  if (newest === undefined) return null;
  const age = texts.secretAge(format.value.duration(nowMs.value - Date.parse(newest.created_at)));
  const until = before?.expires_at ?? undefined;
  return (
    <Fact name={texts.secret}>
      {age}
      {until !== undefined && `; ${texts.oldUntil(format.value.moment(Date.parse(until), nowMs.value))}`}
    </Fact>
  );
}

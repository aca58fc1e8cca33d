// Where the events of the workspace are sent to, and how that goes.
import { useSignal } from '@preact/signals';
import type { WebhookItem, WebhookWithSecret } from '../../../wire/api/webhooks.ts';
import { workspacePath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { SecretDialog } from '../../parts/admin/secret-dialog.tsx';
import { Loading, ReadAge, RefusalNote } from '../../parts/bits.tsx';
import { guarded } from '../entry/guarded.tsx';
import { WebhookActs } from './webhook-acts.tsx';
import { WebhookFacts } from './webhook-facts.tsx';
import { WebhookForm } from './webhook-form.tsx';

const EVERY_MS = 10_000;

export const Webhooks = guarded('webhooks.update', WebhooksScreen);

function WebhooksScreen() {
  const { ref } = useFarm();
  const { webhooks: texts } = useTexts();
  const path = workspacePath(ref.workspaceId, 'webhooks');
  const { answer, atMs, refusal, again } = useAsked<Answer<readonly WebhookItem[]>>(`${path}?page_size=100`, EVERY_MS);
  const isAdding = useSignal(false);
  const shown = useSignal<Pick<WebhookWithSecret, 'name' | 'secret'> | undefined>(undefined);
  const showSecret = ({ name, secret }: WebhookWithSecret) => {
    shown.value = { name, secret };
    again();
  };
  return (
    <section>
      <h1>{texts.title}</h1>
      <p class="note">{texts.intro}</p>
      <RefusalNote refusal={refusal} />
      <div class="actions">
        <button type="button" class="act act-main" onClick={() => (isAdding.value = true)}>
          {texts.add}
        </button>
      </div>
      {answer === undefined && refusal === undefined && <Loading />}
      {answer?.data.length === 0 && <p class="note">{texts.none}</p>}
      <ul class="cards">
        {answer?.data.map((webhook) => (
          <li key={webhook.id} class="card">
            <WebhookFacts webhook={webhook} />
            <WebhookActs webhook={webhook} path={`${path}/${webhook.id}`} onChanged={again} onSecret={showSecret} />
          </li>
        ))}
      </ul>
      <ReadAge atMs={atMs} />
      {isAdding.value && (
        <WebhookForm
          request={{ method: 'POST', path }}
          onClose={() => (isAdding.value = false)}
          onDone={(made: WebhookWithSecret) => {
            isAdding.value = false;
            showSecret(made);
          }}
        />
      )}
      {shown.value !== undefined && (
        <SecretDialog
          title={texts.secretOf(shown.value.name)}
          hint={texts.secretHint}
          secret={shown.value.secret}
          onClose={() => {
            shown.value = undefined;
          }}
        />
      )}
    </section>
  );
}

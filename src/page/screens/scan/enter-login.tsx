// A scan has found devices that refuse every login that the agent knows: who may enters the right one, and sees at
// which of them it was accepted. It goes out with this one request and is kept nowhere on this device.
import { useSignal } from '@preact/signals';
import type { z } from 'zod';
import type { taskV2Schema } from '../../../wire/api/tasks.ts';
import { farmPath } from '../../api/paths.ts';
import { type Answer, newIdempotencyKey } from '../../api/request.ts';
import { useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { useFarm } from '../../live/farm-state.ts';
import { RefusalNote } from '../../parts/bits.tsx';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import type { Created } from '../act/use-send.ts';
import { loginsOf } from './account.ts';

type Task = z.infer<typeof taskV2Schema>;
const EVERY_MS = 2_000;
const MAX_LENGTH = 64;
/** One login goes to no more addresses. */
const MOST = 256;
const ALL = '';

type EnterProps = { readonly agentId: string; readonly addresses: readonly string[] };

export function EnterLogin({ agentId, addresses }: EnterProps) {
  const texts = useTexts();
  const isOpen = useSignal(false);
  const batchId = useSignal<string | undefined>(undefined);
  const some = addresses.slice(0, MOST);
  return (
    <>
      <button type="button" class="act" onClick={() => (isOpen.value = true)}>
        {texts.setAct.enterLogin}
      </button>
      {batchId.value !== undefined && <LoginProof key={batchId.value} batchId={batchId.value} />}
      {isOpen.value && (
        <LoginForm
          {...{ agentId, addresses: some }}
          onSent={(id) => {
            batchId.value = id;
            isOpen.value = false;
          }}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </>
  );
}

type FormProps = EnterProps & { readonly onSent: (batchId: string) => void; readonly onClose: () => void };

function LoginForm({ agentId, addresses, onSent, onClose }: FormProps) {
  const { ref } = useFarm();
  const { setAct: texts } = useTexts();
  const { run, isBusy, refusal } = useCommand();
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const [at, user, password] = ['at', 'user', 'password'].map((name) => String(form.get(name) ?? ''));
    const params = { addresses: at === ALL ? addresses : [at], user, password };
    const created = await run<Created['data']>({
      method: 'POST',
      path: farmPath(ref, 'task-batches'),
      body: { task_name: 'agent.login.update', agent_ids: [agentId], params },
      idempotencyKey: newIdempotencyKey(),
    });
    const [batch] = created ?? [];
    if (batch !== undefined) onSent(batch.id);
  };
  const plain = {
    ...({ required: true, maxLength: MAX_LENGTH, autocomplete: 'off' } as const),
    ...({ autocapitalize: 'off', spellcheck: false } as const),
  };
  return (
    <Dialog title={texts.enterLogin} onClose={onClose}>
      <form onSubmit={send}>
        <p class="note">{texts.loginHint}</p>
        <label>
          {texts.loginFor}
          <select name="at">
            {addresses.length > 1 && <option value={ALL}>{texts.allAddresses(addresses.length)}</option>}
            {addresses.map((ip) => (
              <option key={ip} value={ip}>
                {ip}
              </option>
            ))}
          </select>
        </label>
        <label>
          {texts.user}
          <input name="user" {...plain} />
        </label>
        <label>
          {texts.loginPassword}
          <input name="password" {...plain} type="password" />
        </label>
        <RefusalNote refusal={refusal} />
        <FormButtons label={texts.tryLogin} isDisabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** What came of it at each address. */
function LoginProof({ batchId }: { batchId: string }) {
  const { ref } = useFarm();
  const texts = useTexts();
  const path = farmPath(ref, `task-batches/${batchId}/tasks?page_size=1`);
  const { answer, refusal } = useAsked<Answer<readonly Task[]>>(path, EVERY_MS);
  const task = answer?.data[0];
  return (
    <div class="login-proof" role="status">
      <RefusalNote refusal={refusal} />
      <p>
        {texts.task.names['agent.login.update']}: {texts.task.status[task?.status ?? 'pending']}
      </p>
      <ul>
        {task !== undefined &&
          loginsOf(task.evidence).map(({ ip, shown, advice }) => (
            <li key={ip}>
              {ip}: <strong>{texts.setAct.loginAt[shown]}</strong>
              {advice !== undefined && ` – ${advice}`}
            </li>
          ))}
      </ul>
      {task !== undefined && loginsOf(task.evidence).length === 0 && task.message !== null && (
        <p class="note">{task.message}</p>
      )}
    </div>
  );
}

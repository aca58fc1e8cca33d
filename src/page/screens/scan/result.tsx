// One scan while it runs and after: every address of the ranges with what was found there, and the account that adds
// up.
import type { ComponentChildren } from 'preact';
import { useRoute } from 'preact-iso/router';
import type { z } from 'zod';
import type { ContactStatus } from '../../../model/contact.ts';
import type { scannedSchema, taskV2Schema } from '../../../wire/api/tasks.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import { accountOf, progressOf } from './account.ts';
import { EnterLogin } from './enter-login.tsx';

type Task = z.infer<typeof taskV2Schema>;
type Scanned = z.infer<typeof scannedSchema>;
const EVERY_MS = 2_000;
/** What stands at an address where something answers; silent and closed ones are only counted. */
const SHOWN = [
  'login_refused',
  'likely',
  'missing',
  'unknown',
  'identified',
] as const satisfies readonly ContactStatus[];
const MOST = 500;

export function ScanResult() {
  const { params } = useRoute();
  const { ref } = useFarm();
  const texts = useTexts();
  const path = farmPath(ref, `task-batches/${params.id}/tasks?page_size=100`);
  const { answer, refusal } = useAsked<Answer<readonly Task[]>>(path, EVERY_MS);
  if (answer === undefined) return refusal === undefined ? <Loading /> : <RefusalNote refusal={refusal} />;
  return (
    <section>
      <h1>{texts.scan.title}</h1>
      {answer.data.map((task) => (
        <OneScan key={task.id} task={task} />
      ))}
    </section>
  );
}

function OneScan({ task }: { task: Task }) {
  const { format } = useApp();
  const texts = useTexts();
  const { value: show } = format;
  const progress = progressOf(task.evidence);
  const account = accountOf(task.evidence);
  const isOver = task.status !== 'pending' && task.status !== 'running';
  return (
    <>
      <p class="big" role="status">
        {isOver ? texts.scan.done : texts.scan.running} · {texts.task.status[task.status]}
      </p>
      {!isOver && progress !== undefined && (
        <p>
          <progress max={progress.total} value={progress.probed} />{' '}
          {texts.scan.progress(show.number(progress.probed), show.number(progress.total))} ·{' '}
          {show.number(progress.found)} {texts.scan.status.identified}
        </p>
      )}
      {task.message !== null && <p class="note">{task.message}</p>}
      {account !== undefined && (
        <>
          <dl class="facts">
            {account.classes.map(({ status, count }) => (
              <div class="fact" key={status}>
                <dt>{texts.scan.status[status]}</dt>
                <dd>{show.number(count)}</dd>
              </div>
            ))}
          </dl>
          <p class="note">{texts.scan.sum(texts.scan.addresses(show.number(account.addresses)))}</p>
          {account.notes.map((note) => (
            <p key={note} class="note">
              {note}
            </p>
          ))}
        </>
      )}
      {SHOWN.map((status) => (
        <Addresses key={status} taskId={task.id} agentId={task.agent_id} status={status} isOver={isOver} />
      ))}
    </>
  );
}

type AddressesProps = {
  readonly taskId: string;
  readonly agentId: string | null;
  readonly status: (typeof SHOWN)[number];
  readonly isOver: boolean;
};

function Addresses({ taskId, agentId, status, isOver }: AddressesProps) {
  const { ref, farm, may } = useFarm();
  const texts = useTexts();
  const path = farmPath(ref, `scans/${taskId}/addresses?status=${status}&page_size=${MOST}`);
  const { answer } = useAsked<Answer<readonly Scanned[]>>(path, isOver ? EVERY_MS * 5 : EVERY_MS);
  const found = answer?.data ?? [];
  if (found.length === 0) return null;
  const total = answer?.pagination?.total ?? found.length;
  return (
    <details open={status !== 'identified'}>
      <summary>
        {texts.scan.status[status]} ({total})
      </summary>
      {status === 'login_refused' && isOver && agentId !== null && may('tasks.password') && (
        <EnterLogin agentId={agentId} addresses={found.map(({ ip }) => ip)} />
      )}
      <ul class="work">
        {found.map(({ ip, model, driver, advice, miner_id, is_new }) => (
          <li key={ip} class={`line line-${status}`}>
            <Linked href={miner_id === null ? undefined : `/f/${farm.id}/miners/${miner_id}`}>
              <strong>{ip}</strong>
              <span class="line-count">{is_new ? texts.scan.isNew : ''}</span>
              <span class="line-place">{model ?? driver}</span>
              {advice !== null && <span class="line-message">{advice}</span>}
            </Linked>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Linked({ href, children }: { href: string | undefined; children: ComponentChildren }) {
  return href === undefined ? <div class="line-plain">{children}</div> : <a href={href}>{children}</a>;
}

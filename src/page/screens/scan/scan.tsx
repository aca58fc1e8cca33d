// Scans: the ranges to be scanned, and the last ones with what they came to.
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { newIdempotencyKey } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { type Refusal, useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import type { Created } from '../act/use-send.ts';
import { BatchLine } from '../tasks/batch-line.tsx';
import type { Batch } from '../tasks/use-batches.ts';

const EVERY_MS = 4_000;

export function Scans() {
  const { may } = useFarm();
  const texts = useTexts();
  return (
    <section>
      <h1>{texts.scan.title}</h1>
      {may('tasks.scan') && <NewScan />}
      {may('tasks.read') && <LastScans />}
    </section>
  );
}

function NewScan() {
  const { ask } = useApp();
  const { ref, agents, farm } = useFarm();
  const texts = useTexts();
  const { route } = useLocation();
  const written = useSignal('');
  const refusal = useSignal<Refusal | undefined>(undefined);
  const isBusy = useSignal(false);
  const online = agents.list.value.filter(({ status }) => status === 'online').map(({ id }) => id);
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    const ranges = written.value.split(/[\s,]+/).filter((range) => range !== '');
    const body = {
      task_name: 'agent.scan.create',
      agent_ids: online,
      ...(ranges.length > 0 && { params: { ranges } }),
    };
    const path = farmPath(ref, 'task-batches');
    const outcome = await ask<Created>({ method: 'POST', path, body, idempotencyKey: newIdempotencyKey() });
    isBusy.value = false;
    refusal.value = outcome.kind === 'ok' ? undefined : outcome;
    const batch = outcome.kind === 'ok' ? outcome.answer.data[0] : undefined;
    if (batch !== undefined) route(`/f/${farm.id}/scan/${batch.id}`);
  };
  return (
    <form onSubmit={start}>
      <label>
        {texts.scan.ranges}
        <input
          value={written.value}
          placeholder={texts.scan.hint}
          autocomplete="off"
          spellcheck={false}
          inputMode="text"
          onInput={({ currentTarget: { value } }) => (written.value = value)}
        />
      </label>
      {agents.answeredMs.value === undefined ? (
        <Loading />
      ) : (
        online.length === 0 && <p class="note note-bad">{texts.scan.noAgent}</p>
      )}
      <RefusalNote refusal={refusal.value} />
      <button type="submit" class="act act-main" disabled={isBusy.value || online.length === 0}>
        {texts.scan.start}
      </button>
    </form>
  );
}

function LastScans() {
  const { ref } = useFarm();
  const texts = useTexts();
  const body = { page_size: 10, task_name: { eq: 'agent.scan.create' } };
  const { answer, refusal } = useAsked<Answer<readonly Batch[]>>(farmPath(ref, 'task-batches/search'), EVERY_MS, body);
  return (
    <>
      <h2>{texts.scan.last}</h2>
      <RefusalNote refusal={refusal} />
      {answer === undefined && refusal === undefined && <Loading />}
      {answer?.data.length === 0 && <p class="note">{texts.scan.none}</p>}
      <ul class="work">
        {answer?.data.map((batch) => (
          <BatchLine key={batch.id} batch={batch} />
        ))}
      </ul>
    </>
  );
}

// The newest task batches of the farm.
import { useTexts } from '../../app-state.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import { BatchLine } from './batch-line.tsx';
import { useBatches } from './use-batches.ts';

const MOST = 100;

export function Tasks() {
  const texts = useTexts();
  const batches = useBatches([], MOST);
  const { answer, refusal } = batches;
  return (
    <section>
      <h1>{texts.task.title}</h1>
      <RefusalNote refusal={refusal} />
      {answer === undefined && refusal === undefined && <Loading />}
      {answer?.data.length === 0 && <p class="note">{texts.task.none}</p>}
      <ul class="work">
        {answer?.data.map((batch) => (
          <BatchLine key={batch.id} batch={batch} />
        ))}
      </ul>
    </section>
  );
}

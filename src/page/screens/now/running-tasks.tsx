// The task batches of a farm that are not over.
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { BatchLine } from '../tasks/batch-line.tsx';
import { useBatches } from '../tasks/use-batches.ts';

export function RunningTasks() {
  const texts = useTexts();
  const { may } = useFarm();
  if (!may('tasks.read')) return null;
  return <Running title={texts.now.running} />;
}

function Running({ title }: { title: string }) {
  const batches = useBatches(['pending', 'running'], 20);
  const running = batches.answer?.data ?? [];
  if (running.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="work">
        {running.map((batch) => (
          <BatchLine key={batch.id} batch={batch} />
        ))}
      </ul>
    </section>
  );
}

// One task batch in a list: what, how many, by whom, how far. What is proven counts as done, and nothing else.
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Age } from '../../parts/bits.tsx';
import type { Texts } from '../../text/texts.ts';
import { isHeld } from './second-person.tsx';
import type { Batch } from './use-batches.ts';

type TaskNames = Texts['task']['names'];
const isNamed = (name: string, names: TaskNames): name is keyof TaskNames => Object.hasOwn(names, name);
export const taskText = (name: string, { task: { names } }: Texts): string =>
  isNamed(name, names) ? names[name] : name;

export function BatchLine({ batch }: { batch: Batch }) {
  const { farm } = useFarm();
  const texts = useTexts();
  const { id, task_name, task_count, succeed_count, unsuccessful_count, status, created_by, created_at } = batch;
  const what = taskText(task_name, texts);
  const isScan = task_name === 'agent.scan.create';
  return (
    <li class={`line line-${status}`}>
      <a href={`/f/${farm.id}/${isScan ? 'scan' : 'tasks'}/${id}`}>
        <strong>{isScan ? what : texts.task.batch(what, task_count)}</strong>
        <span class="line-count">{isHeld(batch) ? texts.task.waitsForSecond : texts.task.status[status]}</span>
        <span class="line-place">{texts.task.by(created_by.name)}</span>
        <span class="line-age">
          <Age atMs={Date.parse(created_at)} />
        </span>
        {!isScan && (
          <span class="line-message">
            {texts.task.summary(
              succeed_count,
              Math.max(0, task_count - succeed_count - unsuccessful_count),
              0,
              unsuccessful_count,
            )}
          </span>
        )}
      </a>
    </li>
  );
}

// Notes that people have written about a miner, and a new one.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Age } from '../../parts/bits.tsx';
import { WaitingLines } from '../../parts/field/waiting-list.tsx';
import type { MinerDetail } from './detail.ts';

type NotesProps = {
  readonly row: BoardMiner;
  readonly notes: MinerDetail['notes'];
  readonly onAdded: () => void;
};

/** A note is written beside the miner, where there may be no network: it waits for it. */
export function Notes({ row, notes, onAdded }: NotesProps) {
  const { may, waiting } = useFarm();
  const texts = useTexts();
  const written = useSignal('');
  const isFull = useSignal(false);
  const own = waiting.list.value.filter(({ minerId, what }) => minerId === row.id && what.kind === 'note');
  const taken = waiting.takenCount.value;
  useEffect(() => {
    if (taken > 0) onAdded();
  }, [taken]);
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    isFull.value = !waiting.add(row.id, row.ip, { kind: 'note', text: written.value });
    if (!isFull.value) written.value = '';
  };
  return (
    <section>
      <h2>{texts.miner.sections.notes}</h2>
      <ul class="events">
        {notes.map((note) => (
          <li key={note.id}>
            <Age atMs={Date.parse(note.at)} /> {note.actor.name}: {note.text}
          </li>
        ))}
      </ul>
      {may('miners.update') && (
        <form onSubmit={add} class="inline">
          <label>
            {texts.miner.noteLabel}
            <input
              value={written.value}
              maxLength={2_000}
              required
              onInput={({ currentTarget: { value } }) => (written.value = value)}
            />
          </label>
          <button type="submit" class="act">
            {texts.miner.addNote}
          </button>
        </form>
      )}
      <WaitingLines list={own} />
      {isFull.value && (
        <p class="note note-bad" role="alert">
          {texts.offline.full}
        </p>
      )}
    </section>
  );
}

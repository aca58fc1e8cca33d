// Events that a webhook was given up for, newest first, and sending them once more.
import { useSignal } from '@preact/signals';
import type { DeadLetterItem } from '../../../wire/api/webhooks.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { Loading, ReadAge, RefusalNote } from '../../parts/bits.tsx';
import { Dialog } from '../../parts/dialog.tsx';

const EVERY_MS = 10_000;
const SHOWN = 20;

type DeadLettersProps = {
  readonly name: string;
  readonly path: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
};

export function DeadLetters({ name, path, onChanged, onClose }: DeadLettersProps) {
  const { webhooks: texts, common } = useTexts();
  const { answer, atMs, refusal, again } = useAsked<Answer<readonly DeadLetterItem[]>>(
    `${path}/dead-letters?page_size=${SHOWN}`,
    EVERY_MS,
  );
  const command = useCommand();
  const resent = useSignal<number | undefined>(undefined);
  const resend = async () => {
    const done = await command.run<{ readonly resend_count: number }>({
      method: 'POST',
      path: `${path}/dead-letters/resend`,
    });
    resent.value = done?.resend_count;
    if (done === undefined) return;
    again();
    onChanged();
  };
  const letters = answer?.data ?? [];
  const total = answer?.pagination?.total ?? letters.length;
  return (
    <Dialog title={texts.lettersOf(name)} onClose={onClose}>
      <RefusalNote refusal={refusal ?? command.refusal} />
      {answer === undefined && refusal === undefined && <Loading />}
      {answer !== undefined && (
        <p class="note">{total === 0 ? texts.noLetters : texts.lettersAll(letters.length, total)}</p>
      )}
      <ul class="events">
        {letters.map((letter) => (
          <Letter key={`${letter.farm_id} ${letter.id}`} letter={letter} />
        ))}
      </ul>
      <ReadAge atMs={atMs} />
      {resent.value !== undefined && (
        <p class="note note-good" role="status">
          {texts.resent(resent.value)}
        </p>
      )}
      <div class="actions">
        {total > 0 && (
          <button type="button" class="act act-main" disabled={command.isBusy} onClick={() => void resend()}>
            {texts.resend}
          </button>
        )}
        <button type="button" class="act" onClick={onClose}>
          {common.close}
        </button>
      </div>
    </Dialog>
  );
}

function Letter({ letter: { type, at, attempts, reason, is_to_be_sent } }: { letter: DeadLetterItem }) {
  const { format, nowMs } = useApp();
  const { webhooks: texts } = useTexts();
  return (
    <li>
      <time dateTime={at}>{format.value.moment(Date.parse(at), nowMs.value)}</time> <code>{type}</code>:{' '}
      {is_to_be_sent ? texts.toBeSent : `${reason}, ${texts.attempts(attempts)}`}
    </li>
  );
}

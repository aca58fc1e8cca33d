// Which span of time is shown: since the shift began, some hours, or a moment. It stands in the address, so that a link
// shows the same to others; when the shift begins is kept on this device.
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { useApp, useTexts } from '../../app-state.ts';
import { beginOf, fieldOf, momentOf, readSince, type Since, writeSince } from './since.ts';

const HOURS = [8, 12, 24] as const;
const KEPT_AS = 'shift';
const USUAL_SHIFT = '07:00';

export function SinceChoice({ since }: { since: Since }) {
  const { kept, nowMs } = useApp();
  const texts = useTexts();
  const { path, route } = useLocation();
  const shift = useSignal(kept.read(KEPT_AS) ?? USUAL_SHIFT);
  const field = useSignal(fieldOf(beginOf(since, nowMs.peek())));
  const chosen = writeSince(since);
  const linkTo = (value: string) => `${path}?since=${encodeURIComponent(value)}`;
  const choices = [
    [shift.value, texts.changes.shift(shift.value)] as const,
    ...HOURS.map((hours) => [`${hours}h`, texts.changes.hours(hours)] as const),
  ];
  return (
    <div class="no-print">
      <nav class="actions" aria-label={texts.changes.sinceWhen}>
        {choices.map(([value, text]) => (
          <a key={value} class="act" href={linkTo(value)} aria-current={value === chosen ? 'true' : undefined}>
            {text}
          </a>
        ))}
        <button type="button" class="act act-main" onClick={() => window.print()}>
          {texts.changes.print}
        </button>
      </nav>
      <details class="fold">
        <summary>{texts.changes.otherTime}</summary>
        <form
          class="inline narrow"
          onSubmit={(event) => {
            event.preventDefault();
            const moment = momentOf(field.value);
            if (moment !== undefined) route(linkTo(writeSince(moment)));
          }}
        >
          <label>
            {texts.changes.from}
            <input
              type="datetime-local"
              required
              value={field.value}
              onInput={({ currentTarget }) => (field.value = currentTarget.value)}
            />
          </label>
          <button type="submit" class="act">
            {texts.changes.show}
          </button>
        </form>
        <label class="narrow">
          {texts.changes.shiftBegins}
          <input
            type="time"
            required
            value={shift.value}
            onInput={({ currentTarget: { value } }) => {
              if (readSince(value).kind !== 'clock') return;
              shift.value = value;
              kept.write(KEPT_AS, value);
            }}
          />
        </label>
      </details>
    </div>
  );
}

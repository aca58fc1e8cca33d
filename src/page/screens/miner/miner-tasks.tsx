// What happened to one miner: its newest events, with the persons who acted.
import type { z } from 'zod';
import type { eventSchema } from '../../../wire/api/tenants.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Age } from '../../parts/bits.tsx';

type Event = z.infer<typeof eventSchema>;
const EVERY_MS = 15_000;
const MOST = 15;

export function MinerTasks({ id }: { id: string }) {
  const { ref, may } = useFarm();
  const texts = useTexts();
  const path = may('events.read')
    ? farmPath(ref, `events?miner_id=${encodeURIComponent(id)}&page_size=${MOST}`)
    : undefined;
  const { answer } = useAsked<Answer<readonly Event[]>>(path, EVERY_MS);
  const events = answer?.data ?? [];
  if (events.length === 0) return null;
  return (
    <section>
      <h2>{texts.miner.sections.events}</h2>
      <ul class="events">
        {events.map((event) => (
          <li key={event.id}>
            <Age atMs={Date.parse(event.at)} /> {wordsOf(event)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What it says for itself, else its type. */
function wordsOf({ type, detail }: Event): string {
  const { flag, message, name, status, actor, text } = detail;
  const parts = [type.replaceAll('_', ' '), name, status, nameOf(actor), messageOf(flag) ?? message ?? text];
  return parts.filter((part) => typeof part === 'string').join(' · ');
}

const nameOf = (actor: unknown): unknown =>
  typeof actor === 'object' && actor !== null && 'name' in actor ? actor.name : undefined;
const messageOf = (flag: unknown): unknown =>
  typeof flag === 'object' && flag !== null && 'message' in flag ? flag.message : undefined;

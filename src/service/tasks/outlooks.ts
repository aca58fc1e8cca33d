// Asks agents what tasks would come to. The connection of an agent may be on another copy of the service: then question
// and answer go through the database, and the copies tell each other their id.
import { v4 as newUuid } from 'uuid';
import type { Clock } from '../../base/clock.ts';
import type { Notice } from '../../wire/frames.ts';
import type { OutlookAnswer, OutlookQuestion } from '../../wire/outlook.ts';
import type { QuestionStore } from '../store/store.ts';

/** A person waits for it. */
const ANSWER_MS = 3_000;
/** Questions without an answer yet, here; to more, there is none. */
const MOST_OPEN = 64;

type Open = { readonly agentId: string; readonly answered: (answer: OutlookAnswer | undefined) => void };

/** What an agent is asked: one name and the same params for all. */
export type Asked = Omit<OutlookQuestion, 'type' | 'question_id'>;

export type Outlooks = ReturnType<typeof createOutlooks>;

export function createOutlooks(parts: {
  readonly questions: QuestionStore;
  /** Other copies may serve the same database. */
  readonly hasCopies: boolean;
  /** False when the agent is not connected here, or does not take questions. */
  readonly send: (agentId: string, notice: Notice) => boolean;
  /** To all copies, this one too. */
  readonly announceQuestion: (id: string) => void;
  readonly announceAnswer: (id: string) => void;
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
}) {
  const { questions, send, clock } = parts;
  /** Asked here. */
  const open = new Map<string, Open>();
  /** Asked on another copy, and sent to an agent that is connected here. */
  const passedOn = new Map<string, string>();

  const passOn = async (agentId: string, question: OutlookQuestion, answer: Promise<OutlookAnswer | undefined>) => {
    const { question_id: id } = question;
    try {
      await questions.ask(agentId, question, clock.nowMs());
      parts.announceQuestion(id);
      return await answer;
    } finally {
      await questions.remove(id);
    }
  };

  return {
    /**
     * Undefined when the agent is not connected, does not take questions, or has not answered within three seconds. It
     * begins nothing.
     */
    async ask(agentId: string, asked: Asked): Promise<OutlookAnswer | undefined> {
      if (open.size >= MOST_OPEN) return undefined;
      const id = newUuid();
      const question: OutlookQuestion = { type: 'outlook', question_id: id, ...asked };
      const { promise, resolve } = Promise.withResolvers<OutlookAnswer | undefined>();
      open.set(id, { agentId, answered: resolve });
      const cancel = clock.after(ANSWER_MS, () => resolve(undefined));
      try {
        if (send(agentId, question)) return await promise;
        return parts.hasCopies ? await passOn(agentId, question, promise) : undefined;
      } finally {
        cancel();
        open.delete(id);
      }
    },
    /** An agent that is connected here has answered. What it was not asked is left aside. */
    async onAnswer(agentId: string, answer: OutlookAnswer): Promise<void> {
      const { question_id: id } = answer;
      const asked = open.get(id);
      if (asked?.agentId === agentId) return asked.answered(answer);
      if (passedOn.get(id) !== agentId) return;
      passedOn.delete(id);
      await questions.answer(answer);
      parts.announceAnswer(id);
    },
    /** Some copy has stored a question for an agent that is not connected there. */
    async onQuestion(id: string): Promise<void> {
      if (open.has(id) || passedOn.size >= MOST_OPEN) return;
      const found = await questions.find(id);
      if (found === undefined || !send(found.agentId, found.question)) return;
      passedOn.set(id, found.agentId);
      clock.after(ANSWER_MS, () => passedOn.delete(id), { unref: true });
    },
    /** Some copy has stored the answer. */
    async onStoredAnswer(id: string): Promise<void> {
      const asked = open.get(id);
      if (asked !== undefined) asked.answered(await questions.answerOf(id));
    },
  };
}

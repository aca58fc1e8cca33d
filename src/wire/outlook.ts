// What a batch would come to if it were created: the question to an agent, and its answer. Only the agent knows at
// which pace it works, what its miners draw, and what it would refuse.
import { z } from 'zod';

const key = z.uuid();

/** Most miners in one question: as many as a batch may have. */
export const MAX_ASKED = 10_000;
/** Most reasons in one answer: with the longest texts and the most miners it still fits a frame. */
export const MAX_REASONS = 1_000;
export const MAX_REASON_LENGTH = 256;
/** What an agent says in its hello when it answers this. */
export const TAKES_OUTLOOK = 'outlook';

/**
 * Service → agent, a notice: the task of this name with these params for these miners. `canary` = how many would go
 * first. It begins nothing. Sent only to an agent whose hello takes it.
 */
export const outlookQuestionSchema = z.object({
  type: z.literal('outlook'),
  question_id: key,
  name: z.string().min(1).max(128),
  params: z.record(z.string(), z.unknown()),
  miner_keys: z.array(key).max(MAX_ASKED),
  canary: z.int().min(1).max(100_000).optional(),
});
export type OutlookQuestion = z.infer<typeof outlookQuestionSchema>;

const outlookFields = {
  /** How many tasks the agent carries out at a time. */
  at_once: z.int().min(0),
  /** What all that would get the task draw together at full load, watts; null = that of one of them is not known. */
  draw_w: z.number().min(0).nullable(),
  /** Until the last one is over, if all succeed, behind what waits already, seconds; null = not known. */
  eta_s: z.number().min(0).nullable(),
  /** Too few such tasks have ended at the agent: the time is what is usual. */
  is_eta_guessed: z.boolean(),
  /** Whom the agent would refuse the task, and why. */
  left_out: z
    .array(z.object({ reason: z.string().min(1).max(MAX_REASON_LENGTH), miner_keys: z.array(key).max(MAX_ASKED) }))
    .max(MAX_REASONS),
};

/** Agent → service. A question may stay without an answer: the agent leaves aside what comes too often. */
export const outlookAnswerSchema = z.object({ type: z.literal('outlook'), question_id: key, ...outlookFields });
export type OutlookAnswer = z.infer<typeof outlookAnswerSchema>;

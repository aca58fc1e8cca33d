// Questions to an agent whose connection is on another copy of the service, until they are answered or given up. A
// question may hold passwords of pools, as the params of tasks do: it is encrypted where there is a key.
import {
  type OutlookAnswer,
  type OutlookQuestion,
  outlookAnswerSchema,
  outlookQuestionSchema,
} from '../../../wire/outlook.ts';
import type { Databases } from '../databases.ts';
import type { Encryption } from '../encryption.ts';

export type QuestionStore = ReturnType<typeof createQuestionStore>;

export function createQuestionStore({ read, write }: Databases, { encrypt, decrypt }: Encryption) {
  return {
    async ask(agentId: string, question: OutlookQuestion, nowMs: number): Promise<void> {
      const text = encrypt(JSON.stringify(question));
      await write
        .insertInto('agent_questions')
        .values({ id: question.question_id, agent_id: agentId, question: text, answer: null, asked_at: nowMs })
        .execute();
    },
    /** Undefined where it is given up, or was encrypted with another key. */
    async find(id: string): Promise<{ readonly agentId: string; readonly question: OutlookQuestion } | undefined> {
      const row = await read
        .selectFrom('agent_questions')
        .select(['agent_id', 'question'])
        .where('id', '=', id)
        .executeTakeFirst();
      const text = row && decrypt(row.question);
      if (row === undefined || text === undefined) return undefined;
      return { agentId: row.agent_id, question: outlookQuestionSchema.parse(JSON.parse(text)) };
    },
    async answer(answer: OutlookAnswer): Promise<void> {
      await write
        .updateTable('agent_questions')
        .set({ answer: JSON.stringify(answer) })
        .where('id', '=', answer.question_id)
        .execute();
    },
    async answerOf(id: string): Promise<OutlookAnswer | undefined> {
      const row = await read.selectFrom('agent_questions').select('answer').where('id', '=', id).executeTakeFirst();
      return row?.answer == null ? undefined : outlookAnswerSchema.parse(JSON.parse(row.answer));
    },
    async remove(id: string): Promise<void> {
      await write.deleteFrom('agent_questions').where('id', '=', id).execute();
    },
  };
}

// What a dry run of a batch comes to, as its agents say: they are asked while the client waits, whom they would refuse
// is left out, and of one that does not answer nothing is claimed.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createdAnswerSchema } from '../../../src/wire/api/tasks.ts';
import type { OutlookAnswer, OutlookQuestion } from '../../../src/wire/outlook.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { type Rig, startOwnedRig } from './rig.ts';
import { fill, order, type Place } from './v2-batches.ts';
import { connect, type WireAgent } from './wire-agent.ts';

let rig: Rig;
let stop: () => Promise<void>;
let place: Place;
beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  place = await fill(rig, 4, ['miner.firmware.update', 'miner.system.reboot'], ['outlook']);
});
afterAll(() => stop());

const REBOOT = { task_name: 'miner.system.reboot', params: { force: true }, rollout: { canary: 2 } };
const NOT_KNOWN = { is_known: false, at_once: null, kw: null, eta_s: null, eta_is_guess: null };

const answerTo = ({ question_id }: Pick<OutlookQuestion, 'question_id'>, more: Partial<OutlookAnswer> = {}) => ({
  ...{ type: 'outlook' as const, question_id, at_once: 3, draw_w: 9_840, eta_s: 61.2, is_eta_guessed: false },
  ...{ left_out: [], ...more },
});
const questionsTo = (agent: WireAgent) => agent.frames.filter((frame) => frame.type === 'outlook');

/** A dry run for these miners; `answer` is sent for the question that comes, in the name of the agent. */
async function tried(ids: readonly string[], answer: (question: OutlookQuestion) => void, body: object = REBOOT) {
  const before = questionsTo(place.agent).length;
  const asking = order(rig, { ...body, miner_ids: ids, dry_run: true });
  const question = await place.agent.frame('outlook', (frame) => frame === questionsTo(place.agent)[before]);
  answer(question);
  const { meta, data } = createdAnswerSchema.parse((await asking).body);
  expect(data).toEqual([]);
  return { question, ...meta };
}

/** An agent with one miner. */
async function agentWith(n: number, takes: string[] = []) {
  const agent = await connect(rig, { takes });
  await agent.report([minerRecord(n, rig.clock.nowMs(), { abilities: ['miner.system.reboot'] })]);
  const rows = await query(rig, 'SELECT id FROM miners WHERE agent_id = ?', agent.identity.agentId);
  return { agent, id: String(rows[0]?.id) };
}

it('asks the agent, and answers what it says', async () => {
  const { question, summary, outlooks } = await tried(place.ids, (asked) => place.agent.send(answerTo(asked)));
  expect(question).toEqual({
    ...{ type: 'outlook', question_id: expect.any(String), name: 'miner.system.reboot' },
    ...{ params: { force: true }, miner_keys: place.keys, canary: 2 },
  });
  expect(outlooks).toEqual([
    {
      ...{ agent_id: place.agent.identity.agentId, task_count: 4, is_known: true },
      ...{ at_once: 3, kw: 9.8, eta_s: 62, eta_is_guess: false },
    },
  ]);
  expect(summary).toEqual({ created_count: 4, skipped_count: 0 });
});

it('leaves out whom the agent would refuse, with its reason; what it was not asked about does not count', async () => {
  const [first = '', second = '', third = ''] = place.keys;
  const left_out = [
    { reason: 'the image is\u0007for another model', miner_keys: [second, third, randomUUID()] },
    { reason: 'too hot', miner_keys: [third, first] },
    { reason: 'no miner of ours', miner_keys: [randomUUID()] },
  ];
  const body = { task_name: 'miner.firmware.update', params: { file: 'image.tar' } };
  const more = { left_out, draw_w: null, eta_s: null };
  const answer = await tried(place.ids, (asked) => place.agent.send(answerTo(asked, more)), body);
  const [one, two, three, four] = place.ids;
  expect(answer.skipped).toEqual([
    {
      ...{ reason: 'refused_by_agent', message: 'the image is for another model', agent_ids: [] },
      miner_ids: [two, three],
    },
    { reason: 'refused_by_agent', message: 'too hot', miner_ids: [one], agent_ids: [] },
  ]);
  expect(answer.targets?.map(({ reason }) => reason)).toEqual([...Array(3).fill('refused_by_agent'), null]);
  expect(answer.targets?.at(-1)?.miner_id).toBe(four);
  expect(answer.summary).toEqual({ created_count: 1, skipped_count: 3 });
  expect(answer.outlooks).toMatchObject([{ task_count: 1, is_known: true, kw: null, eta_s: null }]);
});

it('claims nothing of agents that are away, cannot answer, or answer what they were not asked', async () => {
  const stranger = await agentWith(100);
  const away = await agentWith(101, ['outlook']);
  await away.agent.close();
  const ids = [...place.ids, stranger.id, away.id];
  const { outlooks } = await tried(ids, (asked) => {
    place.agent.send(answerTo({ question_id: randomUUID() }));
    // The answer of another agent than the one that was asked.
    stranger.agent.send(answerTo(asked));
  });
  expect(outlooks).toEqual([
    { agent_id: place.agent.identity.agentId, task_count: 4, ...NOT_KNOWN },
    { agent_id: stranger.agent.identity.agentId, task_count: 1, ...NOT_KNOWN },
    { agent_id: away.agent.identity.agentId, task_count: 1, ...NOT_KNOWN },
  ]);
  expect(questionsTo(stranger.agent)).toEqual([]);
  // Its answer comes too late for the first dry run, and is none to the next.
  const next = await tried(place.ids, (asked) => place.agent.send(answerTo(asked, { at_once: 7 })));
  expect(next.outlooks).toMatchObject([{ at_once: 7 }]);
});

// Logs of tasks as files of a zip.
import { expect, it } from 'vitest';
import { logFiles } from '../../../src/page/screens/tasks/log-files.ts';
import { boardMiner } from '../model/board/board-miners.ts';

const MINERS = new Map(
  [
    boardMiner(1, { container: 'hall 2', rack: 'C03', ip: '10.31.3.1' }),
    boardMiner(2, { ip: '10.31.3.2' }),
    boardMiner(3, { container: '..', rack: '../../etc', ip: '10.31.3.3' }),
  ].map((miner) => [miner.id, miner]),
);
const [one = '', two = '', three = ''] = MINERS.keys();
const filesOf = (...tasks: Parameters<typeof logFiles>[0]) => logFiles(tasks, (id) => MINERS.get(id));

it('lie in folders of racks, and the text is that of the task', () => {
  expect(
    filesOf({ miner_id: one, evidence: { text: 'line 1' } }, { miner_id: two, evidence: { text: 'line 2' } }),
  ).toEqual([
    { name: 'hall_2/C03/10.31.3.1.log', text: 'line 1' },
    { name: '10.31.3.2.log', text: 'line 2' },
  ]);
});

it('are none where there is no text', () => {
  expect(filesOf({ miner_id: one, evidence: {} }, { miner_id: null, evidence: { text: 'x' } })).toEqual([]);
});

it('lie in no folder outside, whatever a rack is called', () => {
  expect(filesOf({ miner_id: three, evidence: { text: 'x' } })).toEqual([
    { name: '__/___.._etc/10.31.3.3.log', text: 'x' },
  ]);
});

it('have names of their own, also of one miner, and of one that is gone', () => {
  const task = { miner_id: two, evidence: { text: 'x' } };
  expect(filesOf(task, task, { ...task, miner_id: 'gone' }).map(({ name }) => name)).toEqual([
    ...['10.31.3.2.log', '10.31.3.2-2.log', 'gone.log'],
  ]);
});

// Records of an agent that is not itself any more: text that people would not see, or see in another order, does not
// get into the store.
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readBody } from '../../../../src/service/ingest/decode.ts';
import { minerRecord } from '../../service-http/records.ts';

const HEADER = { epoch: 'e', seq: 1, produced_at: '2026-01-01T00:00:00Z' };
const NOW_MS = Date.parse('2026-01-01T00:00:00Z');

const read = async (records: readonly unknown[], isEscaped = false) => {
  const json = JSON.stringify({ v: 1, records });
  const text = isEscaped
    ? json.replaceAll(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
  return (await readBody(HEADER, zstdCompressSync(Buffer.from(text)))).records;
};

test.each([false, true])('unseen text of a miner becomes blanks (written with escapes: %s)', async (isEscaped) => {
  const record = minerRecord(1, NOW_MS);
  const model = 'S19\u202eorP\u200b \n矿机';
  const [kept] = await read([{ ...record, document: { ...record.document, model, hostname: null } }], isEscaped);
  expect(kept).toMatchObject({ kind: 'miner', document: { model: 'S19 orP   矿机' } });
});

test('lines of a log stay lines, without what is not seen', async () => {
  const task = {
    kind: 'task',
    task_id: '0190a3a0-0000-7000-8000-000000000001',
    status: 'succeeded',
    at: '2026-01-01T00:00:00Z',
    message: 'well\u200b done',
    evidence: { log: 'one\n\ttwo\u2028\u001b[31m' },
  };
  const [kept] = await read([task]);
  expect(kept).toMatchObject({ message: 'well  done', evidence: { log: 'one\n\ttwo  [31m' } });
});

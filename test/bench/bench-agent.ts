// An agent without miners for benches: it sends the records that it is given over a real uplink, one slice at a time.
import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { serviceFrameSchema } from '../../src/wire/frames.ts';
import { CHALLENGE_HEADER, ENROL_PATH, PROTOCOL_VERSION, UPLINK_PATH } from '../../src/wire/protocol.ts';
import type { MinerRecord } from '../../src/wire/records.ts';
import { newIdentityKey } from '../support/identity-key.ts';
import { helloOf, slice } from '../unit/service-http/wire-agent.ts';
import type { BenchService } from './farm-process.ts';

export type BenchAgent = { report(records: readonly MinerRecord[]): Promise<void>; close(): void };

/** Enrols with the code and connects. `report` resolves when the service has stored the records. */
export async function connect({ url, code }: Pick<BenchService, 'url' | 'code'>): Promise<BenchAgent> {
  const key = newIdentityKey();
  const { body } = await request(url + ENROL_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      code,
      name: 'bench',
      version: '1',
      protocol: PROTOCOL_VERSION,
      identity_key: key.publicKey,
    }),
  });
  const { agent_id, token } = z.object({ agent_id: z.string(), token: z.string() }).parse(await body.json());
  const socket = new WebSocket(url.replace('http', 'ws') + UPLINK_PATH, {
    headers: { authorization: `Bearer ${agent_id}.${token}` },
    perMessageDeflate: false,
  });
  let answered = (_type: string) => {};
  const answer = (wanted: 'welcome' | 'ack') =>
    new Promise<void>((resolve) => {
      answered = (type) => {
        if (type === wanted) resolve();
      };
    });
  socket.on('message', (data) => answered(serviceFrameSchema.parse(JSON.parse(String(data))).type));
  let challenge = '';
  socket.on('upgrade', ({ headers }) => {
    challenge = String(headers[CHALLENGE_HEADER]);
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const welcome = answer('welcome');
  const identity = { agentId: agent_id, token };
  const hello = helloOf({ identity, epoch: randomUUID(), challenge }, key.prove);
  const { epoch } = hello;
  socket.send(JSON.stringify(hello));
  await welcome;
  let seq = 0;
  return {
    async report(records) {
      const ack = answer('ack');
      socket.send(slice(epoch, ++seq, records));
      await ack;
    },
    close: () => socket.close(),
  };
}

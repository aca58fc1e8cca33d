// Uplinks of tests: what a test does not name is as an agent has it, with nothing to deliver and no task queue.
import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import type { SliceSource } from '../../../../src/agent/outbox/outgoing.ts';
import type { MessageGuard } from '../../../../src/agent/uplink/signatures/message-guard.ts';
import { createUplink, type Uplink } from '../../../../src/agent/uplink/uplink.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { Secret } from '../../../../src/base/secrets.ts';
import { type Notice, parseJson, type TaskCommand } from '../../../../src/wire/frames.ts';
import { signedNoticeSchema, signedTaskSchema } from '../../../../src/wire/signed-messages.ts';
import { emptyOutlook } from '../../../support/empty-outlook.ts';
import { newIdentityKey } from '../../../support/identity-key.ts';

export const { prove } = newIdentityKey();

/** Takes everything that has the form of a signed message, whatever the signature. */
const trustingGuard: Pick<MessageGuard, 'begin'> = {
  begin: () => ({
    nonce: 'A'.repeat(22),
    taskSeq: 0,
    onWelcome() {},
    async check() {},
    admit: (frames) => frames.flatMap(({ text }) => signedTaskSchema.safeParse(parseJson(text)).data?.task ?? []),
    hear: ({ text }) => signedNoticeSchema.safeParse(parseJson(text)).data?.notice,
    leaveAside() {},
  }),
};

/** A message in the form of a signed one, with a signature that is none. */
export function inForm(message: TaskCommand | Notice) {
  const isTask = message.type === 'task';
  const content = isTask ? { task: message } : { notice: message };
  const form = {
    agent_id: randomUUID(),
    nonce: 'A'.repeat(22),
    welcomed_at: new Date().toISOString(),
    seq: 1,
    ...content,
  };
  const signature = Buffer.alloc(64).toString('base64');
  return { type: isTask ? 'signed-task' : 'signed-notice', text: JSON.stringify(form), signature };
}

export function uplinkTo(url: string, more: Partial<Parameters<typeof createUplink>[0]> = {}): Uplink {
  return createUplink({
    name: 'farm',
    url,
    credentials: { agentId: randomUUID(), token: new Secret('token'), prove },
    version: '1.2.3',
    source: idleSource(randomUUID()),
    instanceId: randomUUID(),
    messageGuard: trustingGuard,
    onOpsStatus: () => {},
    tasks: { onTasks: () => {}, onCancel: () => {}, outlook: emptyOutlook },
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    ...more,
  });
}

const NO_RECORDS = zstdCompressSync(JSON.stringify({ v: 1, records: [] }));

export function idleSource(epoch: string): SliceSource {
  const position = { epoch, outbox: epoch, firstSeq: 1, ackedSeq: 0, nextSeq: 1 };
  return {
    epochs: async () => [position],
    async split() {},
    read: async () => [],
    async acknowledge() {},
    async renewEpoch() {},
    whyUnkept: () => undefined,
    live: async () => ({
      header: { live: true, produced_at: new Date(0).toISOString(), order: 1, through: 1 },
      ...{ body: NO_RECORDS, count: 0, last: 0 },
    }),
    backlog: () => 0,
    onMore: () => () => {},
  };
}

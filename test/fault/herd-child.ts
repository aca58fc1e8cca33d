// Uplinks of many agents in a process of their own. It reads `{url, identities}` as the first line of its
// standard input and says `ready`. To each line after that it answers with what the uplinks did since the last one:
// `[ms since the epoch, number of the agent, phase]`, and with the reasons for which connections ended.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Log } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import { uplinkTo } from '../unit/agent/uplink/uplink-to.ts';
import { prove } from '../unit/service-http/wire-agent.ts';

const orderSchema = z.object({
  url: z.string(),
  identities: z.array(z.object({ agentId: z.string(), token: z.string() })),
  /** Absent = as an agent has it. */
});

const say = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`);
const lines = createInterface({ input: process.stdin });
const { url, identities } = orderSchema.parse(JSON.parse(String((await once(lines, 'line'))[0])));
let phases: (readonly [number, number, string])[] = [];
let reasons: string[] = [];
const ignore = () => {};
const log: Log = {
  debug: ignore,
  info: ignore,
  error: ignore,
  warn: ({ reason }) => {
    if (typeof reason === 'string') reasons.push(reason);
  },
};
for (const [index, { agentId, token }] of identities.entries()) {
  uplinkTo(url, {
    credentials: { agentId, token: new Secret(token), prove },
    allowPlain: true,
    onState: ({ phase }) => phases.push([Date.now(), index, phase]),
    log,
  }).start();
}
lines.on('line', () => {
  say({ phases, reasons });
  [phases, reasons] = [[], []];
});
say('ready');

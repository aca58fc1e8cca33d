// A tenant that asks for a large list as fast as it can, with a filter that nobody has used before, over several
// connections. Says once that it has begun; ends on SIGTERM. It reads the answers and keeps nothing of them.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';

const [url = '', key = '', connections = '1'] = process.argv.slice(2);
/** Where the service says when to come back: sooner, so that it is loaded all the time. */
const MOST_WAIT_MS = 100;
const dispatcher = new Agent({ connections: Number(connections), bodyTimeout: 0, headersTimeout: 0 });
const counts = new Map<number, number>();

async function askOn(): Promise<void> {
  for (;;) {
    const { statusCode, body } = await request(`${url}&mining_modes_not_in=${randomUUID()}`, {
      headers: { 'x-api-key': key, 'accept-encoding': 'identity' },
      dispatcher,
    });
    await body.dump({ limit: 1e9 });
    counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1);
    if (statusCode !== 200) await new Promise((resolve) => setTimeout(resolve, MOST_WAIT_MS));
  }
}

process.once('SIGTERM', () => {
  process.stderr.write(`    answers to the large lists: ${JSON.stringify(Object.fromEntries(counts))}\n`);
  process.exit(0);
});
for (let i = 0; i < Number(connections); i++) void askOn();
process.stdout.write('begun\n');

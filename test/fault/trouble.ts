// Loaded into the program before it starts (`node --import`): at SIGUSR2 the trouble comes that the environment names,
// `loop` (it is blocked for ever), `poller` (its timers are lost) or `outbox` (what it compresses never comes back).
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';

let lost: string | undefined;
const wait = globalThis.setTimeout;

Reflect.set(globalThis, 'setTimeout', (run: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]) => {
  const isPoller = new Error('where').stack?.includes('/poll/poller.ts') ?? false;
  return wait(() => {
    if (lost !== 'poller' || !isPoller) run(...args);
  }, delayMs);
});

const { zstdCompress } = zlib;
Reflect.set(zlib, 'zstdCompress', (...args: Parameters<typeof zstdCompress>) => {
  if (lost !== 'outbox') zstdCompress(...args);
});
syncBuiltinESMExports();

process.on('SIGUSR2', () => {
  lost = process.env.PITHEAD_TROUBLE;
  if (lost === 'loop') for (;;);
});

// Loaded into the program before it starts (`node --import`): at SIGUSR2 the trouble comes that the environment names, `loop` (it is blocked for ever) or
// `poller` (its timers are lost).
let isLost = false;
const wait = globalThis.setTimeout;

Reflect.set(globalThis, 'setTimeout', (run: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]) => {
  const isPoller = new Error('where').stack?.includes('/poll/poller.ts') ?? false;
  return wait(() => {
    if (!isLost || !isPoller) run(...args);
  }, delayMs);
});

process.on('SIGUSR2', () => {
  if (process.env.PITHEAD_TROUBLE === 'poller') isLost = true;
  else for (;;);
});

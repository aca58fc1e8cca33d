// A service manager in a process of its own that does for one service what systemd does for the unit: watchdog from
// READY=1 on, an abort when it is not fed or a restart is asked for, a kill when that does not end it, a new start
// after a pause. What happens it says on its output, one JSON line each. Arguments: watchdog and pause in ms, the file
// that notifications come through, the command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';

const [watchdog = '', restart = '', told = '', ...command] = process.argv.slice(2);
const watchdogMs = Number(watchdog);
const restartMs = Number(restart);
/** Of the unit: how long an abort may take. */
const ABORT_MS = 20_000;
const LOOK_MS = 50;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (what: string, more: object = {}) =>
  process.stdout.write(`${JSON.stringify({ what, atMs: Date.now(), ...more })}\n`);

let isStopping = false;
while (!isStopping) {
  writeFileSync(told, '');
  const child = spawn('sh', ['-c', 'ulimit -c 0; exec "$@"', 'sh', ...command], {
    env: { ...process.env, NOTIFY_SOCKET: told, WATCHDOG_USEC: String(watchdogMs * 1_000) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  say('started', { pid: child.pid });
  const stop = () => {
    isStopping = true;
    child.kill('SIGTERM');
  };
  process.on('SIGTERM', stop);
  const ended = once(child, 'exit');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  let heard = 0;
  let fedMs: number | undefined;
  while (!isOver()) {
    await pause(LOOK_MS);
    const lines = readFileSync(told, 'utf8').split('\n').slice(0, -1);
    const news = lines.slice(heard);
    heard = lines.length;
    if (news.includes('READY=1')) say('ready');
    if (news.includes('READY=1') || (fedMs !== undefined && news.includes('WATCHDOG=1'))) fedMs = performance.now();
    const isTold = news.includes('WATCHDOG=trigger');
    if (isStopping || isOver() || fedMs === undefined) continue;
    if (!isTold && performance.now() - fedMs <= watchdogMs) continue;
    say('watchdog', { reason: isTold ? 'told' : 'not fed' });
    child.kill('SIGABRT');
    await Promise.race([ended, pause(ABORT_MS)]);
    child.kill('SIGKILL');
    await ended;
  }
  await ended;
  process.off('SIGTERM', stop);
  say('ended', { code: child.exitCode, signal: child.signalCode });
  if (!isStopping) await pause(restartMs);
}

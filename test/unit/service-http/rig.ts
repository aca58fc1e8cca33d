// A real service on a free port with a real database, and clients for both of its sides. Its clocks can be moved.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { type Log, type LogFields, silentLog } from '../../../src/base/log.ts';
import { createService, type Service, type ServiceOptions } from '../../../src/service/service.ts';
import { newDatabase } from '../../support/database.ts';

export type Rig = {
  readonly service: Service;
  readonly url: string;
  /** Plain HTTP, for this host alone. */
  readonly localUrl: string;
  readonly databasePath: string;
  readonly workspaceId: string;
  readonly farmId: string;
  readonly key: string;
  readonly clock: SteppedClock;
  /** GET with the rig's key. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Path below the farm of the rig. */
  farm(path: string): string;
};

/** `body` is whatever came: tests say what they expect of it. */
export type Answer = {
  readonly status: number;
  readonly body: ReturnType<typeof JSON.parse>;
  readonly headers: Headers;
};

export type SteppedClock = Clock & {
  /**
   * So much time passes, on the clock of the wall and on the one that is never set; back again where it is negative.
   */
  step(ms: number): void;
  /** Sets the clock of the wall alone, as NTP or an operator does. */
  set(ms: number): void;
  /** How much time has passed by `step`. */
  passedMs(): number;
};

/** What the service does every so often it does this much more often, so that tests need not wait for it. */
const FASTER = 20;

export function steppedClock(): SteppedClock {
  let passedMs = 0;
  let setMs = 0;
  return {
    ...systemClock,
    sleep: (delayMs, signal) => systemClock.sleep(delayMs / FASTER, signal),
    nowMs: () => systemClock.nowMs() + passedMs + setMs,
    elapsedMs: () => systemClock.elapsedMs() + passedMs,
    step: (ms) => {
      passedMs += ms;
    },
    set: (ms) => {
      setMs += ms;
    },
    passedMs: () => passedMs,
  };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-service-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function recordingLog(): Log & { readonly lines: { level: string; message: string; fields: LogFields }[] } {
  const lines: { level: string; message: string; fields: LogFields }[] = [];
  const at = (level: string) => (fields: LogFields, message: string) => void lines.push({ level, message, fields });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A rig that ends with the test. */
export async function startRig(options: Partial<ServiceOptions> = {}): Promise<Rig> {
  const { rig, stop } = await startOwnedRig(options);
  onTestFinished(stop);
  return rig;
}

/** A rig that the caller ends, for use by many tests. */
export async function startOwnedRig(
  options: Partial<ServiceOptions> = {},
): Promise<{ rig: Rig; stop: () => Promise<void> }> {
  const clock = steppedClock();
  const database = options.databasePath === undefined ? await newDatabase({ isReady: true }) : undefined;
  const databasePath = options.databasePath ?? database?.target ?? '';
  const service = await createService({
    databasePath,
    isShared: true,
    host: '127.0.0.1',
    port: 0,
    clock,
    log: silentLog,
    version: '0.0.0-test',
    // Time that passes by `step` passes for a database server too, and the host has been up for a while.
    databaseClock: (nowMs) => nowMs + clock.passedMs(),
    hostUptimeMs: () => 86_400_000,
    ...options,
  });
  const { url, localUrl } = await service.start();
  const { workspaceId, farmId } = await service.admin.ensureDefaults();
  const { key } = await service.admin.createKey({ workspaceId, name: 'test', role: 'admin' });
  const rig: Rig = {
    service,
    url,
    localUrl,
    databasePath,
    workspaceId,
    farmId,
    key,
    clock,
    farm: (path) => `/private-api/v1/${workspaceId}/farms/${farmId}${path}`,
    get: (path, headers = { 'x-api-key': key }) => call(url + path, { headers }),
    post: (path, body, headers = { 'x-api-key': key }) =>
      call(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  };
  const stop = async () => {
    await service.stop();
    await database?.drop();
  };
  return { rig, stop };
}

export async function call(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body = text === '' ? undefined : isJson ? JSON.parse(text) : text;
  return { status: response.status, body, headers: response.headers };
}

// Recordings of devices through the running agent. The device is not polled meanwhile, and each question takes the
// device mutex by itself, so that a command waits for one question and not for the recording.
import { CancelledError, RefusedError } from '../../base/errors.ts';
import type { DeviceMutex } from '../../transport/limits/device-mutex.ts';
import type { DeviceSettings, TrustSources } from '../device/device-client.ts';
import { type Capture, type CaptureRequest, captureOnce } from './recording/record.ts';

export type Captures = ReturnType<typeof createCaptures>;

/** Most recordings take seconds. */
const LIMIT_MS = 5 * 60_000;
/** A slow reader at the control socket may leave this much unread. */
const MAX_CHARS = 12 * 1024 * 1024;

export function createCaptures(config: DeviceSettings, deviceMutex: Pick<DeviceMutex, 'run'>, trust: TrustSources) {
  const underWay = new Set<string>();
  return {
    /** Undefined when nothing answers. Throws RefusedError when the recording takes too long or becomes too large. */
    async capture(
      request: CaptureRequest,
      onAsked: (done: number, total: number, note: string) => void,
      signal: AbortSignal,
    ): Promise<Capture | undefined> {
      const { ip } = request;
      if (underWay.has(ip)) throw new RefusedError('capture.under-way', `capture ${ip}: it is being captured already`);
      const late = AbortSignal.timeout(LIMIT_MS);
      const until = AbortSignal.any([signal, late]);
      underWay.add(ip);
      try {
        const found = await captureOnce(
          { ...request, config, trust, alone: (question) => deviceMutex.run(ip, 'command', until, question) },
          onAsked,
          until,
        );
        const chars = [...(found?.files.values() ?? [])].reduce((sum, text) => sum + text.length, 0);
        if (chars > MAX_CHARS)
          throw new RefusedError(
            'capture.too-large',
            `capture ${ip}: it says too much; stop the agent, then capture it`,
          );
        return found;
      } catch (error) {
        if (error instanceof CancelledError && late.aborted && !signal.aborted)
          throw new RefusedError(
            'capture.too-long',
            `capture ${ip}: it was not done within ${LIMIT_MS / 60_000} minutes`,
          );
        throw error;
      } finally {
        underWay.delete(ip);
      }
    },
    /** This address is being recorded: a poll must wait, or it would be in the recording. */
    isAt: (ip: string): boolean => underWay.has(ip),
  };
}

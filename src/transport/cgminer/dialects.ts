// Which form of the CGMiner API each device answers. Forgotten after an hour, and when a connection fails: the device
// may have restarted with another program. A device that hangs keeps its form.
import { LruMap } from 'toad-cache';
import type { Clock } from '../../base/clock.ts';
import type { Endpoint } from '../tcp/exchange.ts';

/** `mute-to-json` = bare text only, and JSON costs the whole time limit; `neither` = it answered nothing to both. */
type Dialect = 'json' | 'bare' | 'mute-to-json' | 'neither';

const REMEMBERED_MS = 3_600_000;

export class Dialects {
  readonly #known: LruMap<{ readonly dialect: Dialect; readonly sinceMs: number }>;
  readonly #clock: Clock;

  constructor(clock: Clock, maxDevices: number) {
    this.#clock = clock;
    this.#known = new LruMap(maxDevices);
  }

  of(to: Endpoint): Dialect | undefined {
    const known = this.#known.get(keyOf(to));
    return known !== undefined && this.#clock.monotonicMs() - known.sinceMs < REMEMBERED_MS ? known.dialect : undefined;
  }

  isBare(to: Endpoint): boolean {
    const known = this.of(to);
    return known === 'bare' || known === 'mute-to-json';
  }

  note(to: Endpoint, dialect: Dialect): void {
    if (this.of(to) !== dialect || dialect === 'mute-to-json')
      this.#known.set(keyOf(to), { dialect, sinceMs: this.#clock.monotonicMs() });
  }

  forget(to: Endpoint): void {
    this.#known.delete(keyOf(to));
  }
}

const keyOf = ({ ip, port }: Endpoint) => `${ip}:${port}`;

// A list that stays on the screen: what is drawn when, how it ends, and that the screen is afterwards as it was.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { BugError, PeerError } from '../../../../src/base/errors.ts';
import { type Watched, watch } from '../../../../src/cli/fleet/list/watch.ts';
import { collector } from '../command-line.ts';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';

class Keyboard extends EventEmitter {
  readonly isTTY = true;
  readonly calls: string[] = [];
  setRawMode(isRaw: boolean) {
    this.calls.push(`raw ${isRaw}`);
    return this;
  }
  resume() {
    return this;
  }
  pause() {
    this.calls.push('pause');
    return this;
  }
}

/** Draws what each reading gives, one a second; `q` is pressed when there is no more. */
async function shown(frames: readonly (string | Error)[], key = 'q') {
  const { stream, text } = collector();
  const keyboard = new Keyboard();
  const left = [...frames];
  let body = '';
  const watched: Watched = {
    async read() {
      const next = left.shift();
      if (next === undefined) keyboard.emit('data', Buffer.from(key));
      else if (next instanceof Error) throw next;
      else body = next;
    },
    draw: () => ({ head: 'head', body }),
  };
  const clock = { nowMs: () => 0, sleep: async () => {} };
  const stdout = Object.assign(stream, { columns: 80, rows: 24 });
  const ended = await watch(watched, { stdout, signal: new AbortController().signal }, keyboard, clock).then(
    () => 'ended',
    (error: unknown) => error,
  );
  return { ended, text: text(), keyboard, frames: text().split('\u001b[H').slice(1) };
}

test.each(['q', 'Q', '\u0003'])(
  'ends at the key %j, and leaves the screen and the keyboard as they were',
  async (key) => {
    const { ended, text, keyboard } = await shown(['one'], key);
    expect(ended).toBe('ended');
    expect(text.startsWith(ENTER)).toBe(true);
    expect(text.endsWith(LEAVE)).toBe(true);
    expect(keyboard.calls).toEqual(['raw true', 'raw false', 'pause']);
    expect(keyboard.listenerCount('data')).toBe(0);
  },
);

test('draws only what differs from what is on the screen', async () => {
  const { frames } = await shown(['one', 'one', 'two', 'two']);
  expect(frames).toHaveLength(2);
  expect(frames[1]).toContain('two');
});

test('says that it is not live while nothing answers, keeps the last rows, and goes on', async () => {
  const away = new PeerError('peer.unreachable', 'ask the service', 'soon');
  const { frames, ended } = await shown(['one', away, away, 'two']);
  expect(ended).toBe('ended');
  expect(frames[1]).toMatch(/^head {2}NOT LIVE since .*: ask the service.*one/s);
  expect(frames[2]).not.toContain('NOT LIVE');
  expect(frames).toHaveLength(3);
});

test('any other error ends it, with the screen as it was', async () => {
  const bug = new BugError('read');
  const { ended, text } = await shown(['one', bug]);
  expect(ended).toBe(bug);
  expect(text.endsWith(LEAVE)).toBe(true);
});

test('where nothing answers at the beginning the screen is not touched', async () => {
  const away = new PeerError('peer.unreachable', 'ask the service', 'soon');
  expect(await shown([away])).toMatchObject({ ended: away, text: '' });
});

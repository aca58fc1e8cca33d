// Whether a page that is open is still the one that the service sends.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBuild, filesOf, isOther } from '../../../src/page/live/build.ts';

const html = (script: string, style = 'page.S1.css') =>
  `<link rel="icon" href="/page/icon.svg"><link rel="stylesheet" href="/page/${style}">
   <link rel="modulepreload" href="/page/part.P1.js"><script type="module" src="/page/${script}"></script>`;
const OWN = filesOf(html('page.A1.js'));

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the files of a page are its scripts and styles', () => {
  expect(OWN).toEqual(['/page/page.S1.css', '/page/part.P1.js', '/page/page.A1.js']);
});

test.each([
  ['the same', html('page.A1.js'), false],
  ['another script', html('page.B2.js'), true],
  ['another style', html('page.A1.js', 'page.S2.css'), true],
  ['no page of ours', '<h1>Bad gateway</h1>', undefined],
])('%s', (_name, served, other) => {
  expect(isOther(OWN, filesOf(served))).toBe(other);
});

test('it is asked again until it is known, and once it is replaced no more', async () => {
  const answers = [new Error('away'), new Response('', { status: 503 }), html('page.B2.js')];
  let asked = 0;
  vi.stubGlobal('fetch', async () => {
    const answer = answers[asked];
    asked += 1;
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer : new Response(answer);
  });
  const build = createBuild(OWN);
  await build.check();
  expect(build.isReplaced.value).toBe(false);
  await vi.advanceTimersByTimeAsync(30_000);
  await vi.advanceTimersByTimeAsync(30_000);
  expect([build.isReplaced.value, asked]).toEqual([true, 3]);
  await build.check();
  expect(asked).toBe(3);
});

test('checks at the same time ask once', async () => {
  let asked = 0;
  vi.stubGlobal('fetch', async () => {
    asked += 1;
    return new Response(html('page.A1.js'));
  });
  const build = createBuild(OWN);
  await Promise.all([build.check(), build.check(), build.check()]);
  expect([build.isReplaced.value, asked]).toEqual([false, 1]);
});

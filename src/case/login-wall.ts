// Whether the device of a capture stands behind a login, by what it answered. Pure, and a hint for a person: it decides
// nothing.
import type { Exchange } from './format.ts';

/** `page` = a login page of its own, or a page that says nothing of what it is asked for. */
export const LOGIN_WALLS = ['digest', 'basic', 'page'] as const;
export type LoginWall = (typeof LOGIN_WALLS)[number];

/** So many different requests with one and the same page show no page of the device. */
const EQUAL_PAGES = 3;

/** Undefined = it answers without one as far as it was asked, or has taken the one that was sent. */
export function loginWallOf(
  responses: readonly Exchange[],
  textOf: (file: string) => string | undefined,
): LoginWall | undefined {
  const pages = responses.filter(({ transport }) => transport === 'http');
  const isInside = pages.some(({ auth, failure }) => auth !== undefined && auth !== 'login' && failure === undefined);
  if (isInside) return undefined;
  const refused = pages.filter(({ status, failure }) => status === 401 || failure === 'peer.auth');
  const challenges = refused.map(({ headers }) => headers?.['www-authenticate'] ?? '');
  if (challenges.some((challenge) => /^digest/i.test(challenge))) return 'digest';
  if (challenges.some((challenge) => /^basic/i.test(challenge))) return 'basic';
  if (refused.length > 0) return 'page';
  const answered = pages.filter(({ status = 0 }) => status >= 200 && status < 300);
  const isForm = answered.some(({ file }) => /<input[^>]{1,500}type=["']?password/i.test(textOf(file) ?? ''));
  const paths = Map.groupBy(answered, ({ file }) => file);
  const isOnePage = [...paths.values()].some((same) => new Set(same.map(({ path }) => path)).size >= EQUAL_PAGES);
  return isForm || isOnePage ? 'page' : undefined;
}

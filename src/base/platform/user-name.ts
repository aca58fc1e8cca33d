// The user of the operating system that this process runs as, by name.
import { userInfo } from 'node:os';

/** '?' where it has none, as in some containers. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '?';
  }
}

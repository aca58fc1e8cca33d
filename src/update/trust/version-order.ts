// Which of two versions is newer, by semantic versioning. A version of ours has no build metadata and no leading `v`.
import { compare, valid } from 'semver';

/** Also safe as the name of a folder. */
export const isVersion = (text: string): boolean => text.length <= 64 && valid(text) === text;

/** Negative when `a` is older than `b`. Both must be versions. */
export const compareVersions = (a: string, b: string): number => compare(a, b);

// What is kept of a password, step by step: asked for, proven, refused, and which login is tried first.
import { expect, test } from 'vitest';
import {
  changeBegun,
  changeProven,
  changeRefused,
  type KeptPassword,
  loginsOf,
} from '../../../../../src/agent/device/passwords/kept-password.ts';

const factory = { user: 'root', password: 'root' };
const begun = changeBegun(undefined, factory, 'first');
const proven = changeProven(begun);

test('a first change keeps what configuration or factory said, and the new one beside it', () => {
  expect(begun).toEqual({ user: 'root', current: 'root', isSet: false, next: 'first' });
  expect(loginsOf(begun, factory).map(({ role, password }) => [role, password])).toEqual([['next', 'first']]);
  // The configuration says something else meanwhile.
  const edited = { user: 'root', password: 'edited' };
  expect(loginsOf(begun, edited).map(({ password }) => password)).toEqual(['first', 'root']);
  expect(loginsOf(begun, undefined).map(({ password }) => password)).toEqual(['first', 'root']);
});

test('a login with the new one settles it', () => {
  expect(proven).toEqual({ user: 'root', current: 'first', isSet: true, next: null });
  expect(loginsOf(proven, factory).map(({ role, password }) => [role, password])).toEqual([['current', 'first']]);
  expect(changeProven(proven)).toBe(proven);
});

test('a change that the device refuses leaves what was before it', () => {
  expect(changeRefused(begun)).toBeUndefined();
  const second = changeBegun(proven, { user: 'root', password: 'first' }, 'second');
  expect(second).toEqual({ user: 'root', current: 'first', isSet: true, next: 'second' });
  expect(changeRefused(second)).toEqual(proven);
});

test('a change over one that was not taken begins from the login that is in force', () => {
  const other = changeBegun(begun, factory, 'other');
  expect(other).toEqual({ user: 'root', current: 'root', isSet: false, next: 'other' });
  // The login of the configuration was accepted where ours was refused.
  const owner = changeBegun(proven, { user: 'root', password: 'by hand' }, 'other');
  expect(owner satisfies KeptPassword).toEqual({ user: 'root', current: 'by hand', isSet: false, next: 'other' });
});

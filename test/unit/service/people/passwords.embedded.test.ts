// Hashes of passwords, and the line of those that wait to be hashed.
import { expect, test } from 'vitest';
import {
  createHashLine,
  HASH_OF_NONE,
  HASHING,
  hashPassword,
  isPasswordOf,
} from '../../../../src/service/people/passwords.ts';

test('a hash is argon2id, with its parameters, and differs each time', async () => {
  const hash = await hashPassword('a long night');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await hashPassword('a long night')).not.toBe(hash);
  expect(await isPasswordOf('a long night', hash)).toBe(true);
  expect(await isPasswordOf('a long nighT', hash)).toBe(false);
  // The same letters, composed in another way.
  expect(await isPasswordOf('nuit prolongée', await hashPassword('nuit prolonge\u0301e'))).toBe(true);
});

test('the parameters of a stored hash count, up to a bound; what is no hash fits nothing', async () => {
  // By the reference implementation: argon2id, m=256, t=2, p=1, `password` with the salt `somesalt`.
  const reference = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  expect(await isPasswordOf('password', reference)).toBe(true);
  expect(await isPasswordOf('differentpassword', reference)).toBe(false);
  for (const text of ['', 'x', reference.replace('m=256', 'm=9999999'), reference.replace('argon2id', 'argon2i')])
    expect(await isPasswordOf('password', text)).toBe(false);
  expect(await isPasswordOf('', HASH_OF_NONE)).toBe(false);
});

test('two are hashed at once, and an address has no more than its part of the line', async () => {
  const line = createHashLine();
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const work = () => {
    most = Math.max(most, ++running);
    return new Promise<void>((resolve) => ends.push(resolve)).finally(() => running--);
  };
  const all: Promise<void>[] = [];
  const add = (address: string) => {
    if (!line.hasRoom(address)) return false;
    all.push(line.run(address, work));
    return true;
  };
  expect(Array.from({ length: 9 }, () => add('one')).filter(Boolean)).toHaveLength(HASHING.ofAddress);
  expect(add('another')).toBe(true);
  for (let n = 0; n < 2 * HASHING.waiting; n++) add(`address ${n}`);
  expect(all.length).toBeLessThanOrEqual(HASHING.atOnce + HASHING.waiting);
  for (let done = 0; done < all.length; done++) {
    await expect.poll(() => ends.length).toBeGreaterThan(0);
    ends.shift()?.();
  }
  await Promise.all(all);
  expect(most).toBe(HASHING.atOnce);
  expect(add('one')).toBe(true);
  ends.shift()?.();
});

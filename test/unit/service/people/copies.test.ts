// People on two copies of the service with one database: a code is good once, a session is known to both and ends on
// both, and the last admin stays whichever copy is asked.
import { expect, test } from 'vitest';
import { temporaryDatabase } from '../../../support/database.ts';
import { addPerson, claimAdmin, createBrowser, PASSWORD, peoplePath, SESSION } from '../../service-http/browser.ts';
import { startRig } from '../../service-http/rig.ts';

async function startCopies() {
  const databasePath = await temporaryDatabase();
  const first = await startRig({ databasePath });
  return [first, await startRig({ databasePath })] as const;
}

test('a code that two copies are given fifty times is good once', async () => {
  const [one, two] = await startCopies();
  const { code } = await one.service.admin.people.claim(one.workspaceId);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      createBrowser(n % 2 === 0 ? one : two).claim(code, { name: `Admin ${n}`, password: PASSWORD }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  // Those for which there was no room to hash, or no connection in time, were told to try again.
  expect(statuses.filter((status) => ![200, 401, 429, 503].includes(status))).toEqual([]);
  expect(await one.service.admin.people.list()).toHaveLength(1);
});

test('a session is good on each copy, and ends on each', async () => {
  const [one, two] = await startCopies();
  const here = await claimAdmin(one);
  const there = createBrowser(two);
  there.setCookie(here.cookie());
  expect((await there.get(SESSION)).body.data.person.name).toBe('Ada');
  await here.delete(SESSION);
  expect((await there.get(SESSION)).status).toBe(401);
});

test('two admins that remove each other on two copies at the same time leave one', async () => {
  const [one, two] = await startCopies();
  const ada = await claimAdmin(one);
  const bob = await addPerson(two, 'Bob', { role: 'admin' });
  const { id } = (await ada.get(SESSION)).body.data.person;
  const both = await Promise.all([ada.delete(peoplePath(one, `/${bob.id}`)), bob.delete(peoplePath(two, `/${id}`))]);
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
});

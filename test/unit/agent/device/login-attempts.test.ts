// Which requests count as a try of the login, and that a refused one is not tried again.
import { expect, test } from 'vitest';
import { newTrial, withTrial } from '../../../../src/agent/device/login-attempts.ts';
import { PeerError } from '../../../../src/base/errors.ts';
import type { MinerRequest } from '../../../../src/transport/request.ts';
import { fakeLink, refusalOf } from '../../drivers/fake-link.ts';

const WITHOUT: readonly MinerRequest[] = [
  { via: 'cgminer', command: 'version' },
  { via: 'whatsminer3', cmd: 'get.device.info' },
  { via: 'whatsminer3', cmd: 'get.log.download', download: 'archive' },
  { via: 'http', method: 'GET', path: '/', auth: 'none', as: 'text' },
];
const WITH: readonly MinerRequest[] = [
  { via: 'cgminer', command: 'setpool', carry: ({ user, password }) => `${user},${password}` },
  { via: 'whatsminer2-write', cmd: 'download_logs', params: {}, download: 'archive' },
  { via: 'whatsminer3-write', cmd: 'set.system.reboot' },
  { via: 'http', method: 'GET', path: '/', auth: 'digest', as: 'text' },
];

test.each(WITHOUT)('$via without a login says nothing of it, and is sent when it was refused', async (request) => {
  const trial = newTrial();
  const link = fakeLink(() => 'yes');
  await withTrial(link, trial).send(request);
  expect(trial.verdict).toBe('unproven');
  trial.verdict = 'refused';
  expect(await withTrial(link, trial).send(request)).toBe('yes');
});

test.each(WITH)('$via with a login is a try of it, once when it is refused', async (request) => {
  const accepted = newTrial();
  await withTrial(
    fakeLink(() => 'yes'),
    accepted,
  ).send(request);
  expect(accepted.verdict).toBe('accepted');

  const refused = newTrial();
  const link = fakeLink(() => {
    throw new PeerError('peer.auth', 'ask', 'never');
  });
  const held = withTrial(link, refused);
  expect([await refusalOf(held.send(request)), await refusalOf(held.send(request))]).toEqual([
    'peer.auth',
    'peer.auth',
  ]);
  expect(link.sent).toHaveLength(1);
});

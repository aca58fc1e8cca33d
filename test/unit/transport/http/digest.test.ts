import { describe, expect, test } from 'vitest';
import { Secret } from '../../../../src/base/secrets.ts';
import { digestAuthorization, parseDigestChallenge } from '../../../../src/transport/http/digest.ts';
import { cpuMsOf } from '../../../support/cpu-time.ts';

const RFC7616 =
  'realm="http-auth@example.org", qop="auth, auth-int", algorithm=ALGO, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
const challengeOf = (header: string | string[]) => {
  const challenge = parseDigestChallenge(header);
  if (!challenge) throw new Error('no challenge');
  return challenge;
};

describe('answers agree with the published examples', () => {
  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('RFC 7616 with %s', (algorithm, response) => {
    const header = digestAuthorization(
      {
        challenge: challengeOf(`Digest ${RFC7616.replace('ALGO', algorithm)}`),
        user: 'Mufasa',
        password: new Secret('Circle of Life'),
        count: 1,
      },
      'GET',
      '/dir/index.html',
      'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
    );
    expect(header).toContain(`response="${response}"`);
    expect(header).toContain(`algorithm=${algorithm}`);
    expect(header).toContain('qop=auth, nc=00000001,');
    expect(header).toContain('opaque="FQhe/');
  });
  test('RFC 2617, where the algorithm is not named', () => {
    const header = digestAuthorization(
      {
        challenge: challengeOf(
          'Digest realm="testrealm@host.com",qop="auth,auth-int",nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"',
        ),
        user: 'Mufasa',
        password: new Secret('Circle Of Life'),
        count: 1,
      },
      'GET',
      '/dir/index.html',
      '0a4f113b',
    );
    expect(header).toContain('response="6629fae49393a05397450978507c4ef1"');
    expect(header).not.toContain('algorithm');
  });
});

describe('challenges', () => {
  test('the stronger of two is taken, from one header or two', () => {
    const md5 = `Digest ${RFC7616.replace('ALGO', 'MD5')}`;
    const sha = `Digest ${RFC7616.replace('ALGO', 'SHA-256')}`;
    expect(challengeOf([md5, sha]).algorithm).toBe('SHA-256');
    expect(challengeOf(`${md5}, ${sha}`).algorithm).toBe('SHA-256');
  });
  test('a digest challenge behind a basic one is found', () => {
    expect(challengeOf('Basic realm="x", Digest realm="y", nonce="n"').realm).toBe('y');
  });
  test('stale is read in any case', () => {
    expect(challengeOf('Digest realm="r", nonce="n", stale=TRUE').isStale).toBe(true);
    expect(challengeOf('Digest realm="r", nonce="n", stale="false"').isStale).toBe(false);
  });
  test('a quote inside a quoted value is kept and quoted again', () => {
    const challenge = challengeOf('Digest realm="a \\"b\\" c", nonce="n"');
    expect(challenge.realm).toBe('a "b" c');
    const header = digestAuthorization(
      { challenge, user: 'u"x', password: new Secret('p'), count: 1 },
      'GET',
      '/',
      'c',
    );
    expect(header).toContain('realm="a \\"b\\" c"');
    expect(header).toContain('username="u\\"x"');
  });
  test.each([
    undefined,
    '',
    'Basic realm="x"',
    'Digest realm="x"',
    'Digest realm="x", nonce="n", algorithm=SHA-512-256',
    'Digest realm="x", nonce="n", algorithm=MD5-sess',
    'Digest realm="x", nonce="n", qop="auth-int"',
    'Digest realm="x", nonce="a\u0001b"',
    'Digest realm="x", nonce="a\u0100b"',
    'Digest nonce="never closed',
  ])('%j is none that we can answer', (header) => {
    expect(parseDigestChallenge(header)).toBeUndefined();
  });
  test('hostile headers cost little', () => {
    const costMs = cpuMsOf(() => {
      for (const unit of ['Digest ', 'Digest nonce="', ' ', ',', 'a=', 'a="\\', 'digest nonce=x,']) {
        parseDigestChallenge([unit.repeat(10_000), `Digest ${unit.repeat(10_000)}`]);
      }
    });
    expect(costMs).toBeLessThan(1_000);
  });
});

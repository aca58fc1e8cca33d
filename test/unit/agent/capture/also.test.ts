// What a person may name for a capture: requests that read, and none that says that it changes something.
import { expect, test } from 'vitest';
import { readAlso } from '../../../../src/agent/capture/recording/also.ts';

test.each([
  ['/api/status', { via: 'http', path: '/api/status' }],
  ['/cgi-bin/get_miner_conf.cgi?x=1', { path: '/cgi-bin/get_miner_conf.cgi?x=1' }],
  ['http:8080/api/v1/settings', { path: '/api/v1/settings', port: 8080 }],
  ['/', { path: '/' }],
  ['tcp:devs', { via: 'cgminer', command: 'devs' }],
  ['tcp:8359:devs', { command: 'devs', port: 8359 }],
  ['tcp:asc|0', { command: 'asc', parameter: '0' }],
])('%s', (text, ask) => {
  expect(readAlso([text])).toMatchObject([{ ask }]);
});

test.each([
  ...['/cgi-bin/reboot.cgi', '/api/system/restart', '/api/factoryReset', '/set_network_conf', '/api/setPools'],
  ...['/save?x=1', '/api/mining/disable', 'tcp:restart', 'tcp:quit', 'tcp:switchpool', 'tcp:addpool', 'tcp:ascset|0'],
])('%s may change the device', (text) => {
  expect(() => readAlso([text])).toThrow(
    expect.objectContaining({
      problems: [expect.objectContaining({ message: expect.stringContaining('may change') })],
    }),
  );
});

test.each(['status', 'tcp:', 'http:8080', 'https://10.0.0.1/x', '/with blank', 'udp:devs', ''])(
  "'%s' is no request",
  (text) => {
    expect(() => readAlso([text])).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ message: expect.stringContaining('tcp:devs') })],
      }),
    );
  },
);

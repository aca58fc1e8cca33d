// What is known of its recorded devices beyond the values of their index: order, sensors, units, faults.
import { expect, test } from 'vitest';
import { bytesOf, hasRecordings } from '../../test/contract/answers.ts';
import { whatsminer as driver } from './index.ts';

test.skipIf(!hasRecordings)('Whatsminer API 3: a text in place of the answer names no error', () => {
  const answer: unknown = JSON.parse(
    bytesOf('whatsminer-api3/error-code-shapes/v3.get_device_info_string.json').toString(),
  );
  const reading = driver.read({ info3: answer }, { generation: 'api3' }).reading;
  expect(reading.errors ?? []).toEqual([]);
});

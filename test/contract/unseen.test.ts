// Whatever a device writes into the texts of its answers, no driver hands on what cannot be seen.
import { expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { isVisible, visibleValue } from '../../src/model/plain-text.ts';
import { samplesOf } from './samples.ts';

const UNSEEN = '\u202e\u200b\u001b[31m\u2028\ue000\ufeff';
const MARKS = '\u0301'.repeat(40);

/** Numbers in quotes stay: the reading is made of them. */
const spoiled = (text: string) => (/^[\d.,:%\s-]*$/.test(text) ? text : `${text}${UNSEEN}x${MARKS}`);

function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  visibleValue(value, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

test.each(drivers.map((driver) => [driver.id, driver] as const))('%s', (_id, driver) => {
  const samples = samplesOf(driver);
  expect(samples.length).toBeGreaterThan(0);
  let spoiledTexts = 0;
  for (const { name, raw, known } of samples) {
    const replies = Object.fromEntries(
      Object.entries(raw).map(([ask, reply]) => [
        ask,
        typeof reply === 'string' ? spoiled(reply) : withSpoiledTexts(reply),
      ]),
    );
    const texts = textsIn(driver.read(replies, known).reading);
    spoiledTexts += texts.length;
    expect([name, texts.filter((text) => !isVisible(text))]).toEqual([name, []]);
  }
  expect(spoiledTexts).toBeGreaterThan(0);
});

/** Names of members stay as the device calls them. */
function withSpoiledTexts(value: unknown): unknown {
  if (typeof value === 'string') return spoiled(value);
  if (Array.isArray(value)) return value.map(withSpoiledTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withSpoiledTexts(entry)]));
}

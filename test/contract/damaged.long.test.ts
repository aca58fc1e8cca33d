// Every driver stands a thousand damaged answers.
import { describe } from 'vitest';
import { blueprint } from '../../drivers/_blueprint/index.ts';
import { drivers } from '../../drivers/index.ts';
import { standsDamage } from './damage.ts';

describe.each([...drivers, blueprint].map((driver) => [driver.id, driver] as const))('%s', (_, driver) =>
  standsDamage(driver, 1_000),
);

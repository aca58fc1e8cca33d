// The memory of the agent as it ships, at 1,000 miners, for ten minutes; the soak watches it for hours.
import { test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { reportResident } from './report-resident.ts';
import { isFull } from './table.ts';

const { network } = loopback(20);

test.runIf(isFull)(
  'the agent takes 150 MiB at 1,000 miners and does not grow, whatever the line to the service does',
  () => reportResident({ network, miners: 1_000, hours: 1 / 6, warmHours: 1 / 12, mostMb: 150 }),
  900_000,
);

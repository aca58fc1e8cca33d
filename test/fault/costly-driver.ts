// Loaded into the program before it starts (`node --import`): from SIGUSR2 on, the driver that the environment names
// takes seconds of the processor for each reading. It cannot be interrupted.
import { drivers } from '../../drivers/index.ts';
import { processorMs } from '../../src/driver/visit/costly.ts';

const driver = drivers.find(({ id }) => id === process.env.PITHEAD_COSTLY_DRIVER);
if (driver === undefined) throw new Error('no such driver');
const costMs = Number(process.env.PITHEAD_COST_MS);
const { read } = driver;
let isCostly = false;

Reflect.set(driver, 'read', (...args: Parameters<typeof read>) => {
  const endMs = processorMs() + (isCostly ? costMs : 0);
  while (processorMs() < endMs);
  return read(...args);
});
process.on('SIGUSR2', () => {
  isCostly = true;
});

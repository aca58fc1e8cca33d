// The contract that all drivers are held to, run on one that is being written.
import { drivers } from '../../../drivers/index.ts';
import { readCase, sampleOf } from '../../driver/check/cases/case-file.ts';
import { checkDriver } from '../../driver/check/check.ts';
import { Families } from '../../driver/family.ts';
import type { RunContract } from './check.ts';

export const runContract: RunContract = ({ driver, folder, cases }) =>
  checkDriver({
    driver,
    folder,
    families: new Families([...drivers.filter(({ id }) => id !== driver.id), driver]),
    samples: cases.map((each) => sampleOf(driver, readCase(each))),
    exceptions: {},
  });

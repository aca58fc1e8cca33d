// The drivers that are in use, with their families. They may change while an agent runs: readers ask each time.
import { Families } from '../family.ts';
import type { LoadedDriver } from './loaded-driver.ts';

export class DriverSet {
  #all: readonly LoadedDriver[] = [];
  #families = new Families([]);

  constructor(drivers: readonly LoadedDriver[]) {
    this.replace(drivers);
  }

  /** The order decides between drivers that are equally sure. */
  get all(): readonly LoadedDriver[] {
    return this.#all;
  }

  get families(): Families {
    return this.#families;
  }

  get(id: string | undefined): LoadedDriver | undefined {
    return this.#all.find((driver) => driver.id === id);
  }

  replace(drivers: readonly LoadedDriver[]): void {
    this.#all = drivers;
    this.#families = new Families(drivers);
  }
}

// The table of the types of events of `interface.md`, made from the table in the source.
import { EVENT_TYPES } from '../../src/model/events/event-types.data.ts';
import { table } from './table.ts';

export const eventsTable = (): string =>
  table(
    ['type', 'about', 'when'],
    Object.entries(EVENT_TYPES).map(([type, { about, when }]) => [`\`${type}\``, about, when]),
  );

// The types of events by name. What each means is in event-types.data.ts.
import { EVENT_TYPES, type EventType } from './event-types.data.ts';

export type { EventType };

const isEventType = (name: string): name is EventType => Object.hasOwn(EVENT_TYPES, name);

/** In the order of the table. */
export const EVENT_TYPE_NAMES: readonly EventType[] = Object.keys(EVENT_TYPES).filter(isEventType);

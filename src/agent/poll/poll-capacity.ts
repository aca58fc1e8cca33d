// Who may be visited at the same time: places for brisk visits, others for those that linger, and a share for miners that fail. Hung miners end
// up in places of their own, so that they cannot take those of healthy ones. It counts; it neither starts nor ends a visit.
import type { PollSettings } from './settings.ts';

type Place = { readonly startMs: number; readonly isSuspect: boolean };

export function createPlaces({ maxInFlight, maxLingering, lingerMs }: PollSettings) {
  /** In order of their start. */
  const brisk = new Set<Place>();
  const lingering = new Set<Place>();
  const maxSuspects = Math.ceil((maxInFlight + maxLingering) / 2);
  let suspects = 0;
  return {
    /** Moves visits that take long to the lingering places. Call it before asking for room. */
    setSlowOnesAside(nowMs: number): void {
      for (const place of brisk) {
        if (place.startMs + lingerMs > nowMs) return;
        brisk.delete(place);
        lingering.add(place);
      }
    },
    hasRoom: () => brisk.size < maxInFlight && lingering.size < maxLingering,
    hasRoomForSuspect: () => suspects < maxSuspects,
    take(startMs: number, isSuspect: boolean): Place {
      const place = { startMs, isSuspect };
      brisk.add(place);
      if (isSuspect) suspects++;
      return place;
    },
    leave(place: Place): void {
      brisk.delete(place);
      lingering.delete(place);
      if (place.isSuspect) suspects--;
    },
    /** When there may be room again although no visit ends; undefined when only the end of one helps. */
    nextRoomMs(): number | undefined {
      const oldest = brisk.values().next().value;
      return oldest === undefined || lingering.size >= maxLingering ? undefined : oldest.startMs + lingerMs;
    },
    counts: () => ({ inFlight: brisk.size + lingering.size, lingering: lingering.size }),
  };
}

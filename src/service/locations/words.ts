// Why miners cannot stand where they are to stand, in words for people: by address and location, never by id.
import { formatIpv4 } from '../../base/net/ipv4.ts';
import { shownLocation } from '../../model/locations/location.ts';
import type { EditProblem } from '../store/store.ts';

export function wordsOf(problem: EditProblem): string {
  switch (problem.reason) {
    case 'not-found':
      return 'there is no such miner in the farm';
    case 'no-rack':
      return 'a position needs a rack';
    case 'taken':
      return `${shownLocation(problem.location)} is held by ${formatIpv4(problem.by.ipNum)}`;
    case 'beyond':
      return `${shownLocation(problem.location)} does not exist: the rack ${problem.location.rack} has ${problem.capacity} slots`;
  }
}

// The names by which a person looks for miners, made ready before the first letter is written: those of ten thousand
// are more work than a letter may wait for.
import { useEffect } from 'preact/hooks';
import { type KnownNames, prepareNames } from '../model/list/find.ts';
import { after } from '../time.ts';
import { useFarm } from './farm-state.ts';

const AT_ONCE = 500;
/** The page does what else there is to do in between. */
const EVERY_MS = 20;

export function useNames(): KnownNames {
  const { names, miners } = useFarm();
  const count = miners.value.length;
  useEffect(() => {
    let place = 0;
    let cancel = () => {};
    const next = () => {
      place = prepareNames(names, miners.peek(), place, AT_ONCE);
      if (place < count) cancel = after(EVERY_MS, next);
    };
    next();
    return () => cancel();
  }, [names, count]);
  return names;
}

// Below a box in which a person looks for a miner. Before the miners have come it cannot be said that none fits.
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Loading } from '../bits.tsx';

export function NoneFound() {
  const { isKnown } = useFarm();
  const { find } = useTexts();
  return isKnown.value ? <p class="note">{find.none}</p> : <Loading />;
}

// The pictures of the handbook, which lie beside the scripts.
import act from '../../../../packaging/pictures/act.png';
import map from '../../../../packaging/pictures/map.png';
import miner from '../../../../packaging/pictures/miner.png';
import miners from '../../../../packaging/pictures/miners.png';
import now from '../../../../packaging/pictures/now.png';
import tasks from '../../../../packaging/pictures/tasks.png';

const FILES: Readonly<Record<string, string>> = {
  ...{ 'act.png': act, 'map.png': map, 'miner.png': miner },
  ...{ 'miners.png': miners, 'now.png': now, 'tasks.png': tasks },
};

/** Its address; undefined = there is no such picture. */
export function pictureOf(file: string): string | undefined {
  const name = FILES[file];
  return name === undefined ? undefined : new URL(name, import.meta.url).href;
}

// What BOSminer can be told on TCP: old versions take these words without login while their API is writable.
import * as kit from '../../../src/driver/kit/index.ts';

export const pause = (link: kit.MinerLink) => kit.command(link, 'put to sleep', kit.tcp('pause'));
export const wake = (link: kit.MinerLink) => kit.command(link, 'wake', kit.tcp('resume'));

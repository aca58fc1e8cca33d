// Of the codes on a sticker that one counts which names a miner of the farm.
import { expect, it } from 'vitest';
import { stickerText } from '../../../src/page/model/field/sticker.ts';
import { boardMiner } from '../model/board/board-miners.ts';

const miners = [
  boardMiner(1, { mac: '02:55:F7:00:00:05', serial: 'SMTTYRHBDJAAI0056' }),
  boardMiner(2, { mac: '02:55:F7:00:00:09', serial: 'SMTTYRHBDJAAI0057' }),
];

it.each([
  ['a MAC without colons', ['0255F7000009'], '0255F7000009'],
  ['a serial number', ['SMTTYRHBDJAAI0056'], 'SMTTYRHBDJAAI0056'],
  ['a serial number behind its name', ['SN:SMTTYRHBDJAAI0057'], 'SMTTYRHBDJAAI0057'],
  ['a MAC within a text', ['https://x.example/?p=S19;mac=02-55-f7-00-00-05'], '02-55-f7-00-00-05'],
  ['the one that is known, though another code comes first', ['S19jPro-104', '0255F7000005'], '0255F7000005'],
  ['no known one: the first, for a person to see', ['BHB42601-7', 'X99887'], 'BHB42601-7'],
  ['nothing but what is too short', ['12', ' '], undefined],
  ['no code', [], undefined],
])('%s', (_, codes, text) => {
  expect(stickerText(codes, miners)).toBe(text);
});

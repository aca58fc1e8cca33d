// A driver to copy. It is for a device that does not exist, is compiled and tested like the others, and is not in
// drivers/index.ts. drivers/README.md goes through it from the capture of a device to the merged driver.
import * as kit from '../../src/driver/kit/index.ts';
import { FAMILIES } from './family.data.ts';

export const blueprint = kit.defineDriver({
  id: 'blueprint',
  make: 'Example',
  families: FAMILIES,
  // What people look up. `evidence` says how sure we are: an answer of a real device, of our simulated one, or
  // documents only.
  covers: [{ models: 'Example One', firmware: '1.0 and newer', evidence: 'claimed' }],
  // `poll` = each poll, as few as possible; `slow` = pools, errors, light, mode; `static` = names. An answer counts as
  // understood only with what it `needs`.
  asks: {
    summary: { every: 'poll', ...kit.tcp('summary'), needs: 'SUMMARY' },
    boards: { every: 'poll', ...kit.tcp('devs'), needs: 'DEVS' },
    // Sent only when the device does not know `devs`.
    oldBoards: { every: 'poll', ...kit.tcp('gpus'), insteadOf: 'boards', needs: 'DEVS' },
    pools: { every: 'slow', ...kit.tcp('pools'), needs: 'POOLS' },
    // The core logs in, and uses the login again.
    light: { every: 'slow', ...kit.get('/api/light', 'digest') },
    system: { every: 'static', ...kit.get('/api/system', 'digest') },
  },
  login: { kind: 'digest', factoryDefault: { user: 'admin', password: 'admin' } },
  quirks: { warmUpS: 300 },

  // Pure. Without it the families alone decide. The firmware's version is in what the scan has asked already.
  identify(evidence) {
    const { Example: firmwareVersion, Type: model } = kit.versionTexts(evidence.version);
    if (evidence.family !== 'blueprint') return undefined;
    return { ...kit.present({ firmwareVersion, model }), confidence: kit.confidenceOf(evidence), make: 'Example' };
  },

  // Pure: no clock, no socket. Any answer may be missing, and any field of it: then it is undefined, never 0. What
  // follows from other fields the core derives: whether it mines, its one temperature.
  read({ summary, boards, oldBoards, pools, light, system }, known) {
    const row = summary.row('SUMMARY');
    return {
      // MAC and serial number stay as written: whether they can identify anything is judged elsewhere.
      mac: system.asWritten('mac'),
      serialNumber: system.asWritten('serial'),
      hostname: system.name('host'),
      model: known.model,
      ...kit.hashrates(row),
      uptimeS: row.seconds('Elapsed'),
      deviceTimeS: kit.whenS(summary),
      isLightOn: light.bool('on'),
      boards: (boards.rows('DEVS', 8) ?? oldBoards.rows('DEVS', 8))?.map((board, slot) => ({
        slot,
        hashrateHs: kit.windowHs(board, '5s'),
        chipTempMaxC: board.tempC('Chip Temp'),
        hwErrors: board.count('Hardware Errors'),
      })),
      pools: kit.cgminerPools(pools),
    };
  },

  // Only what was seen to work. Every ability has its proof: the next reading must show it (`isLightOn`), a reboot is
  // proven by an uptime that goes back.
  abilities: {
    reboot: kit.reboot([40, 180], (link) => kit.command(link, 'reboot', kit.asText(kit.post('/api/reboot', 'digest')))),
    light: kit.light((link, on) =>
      kit.command(link, 'switch the light of', kit.post('/api/light', 'digest', { json: { on } }), (answer) =>
        answer.bool('ok') === false ? 'no' : true,
      ),
    ),
  },
});

// The agent's databases on a disk of which single calls fail: failing-cases.ts. With a fifth argument each case begins
// without any file.
import { newSigner } from '../unit/agent/uplink/signatures/signed.ts';
import { runAgentCycle } from './agent-cycle.ts';
import { missingIn } from './agent-promises.ts';
import { runCases } from './failing-cases.ts';
import { saidIn } from './said.ts';

const isNew = process.argv[6] === 'new';
const signer = newSigner();
const first = isNew ? 0 : 1;

await runCases({
  async prepare(folder) {
    if (!isNew) await runAgentCycle({ folder, rounds: 1, signer, say: () => {} });
  },
  run: (folder, say) => runAgentCycle({ folder, first, rounds: 1, signer, say }),
  judge: (folder, said) => [
    ...said.filter((line) => line.startsWith('bad ')),
    ...missingIn(
      folder,
      said.flatMap(saidIn).map(({ what }) => what),
    ),
  ],
});

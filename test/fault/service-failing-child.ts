// The service on a disk of which single calls fail: failing-cases.ts.
import { runCases } from './failing-cases.ts';
import { saidIn } from './said.ts';
import { runServiceCycle } from './service-cycle.ts';
import { missingIn } from './service-promises.ts';

await runCases({
  async prepare(folder) {
    await runServiceCycle({ folder, isFirst: true, rounds: 1, say: () => {} });
  },
  run: (folder, say) => runServiceCycle({ folder, isFirst: false, rounds: 1, say }),
  judge: async (folder, said) => [
    ...said.filter((line) => line.startsWith('bad ')),
    ...(await missingIn(
      folder,
      said.flatMap(saidIn).map(({ what }) => what),
    )),
  ],
});
process.exit();

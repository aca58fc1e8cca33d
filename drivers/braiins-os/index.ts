// Braiins OS on Antminer hardware: REST from 25.07, GraphQL from 22.08, CGMiner words on TCP before that. What answers
// decides the generation; each has a folder.
import * as kit from '../../src/driver/kit/index.ts';
import { abilities } from './abilities.ts';
import { bmminerAsks, bmminerModel, nameOfType, readBmminer } from './bmminer/stats.ts';
import { FAMILIES } from './family.data.ts';
import { graphqlAsks } from './graphql/asks.ts';
import { graphqlModel, readGraphql } from './graphql/read.ts';
import { modelOf } from './parts.ts';
import { restAsks } from './rest/asks.ts';
import { readRest, restModel } from './rest/read.ts';
import { tcpAsks } from './tcp/asks.ts';
import { readTcp, tcpModel } from './tcp/read.ts';

const asks = { ...restAsks, ...graphqlAsks, ...tcpAsks, ...bmminerAsks };

export const braiinsOs = kit.defineDriver({
  id: 'braiins-os',
  make: 'Antminer',
  families: FAMILIES,
  covers: [
    { models: 'Antminer S19 XP', firmware: 'Braiins OS 25.07', evidence: 'recording' },
    { models: 'Antminer S21+, S21, S9', firmware: 'Braiins OS 22.08 to 25.03', evidence: 'recording' },
    { models: 'Antminer S17', firmware: 'BOSminer before 22.08', evidence: 'simulated' },
    { models: 'Antminer S9', firmware: 'Braiins OS of 2018 and 2019', evidence: 'claimed' },
    { models: 'Antminer S9, S17, S19, S21, T21 families', firmware: 'any other Braiins OS', evidence: 'claimed' },
  ],
  asks,
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'root', password: '' } },
  quirks: { warmUpS: 900 },
  identify({ devdetails, version }, ours) {
    const type = nameOfType(kit.versionTexts(version).Type);
    const reported = kit.versionTexts(devdetails).Model ?? type;
    return ours && { ...ours, ...kit.present({ model: modelOf(reported)?.model ?? reported }) };
  },
  read,
});

/** Newer words win over older ones, which fill what is missing. */
function read(answers: kit.Answers<typeof asks>, known: kit.Known): kit.Draft {
  const reported = kit.first(
    restModel(answers),
    graphqlModel(answers),
    tcpModel(answers),
    bmminerModel(answers),
    known.model,
  );
  const row = modelOf(reported);
  const { hashrateHs: _, ...usual } = row?.expected ?? {};
  const [tcp, bmminer] = [readTcp(answers, usual.fans), readBmminer(answers, row)];
  const [graphql, rest] = [readGraphql(answers, usual.fans), readRest(answers, usual.fans)];
  const rates = [rest, graphql, tcp, bmminer].map(({ expected }) => expected?.hashrateHs);
  return {
    ...{ make: row?.make ?? known.make ?? 'Antminer', model: row?.model ?? reported },
    ...{ ...kit.present(tcp), ...kit.present(bmminer), ...kit.present(graphql), ...kit.present(rest) },
    expected: { ...usual, hashrateHs: kit.first(...rates) },
  };
}

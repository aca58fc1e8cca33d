// Turns the answers of one Braiins OS miner into a Reading. Which generation it is shows in what it answers: newer
// words win over older ones.
import type { Known } from '../../src/driver/contract.ts';
import { first } from '../../src/driver/fields.ts';
import type { Reading } from '../../src/model/reading.ts';
import { present } from '../_dialects/cgminer.ts';
import { modelOf } from './parts.ts';
import { bmminerExpectedHs, bmminerName, readBmminer } from './read-bmminer.ts';
import { graphqlExpectedHs, readGraphql, readTcp, tcpExpectedHs } from './read-old.ts';
import { readRest, restExpectedHs } from './read-rest.ts';
import type { Replies } from './replies.ts';

export function read(replies: Replies, known: Known): Reading {
  const { details, gqlModel, tcpDetails } = replies;
  const reported = first(
    details?.miner_identity?.name,
    details?.miner_identity?.miner_model,
    gqlModel?.data?.bosminer?.info?.modelName,
    tcpDetails?.devdetails?.[0]?.DEVDETAILS?.find(({ Model }) => Model !== undefined)?.Model,
    bmminerName(replies),
    known.model,
  );
  const model = modelOf(reported);
  const { hashrateHs: _, ...parts } = model?.expected ?? {};
  const hashrateHs = first(
    restExpectedHs(replies),
    graphqlExpectedHs(replies),
    tcpExpectedHs(replies),
    bmminerExpectedHs(replies, model),
  );
  return present({
    make: first(model?.make, known.make, 'Antminer'),
    model: model?.model ?? reported,
    ...readTcp(replies, model),
    ...readBmminer(replies, model),
    ...readGraphql(replies, model),
    ...readRest(replies, model),
    expected: present({ ...parts, hashrateHs }),
  });
}

// The questions to a FutureBit Apollo in GraphQL, without those that change something.
export const LOGIN =
  'query Login($input: AuthLoginInput!) { Auth { login(input: $input) { result { accessToken } error { message } } } }';

/**
 * The machine, all its units, and whether the miner runs. Only what is read: one field that a build does not know fails
 * the whole question.
 */
export const STATS = `{ Miner {
  stats { result { stats {
    statVersion version versions { miner }
    master { upTime boardsW intervals { int_0 { bySol errors } int_900 { interval bySol } } }
    slots { int_0 { chips temperature temperature1 ghs } }
    slaves { uid }
    fans { int_0 { rpm } }
    pool { host port userName diff intervals { int_0 { sharesAccepted sharesRejected inService } } }
  } } error { message } }
  online { result { online { status } } error { message } }
} }`;
export const HOST =
  '{ Mcu { stats { result { stats { hostname network { name address mac } } } error { message } } } }';

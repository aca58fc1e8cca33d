// The case: what one device answered, as `case.json` describes it. Capture writes it, replay serves it, the contract
// reads it. It reads no file and knows no driver.
import { z } from 'zod';

/** One request and what came back. Answers that are equal share one file, which has the name of the first. */
export const exchangeSchema = z.object({
  file: z.string().regex(/^[\w.+-]{1,200}$/, 'the name of a file in the folder of the case'),
  transport: z.enum(['cgminer-tcp', 'whatsminer-v3', 'http']),
  port: z.int().min(1).max(65_535),
  /** TCP: what was sent. `bare` = as bare text, not as JSON. */
  send: z.record(z.string(), z.unknown()).exactOptional(),
  /** HTTP. */
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).exactOptional(),
  path: z.string().exactOptional(),
  body: z.unknown().exactOptional(),
  status: z.int().exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  /**
   * How the request logged in; absent = without a login. `login` = it is the login of a session itself, with
   * placeholders for user and password.
   */
  auth: z.enum(['digest', 'session', 'carried', 'login']).exactOptional(),
  /** The driver's name of the request, or one made of its path; absent for the shared questions of identification. */
  ask: z.string().exactOptional(),
  every: z.enum(['poll', 'slow', 'static']).exactOptional(),
  elapsedMs: z.number().default(0),
  /** Why there is no answer, or what the device sent instead of one. */
  failure: z.string().exactOptional(),
});
export type Exchange = Readonly<z.output<typeof exchangeSchema>>;

const variantSchema = z.object({
  id: z.string(),
  replace: z.record(z.string(), z.string()),
  expect: z.record(z.string(), z.unknown()),
});

export const caseSchema = z.object({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.+_-]{0,199}$/, 'a name of letters, digits, dots, pluses and dashes'),
  /** Id of the driver, or `unknown`. */
  firmware: z.string(),
  make: z.string().nullable().default(null),
  model: z.string().nullable().default(null),
  firmwareVersion: z.string().nullable().default(null),
  /** What identification handed to the driver. */
  known: z
    .object({
      generation: z.string().exactOptional(),
      make: z.string().exactOptional(),
      model: z.string().exactOptional(),
    })
    .default({}),
  /** Of a simulated device, or written by hand: it proves nothing about a real one. */
  isSimulated: z.boolean().exactOptional(),
  capturedBy: z.string().exactOptional(),
  /** What a connection to each port came to: `open`, `refused`, … */
  ports: z.record(z.string(), z.string()).default({}),
  responses: z.array(exchangeSchema.readonly()).max(512).readonly(),
  /** Values read by hand; the contract compares them with what the driver reads. Empty until then. */
  expect: z.record(z.string(), z.unknown()).default({}),
  /** Every value that is read, by its place (`boards[1].hashrateHs`): nothing else may be. */
  values: z.record(z.string(), z.unknown()).exactOptional(),
  /** As `expect`, and newer. */
  reading: z.record(z.string(), z.unknown()).exactOptional(),
  /** The same answers with other files in the place of some, for errors. */
  variants: z.array(variantSchema).exactOptional(),
  /** What the driver of that day read from it, for the author to check. */
  read: z.unknown().default(null),
});
export type Case = Readonly<z.output<typeof caseSchema>>;

/** It holds the shared questions of identification: a device can be made of it. Others hold answers alone. */
export const isReplayable = ({ responses }: Pick<Case, 'responses'>): boolean =>
  responses.some(({ ask, auth }) => ask === undefined && auth !== 'login');

/** Of the device as it was recorded. A session whose login was not recorded is open to all. */
export const wantsLogin = ({ responses }: Pick<Case, 'responses'>): boolean =>
  responses.some(
    ({ auth, headers }) => (auth !== undefined && auth !== 'session') || headers?.['www-authenticate'] !== undefined,
  );

/** In place of the login in the recorded login of a session. */
export const LOGIN_PLACEHOLDERS = { user: 'the-user', password: 'the-password' } as const;

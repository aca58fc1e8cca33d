// Identification tables of atlas sections 2.2 and 2.3: which words name which firmware family. The first match wins,
// third-party firmware before the stock that it replaces. A family may have no driver.
import { z } from 'zod';

/**
 * Words in the raw text of `version` or `devdetails`, compared without case (atlas 2.2). `in: 'version'` = ignore it in
 * `devdetails`. `isHint` = others say it too: it proves nothing.
 */
type TcpRule<F extends string> = {
  readonly words: readonly string[];
  readonly family: F;
  readonly in?: 'version';
  readonly isHint?: true;
};
const tcpRules = <F extends string>(rules: readonly TcpRule<F>[]) => rules;
export const TCP_WORDS = tcpRules([
  { words: ['BOSMINER', 'BOSER', 'BOS_AM'], family: 'braiins-os' },
  { words: ['LUXMINER'], family: 'luxos' },
  { words: ['VNISH'], family: 'vnish' },
  { words: ['MARAFW', 'KAONSU'], family: 'mara' },
  { words: ['HIVEON'], family: 'hiveon' },
  { words: ['RWGLR'], family: 'mskminer' },
  { words: ['BTMINER', 'BITMICRO', 'WHATSMINER'], family: 'whatsminer' },
  { words: ['BDMINER'], family: 'sealminer' },
  { words: ['GCMINER', 'FLUXOS'], family: 'auradine-fluxos' },
  { words: ['INTCHAINS_QOMO', 'KDAMINER'], family: 'goldshell' },
  // A program of many: its page must show whether it runs on a Goldshell.
  { words: ['BFGMINER'], family: 'goldshell', isHint: true },
  { words: ['INNOMINER'], family: 'innosilicon' },
  { words: ['AVALON'], family: 'avalon' },
  { words: ['VOLCMINER'], family: 'volcminer' },
  { words: ['"HAMMER ', '"BLACKMINER '], family: 'hammer', in: 'version' },
  { words: ['ANTMINER'], family: 'antminer-stock', in: 'version' },
]);

/**
 * Evidence of `GET /`: status, realm of the login challenge, redirect target, body text (compared with case, first 64
 * KB; atlas 2.3).
 */
export type WebRule<F extends string> = {
  readonly family: F;
  readonly status?: number;
  readonly realm?: string;
  readonly location?: string;
  readonly body?: string;
};
const webRules = <F extends string>(rules: readonly WebRule<F>[]) => rules;
export const WEB_RULES = webRules([
  { family: 'mara', status: 401, realm: 'antMiner', body: 'kaonsu' },
  { family: 'antminer-stock', status: 401, realm: 'antMiner' },
  { family: 'hammer', status: 401, realm: 'blackMiner' },
  { family: 'elphapex', status: 401, realm: 'Daoge' },
  { family: 'whatsminer', status: 307, location: 'https://' },
  { family: 'whatsminer', location: '/cgi-bin/luci' },
  { family: 'whatsminer', body: '/cgi-bin/luci' },
  { family: 'futurebit', status: 308, location: '/overview' },
  { family: 'braiins-os', body: 'Braiins OS' },
  { family: 'luxos', body: 'Luxor Firmware' },
  { family: 'vnish', body: 'AnthillOS' },
  { family: 'epic-umcos', body: 'Miner Web Dashboard' },
  { family: 'proto', body: 'Proto OS' },
  { family: 'axeos-nerd', body: 'Nerd' },
  { family: 'axeos', body: 'AxeOS' },
  { family: 'luckyminer', body: 'Lucky miner' },
  { family: 'sealminer', body: 'amazeui' },
  { family: 'volcminer', body: 'VolcMiner' },
  { family: 'goldshell', body: 'cloud-box' },
  { family: 'iceriver', body: '用户界面' },
  { family: 'innosilicon', body: 'DragonMint' },
  { family: 'auradine-fluxos', body: 'Miner UI' },
  { family: 'avalon', body: 'Avalon' },
]);

export type FamilyId = (typeof TCP_WORDS | typeof WEB_RULES)[number]['family'];
/**
 * Pages that need no login and that only one family has: asked where something hints at that family and nothing has
 * proved it. `shape` = what its JSON holds, keys and types together: an application that answers everything, or repeats
 * what it is asked, does not fit. `guarded` = another page, which asks for a login there; `title` = of the start page.
 */
type FamilyPage = {
  readonly family: FamilyId;
  readonly path: string;
  /** Default: where the start page was found. */
  readonly port?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly shape: z.ZodType;
  readonly guarded?: string;
  readonly title?: string;
};
const familyPages = (pages: readonly FamilyPage[]) => pages;
const words = z.string().min(1);
const APOLLO_STATUS = '{Auth{status{result{status}}}}';
export const FAMILY_PAGES = familyPages([
  {
    family: 'vnish',
    path: '/api/v1/info',
    shape: z.looseObject({
      fw_name: z.string().regex(/vnish|anthill/i),
      fw_version: words,
      system: z.looseObject({ miner_name: words, network_status: z.looseObject({ mac: words }) }),
    }),
  },
  {
    family: 'proto',
    path: '/api/v1/system',
    shape: z.looseObject({
      'system-info': z.looseObject({
        product_name: z.string().startsWith('Proto'),
        cb_sn: words,
        os: z.looseObject({}),
      }),
    }),
  },
  {
    family: 'goldshell',
    path: '/mcb/status',
    shape: z.looseObject({ model: z.string().regex(/^goldshell/i), firmware: words }),
  },
  {
    // Other applications number their versions like that too: its own title and a page behind its login belong to it.
    family: 'braiins-os',
    path: '/api/v1/version',
    shape: z.strictObject({ major: z.int(), minor: z.int(), patch: z.int() }),
    guarded: '/api/v1/miner/details',
    title: 'Braiins OS',
  },
  {
    // The web app answers this question to everybody, and passes on what its mining program says; while that is not
    // there it says so in these words.
    family: 'iceriver',
    path: '/user/userpanel?post=4',
    shape: z.union([
      z.looseObject({
        error: z.literal(0),
        message: z.string(),
        data: z.looseObject({ softver1: words, rtpow: words, runtime: z.string().regex(/^\d+:\d+:\d+:\d+$/) }),
      }),
      z.looseObject({
        error: z.literal([1, 2]),
        message: z.literal(['Connect miner failed!', 'Miner return failed!']),
        data: z.strictObject({}),
      }),
    ]),
  },
  {
    // Whether its owner has set it up: the one question of its API that wants no token. A GET counts as no form of
    // another site with this header only.
    family: 'futurebit',
    port: 5000,
    path: `/api/graphql?query=${encodeURIComponent(APOLLO_STATUS)}`,
    headers: { 'Content-Type': 'application/json' },
    shape: z.looseObject({
      data: z.strictObject({
        Auth: z.strictObject({
          status: z.strictObject({ result: z.strictObject({ status: z.literal(['pending', 'done']) }) }),
        }),
      }),
    }),
  },
]);

/**
 * What a Bitaxe or one of its kin says of itself on `/api/system/info`: the chip, and the memory of the controller
 * beside it.
 */
export const AXEOS_INFO = z.looseObject({
  ASICModel: z.string().regex(/^B(M\d|ZM)/),
  freeHeap: z.number(),
  hashRate: z.union([z.number(), words]),
  stratumURL: z.string(),
  version: z.string(),
});

/** `get.device.info` of Whatsminer's API 3. */
export const WHATSMINER_INFO = z
  .looseObject({
    code: z.int(),
    msg: z.looseObject({
      network: z.looseObject({ mac: words }).optional(),
      miner: z.looseObject({ type: words }).optional(),
    }),
  })
  .refine(({ msg }) => msg.network !== undefined || msg.miner !== undefined);

/** `/capabilities` of an ePIC machine. */
export const EPIC_CAPABILITIES = z.looseObject({
  Model: words,
  Coins: z.array(words).min(1),
  'Model Subtype': words,
});

/** `/summary` of its first generation, which says nothing of what it can do: its program, its coin, and its session. */
export const EPIC_SUMMARY = z.looseObject({
  Software: z.string().regex(/^epic-miner v\d/),
  Mining: z.looseObject({ Coin: words, Algorithm: words }),
  Session: z.looseObject({ Uptime: z.number(), 'Average MHs': z.number() }),
});

/** A login challenge and the server that this family asks it with. The realm alone is on any page that was copied. */
type ProvingRealm = { readonly family: FamilyId; readonly realm: string; readonly server: RegExp };
const provingRealms = (rules: readonly ProvingRealm[]) => rules;
const LIGHTTPD = /^lighttpd\//;
export const PROVING_REALMS = provingRealms([
  { family: 'antminer-stock', realm: 'antMiner Configuration', server: LIGHTTPD },
  { family: 'elphapex', realm: 'Daoge Configuration', server: LIGHTTPD },
  // Hammer and VolcMiner alike: other answers show which of the two.
  { family: 'hammer', realm: 'blackMiner Configuration', server: LIGHTTPD },
]);

/** Every family that the tables name. */
export const FAMILY_IDS: ReadonlySet<FamilyId> = new Set([...TCP_WORDS, ...WEB_RULES].map(({ family }) => family));

// Identification tables of atlas sections 2.2 and 2.3 as data: which words name which firmware family. Order matters: first match wins,
// third-party firmware before the stock it replaces. The tables know every family; a driver may or may not exist for it.

/**
 * Words in the raw text of `version` or `devdetails`, compared without case (atlas 2.2). `in: 'version'` = ignore it in `devdetails`. `isHint` = others
 * say it too: it proves nothing.
 */
type TcpRule<F extends string> = {
  readonly words: readonly string[];
  readonly family: F;
  readonly in?: 'version';
  readonly isHint?: true;
};
const tcpRules = <F extends string>(rules: readonly TcpRule<F>[]) => rules;
export const TCP_WORDS = tcpRules([
  { words: ['BOSMINER', 'BOSER'], family: 'braiins-os' },
  { words: ['LUXMINER'], family: 'luxos' },
  { words: ['VNISH'], family: 'vnish' },
  { words: ['MARAFW', 'KAONSU'], family: 'mara' },
  { words: ['HIVEON'], family: 'hiveon' },
  { words: ['RWGLR'], family: 'mskminer' },
  { words: ['BTMINER', 'BITMICRO', 'WHATSMINER'], family: 'whatsminer' },
  { words: ['BDMINER'], family: 'sealminer' },
  { words: ['GCMINER', 'FLUXOS'], family: 'auradine-fluxos' },
  { words: ['INTCHAINS_QOMO', 'KDAMINER'], family: 'goldshell' },
  // A program of many: whether it runs on a Goldshell, its page must tell.
  { words: ['BFGMINER'], family: 'goldshell', isHint: true },
  { words: ['INNOMINER'], family: 'innosilicon' },
  { words: ['AVALON'], family: 'avalon' },
  { words: ['VOLCMINER'], family: 'volcminer' },
  { words: ['"HAMMER ', '"BLACKMINER '], family: 'hammer', in: 'version' },
  { words: ['ANTMINER'], family: 'antminer-stock', in: 'version' },
]);

/** Evidence of `GET /`: status, realm of the login challenge, redirect target, body text (compared with case, first 64 KB; atlas 2.3). */
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
 * Pages that need no login and that only one family has: asked where something hints at that family and nothing has proved it. `keys` = at the top of
 * its JSON; `word` = somewhere in it, in upper case.
 */
type FamilyPage = {
  readonly family: FamilyId;
  readonly path: string;
  readonly keys: readonly string[];
  readonly word?: string;
};
const familyPages = (pages: readonly FamilyPage[]) => pages;
export const FAMILY_PAGES = familyPages([
  { family: 'vnish', path: '/api/v1/info', keys: ['fw_name', 'fw_version', 'system'] },
  { family: 'proto', path: '/api/v1/system', keys: ['system-info'] },
  { family: 'goldshell', path: '/mcb/status', keys: ['model', 'firmware'], word: 'GOLDSHELL' },
  { family: 'braiins-os', path: '/api/v1/version', keys: ['major', 'minor', 'patch'] },
]);

/** A login challenge and the server that this family asks it with. The realm alone is on any page that was copied. */
type ProvingRealm = { readonly family: FamilyId; readonly realm: string; readonly server: string };
const provingRealms = (rules: readonly ProvingRealm[]) => rules;
export const PROVING_REALMS = provingRealms([
  { family: 'antminer-stock', realm: 'antMiner Configuration', server: 'lighttpd' },
  { family: 'elphapex', realm: 'Daoge', server: 'lighttpd' },
]);

/** Every family that the tables name. */
export const FAMILY_IDS: ReadonlySet<FamilyId> = new Set([...TCP_WORDS, ...WEB_RULES].map(({ family }) => family));

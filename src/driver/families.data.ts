// Identification tables of atlas sections 2.2 and 2.3 as data: which words name which firmware family. Order matters: first match wins,
// third-party firmware before the stock it replaces. The tables know every family; a driver may or may not exist for it.

export const FAMILY_IDS = [
  'antminer-stock',
  'auradine-fluxos',
  'avalon',
  'axeos',
  'axeos-nerd',
  'braiins-os',
  'elphapex',
  'epic-umcos',
  'futurebit',
  'goldshell',
  'hammer',
  'hiveon',
  'iceriver',
  'innosilicon',
  'luckyminer',
  'luxos',
  'mara',
  'mskminer',
  'proto',
  'sealminer',
  'vnish',
  'volcminer',
  'whatsminer',
] as const;
export type FamilyId = (typeof FAMILY_IDS)[number];

/** Words in the raw text of `version` or `devdetails`, compared without case (atlas 2.2). `in: 'version'` = ignore it in `devdetails`. */
export const TCP_WORDS: readonly {
  readonly words: readonly string[];
  readonly family: FamilyId;
  readonly in?: 'version';
}[] = [
  { words: ['BOSMINER', 'BOSER'], family: 'braiins-os' },
  { words: ['LUXMINER'], family: 'luxos' },
  { words: ['VNISH'], family: 'vnish' },
  { words: ['MARAFW', 'KAONSU'], family: 'mara' },
  { words: ['HIVEON'], family: 'hiveon' },
  { words: ['RWGLR'], family: 'mskminer' },
  { words: ['BTMINER', 'BITMICRO', 'WHATSMINER'], family: 'whatsminer' },
  { words: ['BDMINER'], family: 'sealminer' },
  { words: ['GCMINER', 'FLUXOS'], family: 'auradine-fluxos' },
  { words: ['INTCHAINS_QOMO', 'KDAMINER', 'BFGMINER'], family: 'goldshell' },
  { words: ['INNOMINER'], family: 'innosilicon' },
  { words: ['AVALON'], family: 'avalon' },
  { words: ['VOLCMINER'], family: 'volcminer' },
  { words: ['"HAMMER '], family: 'hammer', in: 'version' },
  { words: ['ANTMINER'], family: 'antminer-stock', in: 'version' },
];

/** Evidence of `GET /`: status, realm of the login challenge, redirect target, body text (compared with case, first 64 KB; atlas 2.3). */
export type WebRule = {
  readonly family: FamilyId;
  readonly status?: number;
  readonly realm?: string;
  readonly location?: string;
  readonly body?: string;
};
export const WEB_RULES: readonly WebRule[] = [
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
];

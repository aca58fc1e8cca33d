// Every driver that ships, in alphabetical order of id. Nothing is found at run time: to add a driver, add its line
// here.
import type { Driver } from '../src/driver/contract.ts';
import { Families } from '../src/driver/family.ts';
import { antminerStock } from './antminer-stock/index.ts';
import { auradineFluxos } from './auradine-fluxos/index.ts';
import { avalon } from './avalon/index.ts';
import { axeos } from './axeos/index.ts';
import { braiinsOs } from './braiins-os/index.ts';
import { cgminer } from './cgminer/index.ts';
import { elphapex } from './elphapex/index.ts';
import { epicUmcos } from './epic-umcos/index.ts';
import { futurebit } from './futurebit/index.ts';
import { goldshell } from './goldshell/index.ts';
import { hammer } from './hammer/index.ts';
import { hiveon } from './hiveon/index.ts';
import { iceriver } from './iceriver/index.ts';
import { innosilicon } from './innosilicon/index.ts';
import { luxos } from './luxos/index.ts';
import { mara } from './mara/index.ts';
import { mskminer } from './mskminer/index.ts';
import { proto } from './proto/index.ts';
import { sealminer } from './sealminer/index.ts';
import { vnish } from './vnish/index.ts';
import { volcminer } from './volcminer/index.ts';
import { whatsminer } from './whatsminer/index.ts';

export const drivers: readonly Driver[] = [
  antminerStock,
  auradineFluxos,
  avalon,
  axeos,
  braiinsOs,
  cgminer,
  elphapex,
  epicUmcos,
  futurebit,
  goldshell,
  hammer,
  hiveon,
  iceriver,
  innosilicon,
  luxos,
  mara,
  mskminer,
  proto,
  sealminer,
  vnish,
  volcminer,
  whatsminer,
];

export const families = new Families(drivers);

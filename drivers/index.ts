// Every driver that ships, in alphabetical order of id. Nothing is found at run time: to add a driver, add its line
// here.
import type { Driver } from '../src/driver/contract.ts';
import { antminerStock } from './antminer-stock/driver.ts';
import { auradineFluxos } from './auradine-fluxos/driver.ts';
import { avalon } from './avalon/driver.ts';
import { axeos } from './axeos/driver.ts';
import { braiinsOs } from './braiins-os/driver.ts';
import { cgminer } from './cgminer/driver.ts';
import { elphapex } from './elphapex/driver.ts';
import { epicUmcos } from './epic-umcos/driver.ts';
import { futurebit } from './futurebit/driver.ts';
import { goldshell } from './goldshell/driver.ts';
import { hammer } from './hammer/driver.ts';
import { hiveon } from './hiveon/driver.ts';
import { iceriver } from './iceriver/driver.ts';
import { innosilicon } from './innosilicon/driver.ts';
import { luxos } from './luxos/driver.ts';
import { mara } from './mara/driver.ts';
import { mskminer } from './mskminer/driver.ts';
import { proto } from './proto/driver.ts';
import { sealminer } from './sealminer/driver.ts';
import { vnish } from './vnish/driver.ts';
import { volcminer } from './volcminer/driver.ts';
import { whatsminer } from './whatsminer/driver.ts';

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

export { pleaseAddMe } from './cgminer/please-add-me.ts';

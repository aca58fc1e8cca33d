// What a device was asked a moment ago, so that it is not asked again: answers of an identification serve the visit
// that follows, and a scan that no person waits for repeats no recent question or visit.
import { LruMap } from 'toad-cache';
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import type { Families } from '../../driver/family.ts';
import { identifyingQuestions } from '../../driver/identify.ts';
import type { DriverSet } from '../../driver/load/driver-set.ts';
import { CGMINER_PORT, readCgminerText } from '../../transport/cgminer/protocol.ts';
import { HTTP_PORT, readPage } from '../../transport/http/ask.ts';
import type { MinerLink, MinerRequest, ProbeLink, WebEvidence } from '../../transport/request.ts';

/** Devices whose newest visit is remembered. */
const MAX_DEVICES = 50_000;

const pageKey = (path: string, port = HTTP_PORT, method = 'GET') => `${method} ${port} ${path}`;

/** One text per question, whatever login goes with it. */
function questionKey(request: MinerRequest): string {
  switch (request.via) {
    case 'cgminer':
      return `${request.port ?? CGMINER_PORT} ${request.command} ${request.parameter ?? ''} ${request.newApi ?? request.isBare ?? ''}`;
    case 'http':
      return pageKey(request.path, request.port, request.method);
    case 'whatsminer3':
      return `${request.via} ${request.cmd} ${request.param === undefined ? '' : JSON.stringify(request.param)}`;
    case 'whatsminer2-write':
    case 'whatsminer3-write':
      return `${request.via} ${request.cmd}`;
  }
}

type Answer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'page'; readonly page: WebEvidence }
  | { readonly kind: 'value'; readonly value: unknown; readonly request: MinerRequest };

/** What the device would answer; undefined = it must be asked. Throws PeerError where the device refuses it. */
function valueIn(answer: Answer, request: MinerRequest, ip: string): unknown {
  switch (answer.kind) {
    case 'text':
      if (request.via !== 'cgminer' || request.carry !== undefined) return undefined;
      return readCgminerText(answer.text, `ask ${ip} for ${request.command}`);
    case 'page':
      // A device may show more of a page to those that it lets in.
      return request.via === 'http' && request.auth === 'none' ? readPage(answer.page, request.as) : undefined;
    case 'value': {
      const authOf = (sent: MinerRequest) => (sent.via === 'http' ? sent.auth : undefined);
      return authOf(answer.request) === authOf(request) ? answer.value : undefined;
    }
  }
}

type Hooks = {
  /** Throws where the question may not be sent. */
  readonly before?: (key: string) => void;
  readonly after?: (key: string, answer: Answer) => void;
};

function hooked(link: MinerLink, { before, after }: Hooks): MinerLink {
  return {
    ip: link.ip,
    async send(request, limits) {
      const key = questionKey(request);
      before?.(key);
      const value = await link.send(request, limits);
      after?.(key, { kind: 'value', value, request });
      return value;
    },
  };
}

function hookedProbe(link: ProbeLink, hooks: Hooks): ProbeLink {
  const { before, after } = hooks;
  return {
    ...hooked(link, hooks),
    async sendRaw(request, limits) {
      const key = questionKey(request);
      before?.(key);
      const text = await link.sendRaw(request, limits);
      after?.(key, { kind: 'text', text });
      return text;
    },
    async look(path, limits) {
      const key = pageKey(path, limits?.port);
      before?.(key);
      const page = await link.look(path, limits);
      after?.(key, { kind: 'page', page });
      return page;
    },
  };
}

export type Questions = ReturnType<typeof createQuestions>;
export type Identifying = ReturnType<Questions['identifying']>;

export type LastVisit = {
  readonly driverId: string;
  readonly status: 'identified' | 'login_refused' | 'failed';
  readonly endedMs: number;
};

/** `recentMs` = how long a question or a visit counts as recent; read each time. */
export function createQuestions(parts: {
  readonly clock: Clock;
  readonly drivers: DriverSet;
  readonly recentMs: () => number;
}) {
  const { clock, drivers, recentMs } = parts;
  /** When each question of identification was last sent to each device; oldest first. */
  const sentMs = new Map<string, number>();
  const visits = new LruMap<LastVisit>(MAX_DEVICES);
  /** Of the drivers that are in use now. */
  let identifyingKeys: { readonly families: Families; readonly keys: ReadonlySet<string> } | undefined;
  const isOfIdentification = (key: string): boolean => {
    const { families, all } = drivers;
    if (identifyingKeys?.families !== families) {
      const asked = [...identifyingQuestions(families), ...all.flatMap(({ afterLogin }) => afterLogin?.ask ?? [])];
      identifyingKeys = { families, keys: new Set(asked.map(questionKey)) };
    }
    return identifyingKeys.keys.has(key);
  };
  const isRecent = (atMs: number | undefined) => atMs !== undefined && clock.monotonicMs() - atMs < recentMs();

  const note = (ip: string, key: string) => {
    if (!isOfIdentification(key)) return;
    const name = `${ip} ${key}`;
    sentMs.delete(name);
    sentMs.set(name, clock.monotonicMs());
    for (const [oldest, atMs] of sentMs) {
      if (isRecent(atMs)) break;
      sentMs.delete(oldest);
    }
  };

  return {
    /** Remembers when the questions of identification were sent. */
    noted: (link: ProbeLink): ProbeLink => hookedProbe(link, { before: (key) => note(link.ip, key) }),
    /** Of one device, with the visit that follows. `isGentle` = recent questions fail as `peer.busy`. */
    identifying(ip: string, isGentle = false) {
      const answers = new Map<string, Answer>();
      const sparing = (key: string) => {
        if (!isGentle || !isRecent(sentMs.get(`${ip} ${key}`))) return;
        self.hasSpared = true;
        const error = `ask ${ip} what it was asked a moment ago`;
        throw new PeerError('peer.busy', error, 'later', undefined, { wasSent: false });
      };
      const hooks: Hooks = { before: sparing, after: (key, answer) => answers.set(key, answer) };
      const self = {
        /** A question was not sent: what is known is not all that there is. */
        hasSpared: false,
        heard: (link: MinerLink): MinerLink => hooked(link, hooks),
        heardByProbe: (link: ProbeLink): ProbeLink => hookedProbe(link, hooks),
        /** For the visit: sends what has no answer yet. Each answer serves once. */
        completed: (link: MinerLink): MinerLink => ({
          ip,
          async send(request, limits) {
            const key = questionKey(request);
            const answer = answers.get(key);
            answers.delete(key);
            return (answer && valueIn(answer, request, ip)) ?? link.send(request, limits);
          },
        }),
      };
      return self;
    },
    visited(ip: string, driverId: string, status: LastVisit['status']): void {
      visits.set(ip, { driverId, status, endedMs: clock.monotonicMs() });
    },
    /** The newest visit, if that was a moment ago. */
    visitOf(ip: string): LastVisit | undefined {
      const visit = visits.get(ip);
      return isRecent(visit?.endedMs) ? visit : undefined;
    },
  };
}

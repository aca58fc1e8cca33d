// The ports of a recorded device as servers: CGMiner's API, Whatsminer's frames, and the web (web.ts), each with the
// bytes that the device sent. It takes no command: what was not asked of the device it does not know.
import type { Socket } from 'node:net';
import { systemClock } from '../../base/clock.ts';
import type { CaseFolder } from '../folder.ts';
import { answerToCommand, answerToFrame, parseCommand } from './answers.ts';
import type { ReplayLogin } from './login.ts';
import { IDLE_MS, isSilence, MAX_REQUEST_BYTES, type Port } from './port.ts';
import { webServer } from './web.ts';

/** `port` = the one that the device had. */
export type ReplayServer = { readonly port: number; accept(socket: Socket): void };

/** Recorded over TLS: a replayed device has no certificate. */
const TLS_PORT = 443;

export function replayServers({ about, bytesOf }: CaseFolder, login: ReplayLogin): readonly ReplayServer[] {
  const ports = new Set(about.responses.map(({ port }) => port));
  ports.delete(TLS_PORT);
  return [...ports].map((number) => {
    const responses = about.responses.filter(({ port }) => port === number);
    const port: Port = { responses, bytesOf: ({ file }) => bytesOf(file) };
    const isWeb = responses.some(({ transport, status }) => transport === 'http' && status !== undefined);
    const accept = isWeb ? webServer(port, login) : tcpServer(port);
    return {
      port: number,
      accept(socket) {
        const cancel = systemClock.after(IDLE_MS, () => socket.destroy(), { unref: true });
        socket.once('close', cancel);
        socket.on('error', () => socket.destroy());
        accept(socket);
      },
    };
  });
}

function tcpServer({ responses, bytesOf }: Port): (socket: Socket) => void {
  const isFramed = responses.some(({ transport }) => transport === 'whatsminer-v3');
  return (socket) => {
    let got = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      got = Buffer.concat([got, chunk]);
      if (got.length > MAX_REQUEST_BYTES) {
        socket.destroy();
        return;
      }
      const reply = isFramed ? frameFor(responses, bytesOf, got) : commandFor(responses, bytesOf, got);
      if (reply === 'wait') return;
      got = Buffer.alloc(0);
      if (reply === 'silence') return;
      if (isFramed) socket.write(reply);
      else socket.end(reply);
    });
  };
}

type Reply = Buffer | 'wait' | 'silence';

function commandFor(responses: Port['responses'], bytesOf: Port['bytesOf'], got: Buffer): Reply {
  const command = parseCommand(got.toString('utf8'));
  if (command === undefined) return 'wait';
  const found = answerToCommand(responses, command);
  if (found === undefined) return Buffer.from(command.isBare ? UNKNOWN_TEXT : JSON.stringify(UNKNOWN));
  const bytes = bytesOf(found);
  return isSilence(found, bytes) ? 'silence' : bytes;
}

const UNKNOWN = { STATUS: [{ STATUS: 'E', Code: 14, Msg: 'Invalid command', Description: 'replayed' }], id: 1 };
const UNKNOWN_TEXT = 'STATUS=E,Code=14,Msg=Invalid command,Description=replayed|';

function frameFor(responses: Port['responses'], bytesOf: Port['bytesOf'], got: Buffer): Reply {
  if (got.length < 4 || got.length < 4 + got.readUInt32LE()) return 'wait';
  const found = answerToFrame(responses, parseJson(got.subarray(4, 4 + got.readUInt32LE()).toString('utf8')));
  const body = found === undefined ? Buffer.from(JSON.stringify({ code: -1, msg: 'invalid command' })) : bytesOf(found);
  if (found !== undefined && isSilence(found, body)) return 'silence';
  const header = Buffer.alloc(4);
  header.writeUInt32LE(body.length);
  return Buffer.concat([header, body]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

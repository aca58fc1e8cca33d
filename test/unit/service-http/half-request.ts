// A request that is under way for as long as a test wants.
import { connect as connectTcp } from 'node:net';
import type { Rig } from './rig.ts';

/** A search whose body is only half there; `finish` sends the rest and gives the answer. */
export async function halfRequest(rig: Rig) {
  const { hostname, port } = new URL(rig.url);
  const socket = connectTcp(Number(port), hostname);
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  await new Promise<void>((resolve) => {
    const head = `POST ${rig.farm('/tasks/search')} HTTP/1.1\r\nhost: x\r\nx-api-key: ${rig.key}\r\ncontent-type: application/json\r\ncontent-length: 10\r\nexpect: 100-continue\r\n\r\n`;
    // The server says that it goes on once it has the head.
    socket.once('data', () => resolve());
    socket.write(head);
  });
  received = '';
  socket.write('{"page"');
  return {
    closed,
    finish: () => {
      socket.write(':1}');
      return closed;
    },
  };
}

// Short spellings of ids, MACs and addresses in the board, each read back as it was. What is none of these is kept,
// with a mark in front.

const MARK = '=';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_CODE = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

export const uuidCode = (text: string): string => (UUID.test(text) ? text.replaceAll('-', '') : MARK + text);
export const uuidText = (code: string): string => unmarked(code) ?? code.replace(UUID_CODE, '$1-$2-$3-$4-$5');

const MAC = /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/;

export const macCode = (text: string): string => (MAC.test(text) ? text.replaceAll(':', '') : MARK + text);
export const macText = (code: string): string => unmarked(code) ?? code.replaceAll(/(..)(?!$)/g, '$1:');

const unmarked = (code: string): string | undefined => (code.startsWith(MARK) ? code.slice(MARK.length) : undefined);

/** The last number alone where the address before it has the other three. */
export const shortIp = (ip: string, last: string | undefined): string => {
  const dot = ip.lastIndexOf('.');
  return dot > 0 && last?.slice(0, last.lastIndexOf('.') + 1) === ip.slice(0, dot + 1) ? ip.slice(dot) : ip;
};
export const wholeIp = (short: string, last: string | undefined): string =>
  short.startsWith('.') && last !== undefined ? last.slice(0, last.lastIndexOf('.')) + short : short;

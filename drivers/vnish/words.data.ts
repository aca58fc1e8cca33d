// What the words of VNish stand for.

/** `platform` of its information page. */
export const PLATFORMS: Readonly<Partial<Record<string, string>>> = {
  aml: 'AMLogic',
  bb: 'BeagleBone',
  cv: 'CVITek',
  xil: 'Xilinx',
};

// What each form of an act gets: for how many miners it is, and where its params go.
export type FormProps = {
  readonly count: number;
  readonly onReady: (params: Readonly<Record<string, unknown>>) => void;
  readonly onClose: () => void;
};

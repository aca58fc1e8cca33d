// The fields of a list of pools, best first: address, worker, password.
import type { ComponentChildren } from 'preact';
import { useTexts } from '../../app-state.ts';
import { EMPTY_ROW, MAX_POOLS, PASSWORD_KINDS, type PoolRow } from './pool-rows.ts';

type FieldsProps = { readonly rows: readonly PoolRow[]; readonly onChange: (rows: readonly PoolRow[]) => void };

export function PoolFields({ rows, onChange }: FieldsProps) {
  const { pools: texts } = useTexts();
  const change = (index: number, part: Partial<PoolRow>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  // The worker of a further pool is mostly that of the one before.
  const add = () => onChange([...rows, { ...EMPTY_ROW, user: rows.at(-1)?.user ?? EMPTY_ROW.user }]);
  return (
    <>
      {rows.map((row, index) => (
        <OnePool key={index} number={index + 1} row={row} onChange={(part) => change(index, part)}>
          {rows.length > 1 && (
            <button type="button" class="link" onClick={() => onChange(rows.filter((_, at) => at !== index))}>
              {texts.leaveOut(index + 1)}
            </button>
          )}
        </OnePool>
      ))}
      {rows.length < MAX_POOLS && (
        <button type="button" class="act" onClick={add}>
          {texts.addPool}
        </button>
      )}
      <p class="note">{texts.hint}</p>
    </>
  );
}

type PoolProps = {
  readonly number: number;
  readonly row: PoolRow;
  readonly onChange: (part: Partial<PoolRow>) => void;
  readonly children: ComponentChildren;
};

function OnePool({ number, row, onChange, children }: PoolProps) {
  const { pools: texts } = useTexts();
  const { url, user, passwordKind, password } = row;
  const plain = {
    ...({ required: true, maxLength: 255, autocomplete: 'off' } as const),
    ...({ autocapitalize: 'off', spellcheck: false } as const),
  };
  return (
    <fieldset class="pool">
      <legend>{texts.pool(number)}</legend>
      <label>
        {texts.url}
        <input
          {...plain}
          inputMode="url"
          placeholder="stratum+tcp://pool.example:3333"
          value={url}
          onInput={({ currentTarget: { value } }) => onChange({ url: value })}
        />
      </label>
      <label>
        {texts.worker}
        <input {...plain} value={user} onInput={({ currentTarget: { value } }) => onChange({ user: value })} />
      </label>
      <label>
        {texts.password}
        <select
          value={passwordKind}
          onChange={({ currentTarget: { value } }) =>
            onChange({ passwordKind: PASSWORD_KINDS.find((kind) => kind === value) ?? 'usual', password: '' })
          }
        >
          {PASSWORD_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {texts.passwordKinds[kind]}
            </option>
          ))}
        </select>
      </label>
      {passwordKind === 'given' && (
        <label>
          {texts.passwordTyped}
          <input
            {...plain}
            type="password"
            value={password}
            onInput={({ currentTarget: { value } }) => onChange({ password: value })}
          />
        </label>
      )}
      {children}
    </fieldset>
  );
}

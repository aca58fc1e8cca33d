// The parts of a miner as it reports them: hashboards, fans, power supplies, pools.
import type { ComponentChildren } from 'preact';
import { useApp, useTexts } from '../../app-state.ts';
import type { MinerDetail } from './detail.ts';

export function Hardware({ detail }: { detail: MinerDetail }) {
  return (
    <>
      <Boards detail={detail} />
      <Fans detail={detail} />
      <Psus detail={detail} />
      <Pools detail={detail} />
    </>
  );
}

type TableProps = { readonly title: string; readonly head: readonly string[]; readonly children: ComponentChildren };

function Table({ title, head, children }: TableProps) {
  return (
    <section>
      <h2>{title}</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}

/** `board_details` has the boards in the order of `hashboards`. */
function Boards({ detail }: { detail: MinerDetail }) {
  const { format } = useApp();
  const { miner } = useTexts();
  const { sections, fields } = miner;
  const { value: show } = format;
  if (detail.hashboards.length === 0) return null;
  const head = [sections.boards, fields.hashrate, fields.chips, fields.chipTemp, fields.frequency, fields.serial];
  return (
    <Table title={sections.boards} head={head}>
      {detail.hashboards.map(({ serial_number, hashrate, chips, chip_frequency }, index) => {
        const board = detail.board_details[index];
        const slot = board?.slot ?? index;
        const expected = board?.expected_chips ?? null;
        return (
          <tr key={slot}>
            <th scope="row">{miner.board(slot)}</th>
            <td>{show.hashrate(hashrate)}</td>
            <td>{expected === null ? show.number(chips) : miner.ofChips(show.number(chips), show.number(expected))}</td>
            <td>{show.tempC(board?.chip_temperature_max)}</td>
            <td>{show.withUnit(chip_frequency, 'MHz')}</td>
            <td class="code">{serial_number ?? '–'}</td>
          </tr>
        );
      })}
    </Table>
  );
}

function Fans({ detail: { fans } }: { detail: MinerDetail }) {
  const { format } = useApp();
  const { miner } = useTexts();
  if (fans.length === 0) return null;
  return (
    <Table title={miner.sections.fans} head={[miner.sections.fans, miner.fields.speed, miner.fields.duty]}>
      {fans.map(({ index, rpm, duty_percent }) => (
        <tr key={index}>
          <th scope="row">{miner.fan(index)}</th>
          <td>{format.value.withUnit(rpm, 'rpm')}</td>
          <td>{format.value.withUnit(duty_percent, '%')}</td>
        </tr>
      ))}
    </Table>
  );
}

function Psus({ detail: { psus } }: { detail: MinerDetail }) {
  const { format } = useApp();
  const { miner } = useTexts();
  if (psus.length === 0) return null;
  return (
    <Table title={miner.sections.psus} head={[miner.fields.serial, miner.fields.temperature]}>
      {psus.map(({ serial_number, temperature }, index) => (
        <tr key={`${index} ${serial_number}`}>
          <td class="code">{serial_number ?? '–'}</td>
          <td>{format.value.tempC(temperature)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Pools({ detail: { pools } }: { detail: MinerDetail }) {
  const { format } = useApp();
  const { miner } = useTexts();
  if (pools.length === 0) return null;
  const head = [miner.fields.pool, miner.fields.worker, miner.fields.accepted, miner.fields.rejected];
  return (
    <Table title={miner.sections.pools} head={head}>
      {pools.map(({ url, worker_id, difficulty_accepted, difficulty_rejected }, index) => (
        <tr key={`${index} ${url}`}>
          <td class="code">{url}</td>
          <td class="code">{worker_id}</td>
          <td>{format.value.number(difficulty_accepted)}</td>
          <td>{format.value.number(difficulty_rejected)}</td>
        </tr>
      ))}
    </Table>
  );
}

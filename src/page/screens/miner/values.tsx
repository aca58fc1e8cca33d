// What a miner reports of itself, from its row (which is live) and from its document.
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { isRead, shareOf } from '../../../model/board/measured.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { placeOf } from '../../model/label.ts';
import { Age, Fact } from '../../parts/bits.tsx';
import type { MinerDetail } from './detail.ts';

type PartProps = { readonly row: BoardMiner; readonly detail: MinerDetail | undefined };

/** What is not read now is not shown as if it were. */
export function Values({ row, detail }: PartProps) {
  const { format } = useApp();
  const texts = useTexts();
  const { fields } = texts.miner;
  const { value: show } = format;
  const hasNow = isRead(row);
  const now = <T,>(value: T | null | undefined): T | null => (hasNow ? (value ?? null) : null);
  return (
    <section>
      <h2>{texts.miner.sections.values}</h2>
      <dl class="facts">
        <Fact name={fields.hashrate}>
          {show.hashrate(now(row.hashrateHs))} ({show.percent(shareOf(row))})
        </Fact>
        <Fact name={fields.expected}>{show.hashrate(row.expectedHs)}</Fact>
        <Fact name={fields.hashrate24h}>{show.hashrate(now(detail?.hashrate_24h))}</Fact>
        <Fact name={fields.power}>{show.power(now(row.powerW))}</Fact>
        <Fact name={fields.efficiency}>{show.withUnit(now(detail?.efficiency), 'J/TH', 1)}</Fact>
        <Fact name={fields.temperature}>{show.tempC(now(row.tempC))}</Fact>
        <Fact name={fields.inlet}>{show.tempC(now(detail?.temperature_inlet_avg))}</Fact>
        <Fact name={fields.outlet}>{show.tempC(now(detail?.temperature_outlet_avg))}</Fact>
        <Fact name={fields.uptime}>{show.duration(now(row.uptimeS === null ? null : row.uptimeS * 1_000))}</Fact>
        <Fact name={fields.mode}>{now(row.mode) ?? '–'}</Fact>
      </dl>
    </section>
  );
}

export function Facts({ row, detail }: PartProps) {
  const texts = useTexts();
  const { fields } = texts.miner;
  return (
    <section>
      <h2>{texts.miner.sections.facts}</h2>
      <dl class="facts">
        <Fact name={fields.location}>
          {[row.container, placeOf(row)].filter((part) => part !== null).join(' ') || '–'}
        </Fact>
        <Fact name={fields.address}>{row.ip}</Fact>
        <Fact name={fields.mac}>{row.mac ?? '–'}</Fact>
        <Fact name={fields.serial}>{row.serial ?? '–'}</Fact>
        <Fact name={fields.hostname}>{row.hostname ?? '–'}</Fact>
        <Fact name={fields.firmware}>{row.firmware ?? '–'}</Fact>
        <Fact name={fields.driver}>{row.driver}</Fact>
        <Fact name={fields.firstSeen}>{detail === undefined ? '–' : <Age atMs={Date.parse(detail.first_seen)} />}</Fact>
      </dl>
    </section>
  );
}

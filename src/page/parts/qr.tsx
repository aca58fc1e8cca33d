// An address as a picture that a phone reads.
import { renderSVG } from 'uqr';

/** What phones want free around it, in its own squares. */
const BORDER = 4;

export function Qr({ address, label }: { address: string; label: string }) {
  return (
    <img
      class="qr"
      alt={label}
      src={`data:image/svg+xml,${encodeURIComponent(renderSVG(address, { border: BORDER }))}`}
    />
  );
}

// The certificate that devices of a farm are made to trust: its fingerprint, to compare with what the host prints.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useTexts } from '../../app-state.ts';
import { Loading } from '../../parts/bits.tsx';
import { fingerprintOf } from './fingerprint.ts';

const TIMEOUT_MS = 20_000;

type State =
  | { readonly kind: 'asking' }
  /** Of a service behind other certificates, or on this host only. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unreachable' }
  /** A browser computes it on encrypted pages only. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'read'; readonly fingerprint: string };

export function Certificate() {
  const { about: texts, common } = useTexts();
  const state = useSignal<State>({ kind: 'asking' });
  useEffect(() => {
    void readCertificate().then((found) => {
      state.value = found;
    });
  }, []);
  const found = state.value;
  return (
    <>
      <h2>{texts.certificate}</h2>
      {found.kind === 'asking' && <Loading />}
      {found.kind === 'none' && <p class="note">{texts.noCertificate}</p>}
      {found.kind === 'unreachable' && <p class="note note-bad">{common.notReached}</p>}
      {found.kind === 'unreadable' && <p class="note">{texts.cannotRead}</p>}
      {found.kind === 'read' && (
        <>
          <p>
            <code class="code-address">{found.fingerprint}</code>
          </p>
          <p class="note">{texts.certificateHint}</p>
        </>
      )}
      {(found.kind === 'read' || found.kind === 'unreadable') && (
        <p>
          <a class="act" href="/trust">
            {texts.trust}
          </a>
        </p>
      )}
    </>
  );
}

async function readCertificate(): Promise<State> {
  // This page was not read through it.
  if (location.protocol !== 'https:') return { kind: 'none' };
  try {
    const response = await fetch('/trust/farm.crt', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.status === 404) return { kind: 'none' };
    if (!response.ok) return { kind: 'unreachable' };
    const fingerprint = await fingerprintOf(await response.arrayBuffer(), crypto);
    return fingerprint === undefined ? { kind: 'unreadable' } : { kind: 'read', fingerprint };
  } catch {
    return { kind: 'unreachable' };
  }
}

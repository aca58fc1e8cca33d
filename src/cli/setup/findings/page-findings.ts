// What `doctor` finds about the web page of this host and the certificates that it is served with. It makes none.
import type { AgentConfig } from '../../../agent/config/config.ts';
import { systemClock } from '../../../base/clock.ts';
import { ConfigError } from '../../../base/errors.ts';
import { addressesOf } from '../../../base/net/intervals.ts';
import { isExposed, isLoopback, plainUrl } from '../../../base/net/ipv4.ts';
import { openVault } from '../../../base/storage/vault.ts';
import { dayOf, whyRenewLeaf, whyReplaceAuthority } from '../../../service/certificates/farm-certificates.ts';
import { readAuthority, readLeaf } from '../../../service/certificates/kept-pairs.ts';
import { permittedAddresses } from '../../../service/certificates/permitted.ts';
import { readTls, type TlsFiles } from '../../../service/certificates/tls-material.ts';
import { EXPOSED_SERVICE } from '../../../service/listeners.ts';
import { farmTls } from '../../run/local-service.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

const SETUP = 'pithead setup --page network';
const SOON_MS = 14 * 86_400_000;

export function pageFindings(config: AgentConfig): Finding[] {
  const { host, tls } = config.listen;
  return [
    ...plainService(config),
    page(config),
    ...(typeof tls === 'object' ? [filesOf(tls)] : []),
    ...(tls === 'farm' && !isLoopback(host) ? farmCertificates(config) : []),
  ];
}

const isPlainBeyond = ({ listen: { host, port, tls } }: AgentConfig) =>
  tls === undefined && isExposed(new URL(plainUrl(host, port)));

/** Beyond this host, plain HTTP is for those who have TLS in front of it. */
function plainService(config: AgentConfig): Finding[] {
  const { host, port, trustProxy } = config.listen;
  if (trustProxy.length > 0 || !isPlainBeyond(config)) return [];
  const remedy = `set listen.tls (${SETUP}), or let a proxy with TLS stand in front and name it in listen.trustProxy`;
  return [warning('service', `${host}:${port}: ${EXPOSED_SERVICE}`, remedy)];
}

function page(config: AgentConfig): Finding {
  const about = 'page';
  const { page: settings } = config;
  if (!settings.enabled) return ok(about, 'it is off: page.enabled is false');
  if (!isPlainBeyond(config)) return ok(about, 'it is on');
  return settings.allowPlain
    ? warning(
        about,
        'people may log in without TLS: everybody on the way can take over their sessions',
        `only where something else encrypts, such as a VPN; else ${SETUP}`,
      )
    : ok(about, 'it is on; without TLS people log in on this host only');
}

const CERTIFICATE = 'certificate';

function filesOf(files: TlsFiles): Finding {
  try {
    const { expiresAtMs } = readTls(files);
    const leftMs = expiresAtMs - systemClock.nowMs();
    const text = `${files.certFile} is good until ${new Date(expiresAtMs).toISOString().slice(0, 10)}`;
    if (leftMs <= 0) return wrong(CERTIFICATE, `${files.certFile} has expired`, 'renew it: clients refuse it');
    return leftMs < SOON_MS ? warning(CERTIFICATE, text, 'renew it') : ok(CERTIFICATE, text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const text = error.problems.map(({ message }) => message).join('; ');
    return wrong(CERTIFICATE, text, 'mend it: the service does not start');
  }
}

function farmCertificates(config: AgentConfig): Finding[] {
  const { stateDir, credentials } = config;
  const vault = openVault(credentials.keyFile);
  const addresses = addressesOf(farmTls(config).links());
  const nowMs = systemClock.nowMs();
  try {
    const authority = readAuthority(stateDir, vault);
    if (authority === undefined) return [ok(CERTIFICATE, 'the service makes those of this farm at its first start')];
    const unfit = whyReplaceAuthority(authority, { addresses, nowMs });
    const name = `the authority of this farm, for ${authority.localName}`;
    const leaf = readLeaf(stateDir, vault);
    const permitted = permittedAddresses(addresses, authority.ranges);
    const stale = leaf && whyRenewLeaf(leaf, { authority: authority.certificate, addresses: permitted, nowMs });
    const remedy = 'name certificates for it under listen.tls: those of a farm are for private addresses';
    return [
      ...(permitted.length > 0 || unfit !== undefined
        ? []
        : [warning(CERTIFICATE, 'names no address of this host, only its name', remedy)]),
      unfit === undefined
        ? ok(CERTIFICATE, `${name}, is good until ${dayOf(authority.certificate)}`)
        : warning(CERTIFICATE, `${name}: ${unfit}`, `${SETUP} makes a new one, which devices have to trust anew`),
      ...(leaf === undefined
        ? []
        : stale === undefined
          ? [
              ok(
                CERTIFICATE,
                `of this host, is good until ${dayOf(leaf.certificate)}: ${leaf.certificate.subjectAltName}`,
              ),
            ]
          : [warning(CERTIFICATE, `of this host: ${stale}`, 'the service renews it while it runs: does it?')]),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ message }) => wrong(CERTIFICATE, message, SETUP));
  }
}

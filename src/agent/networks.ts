// The networks that this host stands in, for advice on the first run. What the command line may know of the host organ.
export { type PrivateNetwork, privateNetworks } from './host/networks.ts';

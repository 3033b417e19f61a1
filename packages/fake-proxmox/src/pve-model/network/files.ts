import type { Model } from '../model.ts'
import { parseInterfaces, writeInterfaces } from './interfaces.ts'

/** A node's /etc/network/interfaces, and the staged file with changes that are not applied yet. */
export interface NetworkFiles {
  read(): string
  staged(): string | undefined
  stage(text: string): void
  /** Applies the staged file. */
  apply(): void
  /** Deletes the staged file. */
  drop(): void
  /** Replaces the present file by this text. */
  restore(text: string): void
  /** The address by which the rest of the cluster reaches the node. */
  address: string
}

/** The network configuration of a node with one network card, a bridge on it, and the address on the bridge. */
export function plainNetwork(address: string): NetworkFiles {
  const text = writeInterfaces(
    new Map<string, Record<string, string>>([
      ['enp1s0', { type: 'eth' }],
      [
        'vmbr0',
        {
          type: 'bridge',
          autostart: '1',
          cidr: `${address}/24`,
          gateway: address.replace(/(?<!\d)\d+$/, '1'),
          bridge_ports: 'enp1s0',
        },
      ],
    ]),
  )
  let inForce = text
  let staged: string | undefined
  return {
    address,
    read: () => inForce,
    staged: () => staged,
    stage(next) {
      staged = next
    },
    apply() {
      inForce = staged ?? inForce
      staged = undefined
    },
    drop() {
      staged = undefined
    },
    restore(before) {
      inForce = before
    },
  }
}

/** After a change of a node's network, updates if the rest of the cluster can reach the node. */
export function networkChanged({ host }: Pick<Model, 'host'>, node: string) {
  const { address, read } = host.facts.node(node).network
  const isReached = [...parseInterfaces(read()).values()].some(
    ({ cidr, bridge_ports: ports, type }) => cidr?.split('/')[0] === address && (type !== 'bridge' || ports !== ''),
  )
  host.setReached(node, isReached)
}

import type { Model } from '../model.ts'
import { parseInterfaces, writeInterfaces } from './interfaces.ts'

/** A node's /etc/network/interfaces, and the staged file beside it. */
export interface NetworkFiles {
  read(): string
  staged(): string | undefined
  stage(text: string): void
  /** Puts the staged file in force. */
  apply(): void
  /** Drops the staged file. */
  drop(): void
  /** Puts this text in force in place of the present file. */
  restore(text: string): void
  /** The address by which the rest of the cluster reaches the node. */
  address: string
}

/** The interfaces of a node with one network card, a bridge on it, and the address on the bridge. */
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

/** Updates whether the rest of the cluster reaches a node after a change of its network. */
export function networkChanged({ host }: Pick<Model, 'host'>, node: string) {
  const { address, read } = host.facts.node(node).network
  const isReached = [...parseInterfaces(read()).values()].some(
    ({ cidr, bridge_ports: ports, type }) => cidr?.split('/')[0] === address && (type !== 'bridge' || ports !== ''),
  )
  host.setReached(node, isReached)
}

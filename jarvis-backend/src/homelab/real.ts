import type { Homelab } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { type Connection, createProxmox } from './connect.ts'
import { createPbs, type PbsConnection } from './pbs/transport.ts'
import { createNetworkTimers, createSshShell, createSshTerminals } from './ssh/index.ts'
import { createWaker } from './wol/index.ts'

export type RealHomelab = {
  connection: Connection
  /** Undefined: there is no backup server. */
  pbs: PbsConnection | undefined
  drillToken?: Pick<Connection, 'tokenId' | 'tokenSecret'> | undefined
  ssh: Omit<Parameters<typeof createSshShell>[0], 'addressOf' | 'clock' | 'quote'>
  quote(argv: readonly string[]): string
  /** The operator's settings of nodes, which take precedence over the cluster's. */
  nodes: ReadonlyMap<string, { host: string; sshPort?: number; mac?: string }>
  wolTarget: { address: string; port: number }
  clock: Clock
  protectedTargets: ReadonlySet<string>
}

/** Connects the operator's cluster: Proxmox's API, SSH to its nodes, and magic packets. */
export function connectHomelab({
  connection,
  pbs: pbsConnection,
  drillToken,
  ssh,
  quote,
  nodes,
  wolTarget,
  clock,
  protectedTargets,
}: RealHomelab): Homelab {
  const overSsh = { ...ssh, clock, quote, addressOf }
  const shell = createSshShell(overSsh)
  const pbs = pbsConnection && createPbs(pbsConnection)
  const {
    api,
    drillApi,
    consoles,
    addressOf: addressIn,
    ...cluster
  } = createProxmox({ connection, drillToken, shell, clock, protectedTargets })

  function addressOf(node: string) {
    const configured = nodes.get(node)
    const host = configured?.host ?? addressIn(node)
    if (host !== undefined) return { host, port: configured?.sshPort ?? 22 }
    throw new JarvisError(
      'not_found',
      `The address of ${node} is not known. Add it to JARVIS_NODES, for example ${node}=10.0.4.11.`,
    )
  }

  return {
    api,
    pbs,
    drillApi,
    shell,
    networkTimers: createNetworkTimers(shell),
    terminals: createSshTerminals(overSsh),
    consoles,
    waker: createWaker({ cluster, macOf: (node) => nodes.get(node)?.mac, target: wolTarget, clock }),
    cluster: {
      ...cluster,
      close() {
        cluster.close()
        shell.close()
        pbs?.close()
      },
    },
  }
}

import type { Cluster, Waker } from 'homelab-ports/ports'
import { sleep } from 'node-kit/clock'
import { JarvisError } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { magicPacket, sendDatagram } from './magic-packet.ts'

const patienceMs = 180_000
/** The packet is sent again after this time, ms: datagrams get lost, and a machine that is shutting down ignores them. */
const repeatMs = 15_000

/**
 * Wakes nodes with magic packets that JARVIS sends itself: the cluster's API cannot wake the node through which it is reached, and reports no
 * result. Reads from the cluster if the node came online.
 * @param options.macOf the node's MAC address, `aa:bb:cc:dd:ee:01`
 */
export function createWaker(options: {
  cluster: Pick<Cluster, 'state' | 'watch' | 'nodeDetail'>
  macOf(node: string): string | undefined
  target: { address: string; port: number }
  clock: Clock
}): Waker {
  const { cluster, target, clock } = options
  const find = (name: string) => cluster.state().nodes.find((node) => node.name === name)

  /** Asks the node itself, because the cluster lists it as online for some seconds after a power loss. */
  async function isOnline(name: string, signal: AbortSignal): Promise<boolean> {
    try {
      await cluster.nodeDetail(name, { signal })
      return true
    } catch (error) {
      signal.throwIfAborted()
      // The node answered that the token may not read it. Then the cluster's own status of the node counts.
      const isSilent = error instanceof JarvisError && error.code !== 'cluster_refused'
      return !isSilent && find(name)?.status === 'online'
    }
  }

  async function send(mac: string) {
    try {
      await sendDatagram(magicPacket(mac), target)
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException
      throw new JarvisError(
        'cluster_unreachable',
        `The magic packet could not be sent to ${target.address}:${target.port} (${code}). WOL_BROADCAST should be the broadcast address of the nodes' network, for example 10.0.4.255:9.`,
        { cause: error },
      )
    }
  }

  return {
    async wake(name, { signal, onProgress }) {
      signal.throwIfAborted()
      const node = find(name)
      if (node === undefined) {
        const known = cluster.state().nodes.map((other) => other.name)
        throw new JarvisError('not_found', `There is no node ${JSON.stringify(name)}. Nodes: ${known.join(', ')}.`)
      }
      if (node.status !== 'offline' && (await isOnline(name, signal)))
        return { cameOnline: true, wasOnline: true, afterMs: 0 }
      const mac = options.macOf(name)
      if (mac === undefined) {
        throw new JarvisError(
          'not_found',
          `The MAC address of ${name} is not known, for the cluster does not tell it. Add it to JARVIS_NODES, for example ${name}=ADDRESS@aa:bb:cc:dd:ee:01.`,
        )
      }

      const sentAt = clock.now()
      await send(mac)
      onProgress?.(`Magic packet sent to ${name} (${mac}) by way of ${target.address}:${target.port}`)
      onProgress?.(`Waiting until ${name} is seen online`)
      const ended = new AbortController()
      const timer = AbortSignal.any([signal, ended.signal])
      const cameOnline = await new Promise<boolean>((resolve, reject) => {
        const look = () => {
          if (find(name)?.status !== 'online') return
          isOnline(name, timer).then(
            (isSo) => isSo && resolve(true),
            () => {},
          )
        }
        const unwatch = cluster.watch(look)
        ended.signal.addEventListener('abort', unwatch)
        const repeat = async () => {
          for (let left = patienceMs; left > 0; left -= repeatMs) {
            await sleep(clock, repeatMs, timer)
            if (left > repeatMs) await send(mac)
          }
          resolve(false)
        }
        repeat().catch(reject)
        look()
      }).finally(() => ended.abort())
      return { cameOnline, wasOnline: false, afterMs: clock.now() - sentAt }
    },
  }
}

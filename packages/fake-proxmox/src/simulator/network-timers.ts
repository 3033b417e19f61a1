import type { NetworkTimers, TimerEnd } from 'homelab-ports/ports'
import type { PveHost } from '../pve-model/host.ts'
import { networkChanged } from '../pve-model/network/files.ts'
import type { World } from './world.ts'

/** Timers on the demo's nodes. They fire even if the node cannot be reached. */
export function createNetworkTimers(world: World, host: PveHost): NetworkTimers {
  const timers = new Map<string, TimerEnd | 'armed'>()
  return {
    async obstacle(node, { signal }) {
      await world.arrive(signal)
      const isOnline = world.node(node).offlineSince === undefined
      return isOnline ? undefined : `${node} is offline.`
    },
    async arm(node, { id, afterMs }, { signal }) {
      await world.arrive(signal)
      world.onlineNode(node)
      world.record(
        'command',
        `${node}: systemd-run --on-active=${Math.round(afterMs / 1000)}s --unit=jarvis-undo-${id}`,
      )
      const { network } = host.facts.node(node)
      const [before, staged] = [network.read(), network.staged()]
      timers.set(id, 'armed')
      world.later(afterMs, () => {
        if (timers.get(id) !== 'armed') return
        timers.set(id, 'gone_off')
        if (network.staged() === staged) network.drop()
        if (network.read() !== staged) return
        network.restore(before)
        networkChanged({ host }, node)
      })
    },
    async disarm(node, id, { signal }) {
      await world.arrive(signal)
      world.onlineNode(node)
      const state = timers.get(id)
      if (state === 'armed') timers.set(id, 'disarmed')
      return state === 'armed' ? 'disarmed' : (state ?? 'missing')
    },
  }
}

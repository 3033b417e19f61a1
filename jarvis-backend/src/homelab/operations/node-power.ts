import type { Cluster, PveApi } from 'homelab-ports/ports'

const pollMs = 3_000
/** Time limit for the node to go down, ms. Its guests shut down first: by Proxmox's default at most three minutes each, several at a time. */
const downWithinMs = 600_000
const upWithinMs = 600_000
/** Tolerance, seconds: a node reports its uptime in whole seconds. */
const uptimeSlackS = 2

/**
 * `isDown`: the node was seen offline, or has rebooted. `isBack`: the node was seen online after that. `afterMs`: time since the request, by the
 * cluster's clock.
 */
export type NodePowerOutcome = { isDown: boolean; isBack: boolean; afterMs: number }

/**
 * Tells a node to reboot or to shut down; the node stops its guests first. Then waits until the node is offline and, after a reboot, online again. A
 * lower uptime also proves a reboot. If the node is not seen in time, that is an outcome and not an error.
 * @throws ApiError: nothing was done, or `outcome_unknown`; the signal's reason
 */
export async function nodePower(
  { api, cluster }: { api: PveApi; cluster: Pick<Cluster, 'state' | 'watch' | 'catchUp'> },
  { node, command }: { node: string; command: 'reboot' | 'shutdown' },
  { signal, onProgress }: { signal: AbortSignal; onProgress(message: string): void },
): Promise<NodePowerOutcome> {
  const nodeNow = () => cluster.state().nodes.find(({ name }) => name === node)
  const uptimeBeforeS = nodeNow()?.uptimeS
  await api.change({ method: 'POST', path: ['nodes', node, 'status'], form: { command } }, { signal })
  const askedAt = api.now()
  // A watcher makes the cluster be read more often.
  const unwatch = cluster.watch(() => {})
  const isNow = (status: 'online' | 'offline') => () => nodeNow()?.status === status
  /** True if the node's uptime began after the request. A quick reboot can happen between two reads of the cluster. */
  function hasRestarted() {
    const uptimeS = nodeNow()?.uptimeS
    if (uptimeS === undefined || uptimeBeforeS === undefined) return false
    return uptimeS < uptimeBeforeS && uptimeS <= (api.now() - askedAt) / 1000 + uptimeSlackS
  }
  async function seen(isSo: () => boolean, withinMs: number) {
    const from = api.now()
    while (!isSo()) {
      if (api.now() - from >= withinMs) return false
      await api.wait(pollMs, signal)
      await cluster.catchUp?.()
    }
    return true
  }
  try {
    onProgress(`${node} was told to ${command === 'reboot' ? 'reboot' : 'shut down'}; its guests shut down first`)
    const isOff = isNow('offline')
    const isDown = await seen(() => isOff() || (command === 'reboot' && hasRestarted()), downWithinMs)
    if (command === 'shutdown' || !isDown) return { isDown, isBack: false, afterMs: api.now() - askedAt }
    onProgress(`${node} is off; waiting until it is seen online`)
    return { isDown, isBack: await seen(isNow('online'), upWithinMs), afterMs: api.now() - askedAt }
  } finally {
    unwatch()
  }
}

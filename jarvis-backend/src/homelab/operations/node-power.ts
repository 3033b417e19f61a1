import type { Cluster, PveApi } from '../ports.ts'

const pollMs = 3_000
/** Guests shut down first: three minutes each at most by Proxmox's default, several at a time. */
const downWithinMs = 600_000
const upWithinMs = 600_000
/** A node reports whole seconds of uptime. */
const uptimeSlackS = 2

/** `isDown`: it was seen off, or has rebooted; `isBack`: it was seen online after that; `afterMs`: the cluster's time since the request. */
export type NodePowerOutcome = { isDown: boolean; isBack: boolean; afterMs: number }

/**
 * Tells a node to reboot or to shut down, which stops its guests first, and watches until it is away and, after a
 * reboot, back. A reboot is also seen by an uptime that began anew. Not to be seen in time is an outcome.
 * @throws ApiError: nothing was done, or `outcome_unknown`; the signal's reason
 */
export async function nodePower(
  { api, cluster }: { api: PveApi; cluster: Pick<Cluster, 'state' | 'watch' | 'catchUp'> },
  { node, command }: { node: string; command: 'reboot' | 'shutdown' },
  { signal, onProgress }: { signal: AbortSignal; onProgress(message: string): void },
): Promise<NodePowerOutcome> {
  const nodeNow = () => cluster.state().nodes.find(({ name }) => name === node)
  const uptimeBeforeS = nodeNow()?.uptimeS
  await api.change('POST', ['nodes', node, 'status'], { command }, { signal })
  const askedAt = api.now()
  // Somebody watches, so that the cluster is looked at often.
  const unwatch = cluster.watch(() => {})
  const isNow = (status: 'online' | 'offline') => () => nodeNow()?.status === status
  /** True if the node's uptime began after the request: a quick reboot can fall between two looks. */
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

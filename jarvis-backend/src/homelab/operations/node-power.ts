import type { Cluster, PveApi } from '../ports.ts'

const pollMs = 3_000
/** Guests shut down first: three minutes each at most by Proxmox's default, several at a time. */
const downWithinMs = 600_000
const upWithinMs = 600_000

/** `isDown`, `isBack`: what was seen; `afterMs`: the cluster's time since the request. */
export type NodePowerOutcome = { isDown: boolean; isBack: boolean; afterMs: number }

/**
 * Tells a node to reboot or to shut down, which stops its guests first, and watches until it is away and, after a
 * reboot, back. Not to be seen in time is an outcome.
 * @throws ApiError: nothing was done, or `outcome_unknown`; the signal's reason
 */
export async function nodePower(
  { api, cluster }: { api: PveApi; cluster: Pick<Cluster, 'state' | 'watch' | 'catchUp'> },
  { node, command }: { node: string; command: 'reboot' | 'shutdown' },
  { signal, onProgress }: { signal: AbortSignal; onProgress(message: string): void },
): Promise<NodePowerOutcome> {
  await api.change('POST', ['nodes', node, 'status'], { command }, { signal })
  const askedAt = api.now()
  // Somebody watches, so that the cluster is looked at often.
  const unwatch = cluster.watch(() => {})
  const statusNow = () => cluster.state().nodes.find(({ name }) => name === node)?.status
  async function seen(status: 'online' | 'offline', withinMs: number) {
    const from = api.now()
    while (statusNow() !== status) {
      if (api.now() - from >= withinMs) return false
      await api.wait(pollMs, signal)
      await cluster.catchUp?.()
    }
    return true
  }
  try {
    onProgress(`${node} was told to ${command === 'reboot' ? 'reboot' : 'shut down'}; its guests shut down first`)
    const isDown = await seen('offline', downWithinMs)
    if (command === 'shutdown' || !isDown) return { isDown, isBack: false, afterMs: api.now() - askedAt }
    onProgress(`${node} is off; waiting until it is seen online`)
    return { isDown, isBack: await seen('online', upWithinMs), afterMs: api.now() - askedAt }
  } finally {
    unwatch()
  }
}

import type { DoctorCheck } from 'protocol'
import type { Config } from '../config/config.ts'
import { inspectCluster } from '../homelab/proxmox/index.ts'
import type { Clock } from '../lib/clock.ts'
import { warn } from './check.ts'
import { clusterChecks } from './cluster-checks.ts'
import { drillChecks } from './drill-checks.ts'
import { sshChecks, wakeChecks } from './node-checks.ts'

/** Checks the cluster, and its nodes if the cluster names them. */
export async function homelabChecks(config: Config, clock: Clock, signal: AbortSignal): Promise<DoctorCheck[]> {
  if (config.proxmox === undefined) {
    return [warn('Cluster', 'The built-in demo serves: no cluster is connected.', 'npm run jarvis -- setup')]
  }
  const seen = await inspectCluster(config.proxmox, { now: () => clock.now(), signal, tries: true })
  const checks = [
    ...clusterChecks(config.proxmox, seen),
    ...(await drillChecks(config.proxmox, config.drill, { clock, signal })),
  ]
  if (seen.nodes.length === 0) return checks
  return [...checks, ...(await sshChecks(config, seen.nodes, { clock, signal })), ...wakeChecks(config, seen.nodes)]
}

import type { NodeDetail } from 'homelab-ports/ports'
import { NodeNow, readAs } from '../pve/answers.ts'
import type { Api } from './transport.ts'

/** Time limit, ms. A node that has just died is still listed as online. A node that is up answers at once. */
const answerMs = 4_000

/** Reads a node's details. @param name the node's name in the cluster @throws ApiError */
export async function nodeDetail(
  api: Api,
  name: string,
  ask: { signal: AbortSignal; mostMs?: number | undefined },
): Promise<NodeDetail> {
  const options = { signal: ask.signal, answerMs: Math.min(answerMs, ask.mostMs ?? answerMs) }
  const now = readAs(NodeNow, await api.get(['nodes', name, 'status'], {}, options), name)
  const [load1, load5, load15] = now.loadavg ?? []
  const found: { [K in keyof NodeDetail]: NodeDetail[K] | undefined } = {
    name,
    version: now.pveversion,
    kernel: now['current-kernel']?.release ?? now.kversion,
    cpuModel: now.cpuinfo?.model,
    cpuCount: now.cpuinfo?.cpus,
    // A new worker process of Proxmox reports 0 at its first call, before it has measured.
    cpuRatio: now.cpu === 0 ? undefined : now.cpu,
    load: load1 === undefined || load5 === undefined || load15 === undefined ? undefined : [load1, load5, load15],
    ramBytes: now.memory?.used,
    ramTotalBytes: now.memory?.total,
    rootBytes: now.rootfs?.used,
    rootTotalBytes: now.rootfs?.total,
    uptimeS: now.uptime,
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as NodeDetail
}

import type { NodeDetail } from '../ports.ts'
import { NodeNow, readAs } from './answers.ts'
import type { Api } from './transport.ts'

/** @param name one that the cluster names @throws ApiError */
export async function nodeDetail(api: Api, name: string, signal: AbortSignal): Promise<NodeDetail> {
  const now = readAs(NodeNow, await api.get(['nodes', name, 'status'], {}, { signal }), name)
  const [load1 = 0, load5 = 0, load15 = 0] = now.loadavg ?? []
  return {
    name,
    version: now.pveversion ?? 'unknown',
    kernel: now['current-kernel']?.release ?? now.kversion ?? 'unknown',
    cpuModel: now.cpuinfo?.model ?? 'unknown',
    cpuCount: now.cpuinfo?.cpus ?? 0,
    cpuRatio: now.cpu ?? 0,
    load: [load1, load5, load15],
    ramBytes: now.memory?.used ?? 0,
    ramTotalBytes: now.memory?.total ?? 0,
    rootBytes: now.rootfs?.used ?? 0,
    rootTotalBytes: now.rootfs?.total ?? 0,
    uptimeS: now.uptime ?? 0,
  }
}

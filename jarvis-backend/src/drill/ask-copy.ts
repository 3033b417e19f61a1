import { ApiError } from 'homelab-ports/failure'
import type { PveApi } from 'homelab-ports/ports'
import { z } from 'zod'
import { figure, rowsOf, words } from '../homelab/pve/answers.ts'
import { isForbidden } from '../homelab/pve/rights.ts'
import { copyPath } from './copy.ts'
import type { Drill } from './drill.ts'

/** The result of starting a copy. `isProven`: false if the copy did not start as it should; `problem` then gives the reason. */
export type Answer = {
  level: 4 | 5
  isProven: boolean
  bootMs?: number
  system?: string
  notProven: string[]
  problem?: string
}

/** Time to wait for a VM's guest agent, ms. Without a network, a boot may wait two minutes for one. */
const patienceMs = 300_000
const lookEveryMs = 3_000
/** Time that a container must run to count as started, ms, because it has no agent. */
const runsForMs = 60_000

const StatusNow = z.object({ status: words, diskread: figure })
const OsInfo = z.object({ result: z.object({ 'pretty-name': words, name: words }) })
const FileSystem = z.object({ mountpoint: words })

/**
 * Waits until a VM's agent answers, or a container has run for a minute. A VM without agent that runs and reads from its disk counts as `started`,
 * but its boot is not proven.
 * @throws ApiError if the cluster cannot be read; the signal's reason
 */
export async function askCopy(
  api: PveApi,
  drill: Drill,
  { hasAgent, signal, onProgress }: { hasAgent: boolean; signal: AbortSignal; onProgress(text: string): void },
): Promise<Answer> {
  const from = api.now()
  // The waits are added up, because in the demo they pass faster than the demo's clock.
  let waitedMs = 0
  const isCt = drill.type === 'ct'
  const mostMs = isCt ? runsForMs : patienceMs
  let agentProblem = hasAgent ? 'its guest agent did not answer within 5 min' : 'it has no guest agent'
  let isAsking = hasAgent && !isCt
  let firstRead: number | undefined
  onProgress(
    isCt
      ? 'It started; it must run for a minute'
      : isAsking
        ? 'It started; asking its agent'
        : 'It started; no agent to ask',
  )
  for (;;) {
    const { status, diskread } = await readStatus(api, drill, signal)
    const ranMs = Math.max(api.now() - from, waitedMs)
    if (status !== 'running')
      return {
        level: 4,
        isProven: false,
        notProven: [],
        problem: `It stopped by itself after ${Math.round(ranMs / 1000)} s.`,
      }
    firstRead ??= diskread
    if (isAsking) {
      const answer = await ping(api, drill, signal)
      if (answer === 'answers')
        return { level: 5, isProven: true, bootMs: ranMs, ...(await askSystem(api, drill, signal)) }
      if (answer === 'forbidden') {
        isAsking = false
        agentProblem = 'the token lacks VM.GuestAgent.Audit'
      }
    }
    if (ranMs >= mostMs) {
      if (isCt) return { level: 5, isProven: true, notProven: ['that more of it works than that it runs for a minute'] }
      const notProven = [`that it booted: ${agentProblem}`]
      if (diskread !== undefined && firstRead !== undefined && diskread > firstRead)
        return { level: 4, isProven: true, notProven: [...notProven, 'it started, and reads from its disk'] }
      return { level: 4, isProven: false, notProven, problem: 'It runs, and is not seen to read from its disk.' }
    }
    await api.wait(lookEveryMs, signal)
    waitedMs += lookEveryMs
  }
}

async function readStatus(api: PveApi, drill: Drill, signal: AbortSignal) {
  const read = async () => StatusNow.parse(await api.get([...copyPath(drill), 'status', 'current'], {}, { signal }))
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'cluster_refused') throw error
    await api.wait(lookEveryMs, signal)
    return read()
  }
}

async function ping(api: PveApi, drill: Drill, signal: AbortSignal): Promise<'answers' | 'silent' | 'forbidden'> {
  try {
    await api.change({ method: 'POST', path: [...copyPath(drill), 'agent', 'ping'], form: {} }, { signal })
    return 'answers'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return isForbidden(error) ? 'forbidden' : 'silent'
  }
}

async function askSystem(
  api: PveApi,
  drill: Drill,
  signal: AbortSignal,
): Promise<Pick<Answer, 'system' | 'notProven'>> {
  const read = async (what: string) => {
    try {
      return await api.get([...copyPath(drill), 'agent', what], {}, { signal })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return undefined
    }
  }
  const os = OsInfo.safeParse(await read('get-osinfo'))
  const system = os.success ? (os.data.result['pretty-name'] ?? os.data.result.name) : undefined
  const answered = (await read('get-fsinfo')) as { result?: unknown } | undefined
  const mounted = rowsOf(FileSystem, answered?.result).rows.length
  return {
    system,
    notProven: mounted > 0 ? [] : ['that its file systems are mounted: its agent did not name any'],
  }
}

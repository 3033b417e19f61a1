import type { PveReader } from 'homelab-ports/ports'
import { byNatural } from 'node-kit/natural'
import { z } from 'zod'
import { rowsOf, words } from '../pve/answers.ts'
import { whyUnread } from './read-each.ts'

const answerMs = 25_000
const UpdateRow = z.object({ Package: z.string(), Version: words, OldVersion: words, Origin: words })
const VersionRow = z.object({ Package: z.string(), CurrentState: words, RunningKernel: words })
const kernelName = /^(?:proxmox|pve)-kernel-(\d+\.\d+\.\d+-\d+-pve)(?:-signed)?$/

export type PendingUpdate = { name: string; from?: string; to?: string; origin?: string }
/** `runningKernel`, `newestKernel`: absent if the node does not report them. */
export type Updates = {
  /** Null: the updates could not be read. */
  pending: PendingUpdate[] | null
  runningKernel?: string
  newestKernel?: string
  missing: string[]
}

/** Reads the updates in the node's package lists, as of their last refresh, and the running kernel. @throws only the signal's reason */
export async function readUpdates(api: PveReader, node: string, signal: AbortSignal): Promise<Updates> {
  const missing: string[] = []
  const read = async (what: 'update' | 'versions', needs: string) => {
    try {
      return await api.get(['nodes', node, 'apt', what], {}, { signal, answerMs })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      missing.push(`${what === 'update' ? 'updates' : 'versions'} of ${node} ${whyUnread(error, needs)}`)
      return undefined
    }
  }
  const [updates, versions] = await Promise.all([
    read('update', 'Sys.Modify on /nodes'),
    read('versions', 'Sys.Audit on /nodes'),
  ])
  const rows = rowsOf(VersionRow, versions).rows
  const runningKernel = rows.find(({ RunningKernel }) => RunningKernel !== undefined)?.RunningKernel
  const newestKernel = rows
    .filter(({ CurrentState }) => CurrentState === 'Installed')
    .flatMap(({ Package }) => kernelName.exec(Package)?.[1] ?? [])
    .sort(byNatural)
    .at(-1)
  return {
    pending: Array.isArray(updates) ? rowsOf(UpdateRow, updates).rows.map(pendingOf) : null,
    runningKernel,
    newestKernel,
    missing,
  }
}

const pendingOf = ({ Package, OldVersion, Version, Origin }: z.output<typeof UpdateRow>): PendingUpdate => ({
  name: Package,
  from: OldVersion,
  to: Version,
  origin: Origin,
})

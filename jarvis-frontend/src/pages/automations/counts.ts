import { readWindows } from '../../api/alert-acts.ts'
import { readJobs } from '../../api/jobs.ts'
import { listRunbooks } from '../../api/runbooks.ts'
import { useLoad } from '../../api/use-load.ts'
import type { TabCounts } from '../../app/page-tabs.tsx'

type Part = 'jobs' | 'runbooks' | 'windows'

/** How the items of a part are read, and the change after which they are read again. */
const parts: Record<Part, { read: () => Promise<{ items: readonly unknown[] }>; on: string }> = {
  jobs: { read: readJobs, on: 'jobs' },
  runbooks: { read: listRunbooks, on: 'runbooks' },
  windows: { read: readWindows, on: 'alerts' },
}

/** The numbers beside the tabs of Automations. @param own the open page, which reads its own count */
export function useCounts(own: Part, count: number | undefined): TabCounts {
  const counts = {
    jobs: useCount('jobs', own),
    runbooks: useCount('runbooks', own),
    windows: useCount('windows', own),
    [own]: count,
  }
  return {
    '/automations': counts.jobs,
    '/automations/runbooks': counts.runbooks,
    '/automations/windows': counts.windows,
  }
}

function useCount(part: Part, own: Part): number | undefined {
  const { read, on } = parts[part]
  return useLoad(part, own === part ? undefined : read, ['connect', on]).data?.items.length
}

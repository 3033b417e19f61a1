import { readWindows } from '../../api/alert-acts.ts'
import { readJobs } from '../../api/jobs.ts'
import { listRunbooks } from '../../api/runbooks.ts'
import { useLoad } from '../../api/use-load.ts'
import type { TabCounts } from '../../app/page-tabs.tsx'

type Part = 'jobs' | 'runbooks' | 'windows'

/** The numbers beside the tabs of Automations. @param own the open page, which reads its own count */
export function useCounts(own: Part, count: number | undefined): TabCounts {
  const counts = {
    jobs: useCount(own, 'jobs', readJobs, 'jobs'),
    runbooks: useCount(own, 'runbooks', listRunbooks, 'runbooks'),
    windows: useCount(own, 'windows', readWindows, 'alerts'),
    [own]: count,
  }
  return {
    '/automations': counts.jobs,
    '/automations/runbooks': counts.runbooks,
    '/automations/windows': counts.windows,
  }
}

const useCount = (own: Part, part: Part, read: () => Promise<{ items: readonly unknown[] }>, on: string) =>
  useLoad(part, own === part ? async () => undefined : read, ['connect', on]).data?.items.length

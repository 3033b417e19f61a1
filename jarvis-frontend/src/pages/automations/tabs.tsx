import { readWindows } from '../../api/alert-acts.ts'
import { readJobs } from '../../api/jobs.ts'
import { listRunbooks } from '../../api/runbooks.ts'
import { useLoad } from '../../api/use-load.ts'
import { AutomationTabs } from '../../app/page-tabs.tsx'

type Part = 'jobs' | 'runbooks' | 'windows'

/** The three tabs of Automations, each with its count. @param own the open page, which reads its own count */
export function Tabs({ own, count }: { own: Part; count: number | undefined }) {
  const others = {
    jobs: useCount(own, 'jobs', readJobs, 'jobs'),
    runbooks: useCount(own, 'runbooks', listRunbooks, 'runbooks'),
    windows: useCount(own, 'windows', readWindows, 'alerts'),
  }
  return <AutomationTabs {...others} {...{ [own]: count }} />
}

const useCount = (own: Part, part: Part, read: () => Promise<{ items: readonly unknown[] }>, on: string) =>
  useLoad(part, own === part ? async () => undefined : read, ['connect', on]).data?.items.length

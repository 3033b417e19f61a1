import { useStatus } from '../api/status.ts'
import { Link } from '../ui/link.tsx'
import { useHere, usePages } from './here.ts'

/** Numbers beside tabs, by the path of their page. */
export type TabCounts = Readonly<Record<string, number | undefined>>

/** Returns links to the pages that have tabs beside the open page's; undefined if the open page has no tab, or no other page has. */
export function usePageTabs(counts: TabCounts): React.ReactNode {
  const pages = usePages()
  const page = useHere()?.page
  const hasTerminal = useStatus()?.hasTerminal === true
  if (page?.tab === undefined) return undefined
  const tabs = pages.tabsBeside(page).filter(({ needs }) => needs === undefined || hasTerminal)
  if (tabs.length < 2) return undefined
  return (
    <nav className="filters" aria-label={pages.placeOf(page).title}>
      {tabs.map((tab) => (
        <Link key={tab.path} to={tab.path} aria-current={tab === page ? 'page' : undefined}>
          {tab.tab}
          {counts[tab.path] !== undefined && <span className="num">{counts[tab.path]}</span>}
        </Link>
      ))}
    </nav>
  )
}

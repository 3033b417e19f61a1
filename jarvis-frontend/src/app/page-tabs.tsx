import { useLocation } from '../lib/location.tsx'
import { Link } from '../ui/link.tsx'

export type PageTab = { to: string; name: string; count?: number | undefined }

/** Links to the sub-pages of a page. They are in the page's header, on a phone below it. */
export function PageTabs({ label, tabs }: { label: string; tabs: readonly PageTab[] }) {
  const { pathname } = useLocation()
  const here = tabs.findLast(({ to }) => `${pathname.toLowerCase()}/`.startsWith(`${to}/`))
  return (
    <nav className="filters" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.to} to={tab.to} aria-current={tab === here ? 'page' : undefined}>
          {tab.name}
          {tab.count !== undefined && <span className="num">{tab.count}</span>}
        </Link>
      ))}
    </nav>
  )
}

const agentTabs: readonly PageTab[] = [
  { to: '/agents/skills', name: 'Skills' },
  { to: '/agents/tools', name: 'Tools' },
  { to: '/agents/memory', name: 'Memory' },
]
export const AgentTabs = ({ agents }: { agents?: number | undefined }) => (
  <PageTabs label="Agents" tabs={[{ to: '/agents', name: 'Agents', count: agents }, ...agentTabs]} />
)

type Counts = { jobs?: number | undefined; runbooks?: number | undefined; windows?: number | undefined }
export const AutomationTabs = ({ jobs, runbooks, windows }: Counts) => (
  <PageTabs
    label="Automations"
    tabs={[
      { to: '/automations', name: 'Jobs', count: jobs },
      { to: '/automations/runbooks', name: 'Runbooks', count: runbooks },
      { to: '/automations/windows', name: 'Windows', count: windows },
    ]}
  />
)

const systemTabs: readonly PageTab[] = [
  { to: '/system', name: 'Parts' },
  { to: '/system/terminal', name: 'Terminal' },
]
export const SystemTabs = () => <PageTabs label="System" tabs={systemTabs} />

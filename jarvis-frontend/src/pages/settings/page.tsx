import { type ComponentType, useEffect } from 'react'
import { useHere, usePagesIn } from '../../app/here.ts'
import { PageHead } from '../../app/page-head.tsx'
import { type SettingsSection, settingsSections } from '../../app/settings-sections.ts'
import { navigate, useLocation } from '../../lib/location.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { Backups } from './backups.tsx'
import { Budgets } from './budgets.tsx'
import { Channels } from './channels.tsx'
import { Display } from './display.tsx'
import { InForce } from './in-force.tsx'
import { McpServers } from './mcp-servers.tsx'
import { Models } from './models.tsx'
import { Nodes } from './nodes.tsx'
import { Notifications } from './notifications.tsx'
import { People } from './people.tsx'
import { Persona } from './persona.tsx'
import { Policy } from './policy.tsx'
import { Proxmox } from './proxmox.tsx'
import { Safety } from './safety.tsx'
import { Ssh } from './ssh.tsx'
import { Tokens } from './tokens.tsx'
import { Workbench } from './workbench.tsx'
import './page.css'

const parts: Record<SettingsSection, ComponentType> = {
  models: Models,
  proxmox: Proxmox,
  nodes: Nodes,
  ssh: Ssh,
  people: People,
  tokens: Tokens,
  channels: Channels,
  'mcp-servers': McpServers,
  budgets: Budgets,
  safety: Safety,
  policy: Policy,
  workbench: Workbench,
  persona: Persona,
  backups: Backups,
  notifications: Notifications,
  display: Display,
  'in-force': InForce,
}

/** The list of settings, and the section that the address names. On a phone the list is a page of its own. */
export function SettingsPage() {
  const isPhone = useMedia(phone)
  const { pathname, search, hash } = useLocation()
  const page = useHere()?.page
  const pages = usePagesIn('settings')
  const isList = page?.path === '/settings'
  // Before each section was a page, the address named it by its fragment.
  const former = isList ? pages.find(({ path }) => path === `${pathname}/${hash.slice(1)}`)?.path : undefined
  useEffect(() => {
    if (former !== undefined) navigate(former + search, { replace: true })
  }, [former, search])
  const open = pages.find((one) => one === page) ?? (isPhone && isList ? undefined : pages[0])
  const section = settingsSections.find(({ id }) => open?.path.endsWith(`/${id}`))
  const Section = section && parts[section.id]
  const list = (
    <nav className={isPhone ? 'more-list' : undefined} aria-label="Settings">
      {pages.map((one) => (
        <Link key={one.path} to={one.path} aria-current={one === open ? 'page' : undefined}>
          {isPhone ? (
            <>
              <Icon name={one.icon} />
              <span>
                {one.title} <small>{one.about}</small>
              </span>
              <Icon name="right" />
            </>
          ) : (
            one.title
          )}
        </Link>
      ))}
    </nav>
  )
  return (
    <>
      <PageHead>
        <span className="flex-1" />
      </PageHead>
      {Section === undefined ? (
        <div className="page scroll">{list}</div>
      ) : (
        <>
          {isPhone && (
            <Link to="/settings" className="back">
              <Icon name="right" /> Settings
            </Link>
          )}
          <div className="page settings">
            {!isPhone && list}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too */}
            <div className="scroll settings-body" tabIndex={0}>
              <Section />
            </div>
          </div>
        </>
      )}
    </>
  )
}

import { useEffect, useRef } from 'react'
import { signedIn } from '../../api/auth.ts'
import { PageHead } from '../../app/page-head.tsx'
import { useLocation } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Budgets } from './budgets.tsx'
import { Channels } from './channels.tsx'
import { Display } from './display.tsx'
import { McpServers } from './mcp-servers.tsx'
import { Models } from './models.tsx'
import { Nodes } from './nodes.tsx'
import { Notifications } from './notifications.tsx'
import { People } from './people.tsx'
import { Persona } from './persona.tsx'
import { Proxmox } from './proxmox.tsx'
import { Safety } from './safety.tsx'
import { Ssh } from './ssh.tsx'
import { Tokens } from './tokens.tsx'
import './page.css'

/** Those that are everybody's own. A member has no other: the rest is the cluster's. */
const ownSections: readonly string[] = ['people', 'tokens', 'notifications', 'display']
const allSections = [
  ['models', 'Models', Models],
  ['proxmox', 'Proxmox', Proxmox],
  ['nodes', 'Nodes', Nodes],
  ['ssh', 'SSH', Ssh],
  ['people', 'People and devices', People],
  ['tokens', 'Tokens', Tokens],
  ['channels', 'Channels', Channels],
  ['mcp-servers', 'MCP servers', McpServers],
  ['budgets', 'Budgets', Budgets],
  ['safety', 'Safety', Safety],
  ['persona', 'Persona', Persona],
  ['notifications', 'Notifications', Notifications],
  ['display', 'Display', Display],
] as const

/** All that can be set from here; each part tests itself and says what it takes. */
export function SettingsPage() {
  const isMember = useValue(signedIn)?.rank === 'member'
  const sections = isMember ? allSections.filter(([id]) => ownSections.includes(id)) : allSections
  const body = useRef<HTMLDivElement>(null)
  useHashInView(body)
  return (
    <>
      <PageHead title="Settings">
        <span className="flex-1" />
      </PageHead>
      <div className="page settings">
        <nav aria-label="Settings">
          {sections.map(([id, name]) => (
            <a key={id} href={`#${id}`}>
              {name}
            </a>
          ))}
        </nav>
        <div ref={body} className="scroll settings-body">
          {sections.map(([id, , Part]) => (
            <Part key={id} />
          ))}
        </div>
      </div>
    </>
  )
}

/** Brings the part that the address names into view, and holds it there while what is above it loads, until a person scrolls. */
function useHashInView(body: React.RefObject<HTMLElement | null>): void {
  const { hash } = useLocation()
  useEffect(() => {
    const part = hash === '' ? null : document.getElementById(hash.slice(1))
    const page = body.current
    if (part === null || page === null) return
    const show = () => part.scrollIntoView({ block: 'start', behavior: 'instant' })
    const watch = new ResizeObserver(show)
    for (const child of page.children) watch.observe(child)
    const leave = () => watch.disconnect()
    const gone = new AbortController()
    for (const event of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
      addEventListener(event, leave, { signal: gone.signal, passive: true, once: true })
    }
    show()
    return () => {
      leave()
      gone.abort()
    }
  }, [hash, body])
}

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
import { useSectionInView } from './section-in-view.ts'
import { Ssh } from './ssh.tsx'
import { Tokens } from './tokens.tsx'
import { Workbench } from './workbench.tsx'
import './page.css'

/** The sections that every person has. A member has only these, because the others concern the cluster. */
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
  ['workbench', 'Workbench', Workbench],
  ['persona', 'Persona', Persona],
  ['notifications', 'Notifications', Notifications],
  ['display', 'Display', Display],
] as const

/** All settings that the dashboard can change. Each section tests its values and says if a change needs a restart. */
export function SettingsPage() {
  const isMember = useValue(signedIn)?.rank === 'member'
  const sections = isMember ? allSections.filter(([id]) => ownSections.includes(id)) : allSections
  const body = useRef<HTMLDivElement>(null)
  useHashInView(body)
  const current = useSectionInView(body)
  const nav = useRef<HTMLElement>(null)
  // On a phone the names of the sections are a strip that is wider than the screen.
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>(`[href="#${current}"]`)
    if (link && nav.current) nav.current.scrollLeft = link.offsetLeft - (nav.current.clientWidth - link.offsetWidth) / 2
  }, [current])
  return (
    <>
      <PageHead>
        <span className="flex-1" />
      </PageHead>
      <div className="page settings">
        <nav ref={nav} aria-label="Settings">
          {sections.map(([id, name]) => (
            <a key={id} href={`#${id}`} aria-current={id === current ? 'location' : undefined}>
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

/** Scrolls to the section that the address names, and keeps it in view while sections above it load, until the person scrolls. */
function useHashInView(body: React.RefObject<HTMLElement | null>): void {
  const { hash } = useLocation()
  const isLoaded = useRef(false)
  useEffect(() => {
    const part = hash === '' ? null : document.getElementById(hash.slice(1))
    const page = body.current
    const isHere = isLoaded.current && part !== null && page !== null && isAtMiddle(part, page)
    isLoaded.current = true
    // Do not scroll if the link is inside the section that is already in view.
    if (part === null || page === null || isHere) return
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

function isAtMiddle(part: HTMLElement, page: HTMLElement): boolean {
  const { top, bottom } = part.getBoundingClientRect()
  const seen = page.getBoundingClientRect()
  const middle = (seen.top + seen.bottom) / 2
  return top < middle && bottom > middle
}

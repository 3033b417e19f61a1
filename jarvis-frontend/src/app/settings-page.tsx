import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { PageHead } from './page-head.tsx'
import { Display } from './settings/display.tsx'
import { McpServers, McpTokens } from './settings/mcp.tsx'
import { Models } from './settings/models.tsx'
import { Nodes } from './settings/nodes.tsx'
import { Notifications } from './settings/notifications.tsx'
import { Persona } from './settings/persona.tsx'
import { Proxmox } from './settings/proxmox.tsx'
import { Safety } from './settings/safety.tsx'
import { SignIn } from './settings/sign-in.tsx'
import { Ssh } from './settings/ssh.tsx'
import './settings-page.css'

const sections = [
  ['models', 'Models', Models],
  ['proxmox', 'Proxmox', Proxmox],
  ['nodes', 'Nodes', Nodes],
  ['ssh', 'SSH', Ssh],
  ['mcp', 'MCP tokens', McpTokens],
  ['mcp-servers', 'MCP servers', McpServers],
  ['safety', 'Safety', Safety],
  ['persona', 'Persona', Persona],
  ['notifications', 'Notifications', Notifications],
  ['display', 'Display', Display],
  ['sign-in', 'Sign-in', SignIn],
] as const

/** All that can be set from here; each part tests itself and says what it takes. */
export function SettingsPage() {
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

import { lazy, Suspense, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { useStatus } from '../../api/status.ts'
import { Resting, useIsLive } from '../../app/load-state.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { useValue } from '../../lib/use-value.ts'
import type { TerminalEnd } from '../../realtime/terminal.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Mark } from '../../ui/mark.tsx'
import '../settings/page.css'
import '../terminal/page.css'
import './console.css'

// The viewers are large, so they are fetched when a console is opened.
const VmScreen = lazy(() =>
  import('../../features/terminal/vm-screen.tsx').then((part) => ({ default: part.VmScreen })),
)
const Screen = lazy(() => import('../../features/terminal/screen.tsx').then((part) => ({ default: part.Screen })))

type Opened = { vmid: number; count: number; isConnected: boolean; end?: TerminalEnd }

/** A guest's own console for an operator: a VM's screen, or a container's terminal. The gate does not check it, and the page says so. */
export function GuestConsole({ vmid, type }: { vmid: number; type: 'vm' | 'ct' }) {
  const guest = useCluster().state?.guests.find((one) => one.vmid === vmid)
  const name = guest?.name ?? String(vmid)
  const what = type === 'vm' ? 'screen' : 'terminal'
  const status = useStatus()
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const [last, setOpened] = useState<Opened>()
  const opened = last?.vmid === vmid ? last : undefined
  const isOpen = opened !== undefined && opened.end === undefined
  const isStopped = guest?.status === 'stopped'
  if (status?.hasTerminal === false) {
    return (
      <Empty title="Consoles are off.">
        <p>
          <code>JARVIS_TERMINAL=1</code> in <code>.env</code> turns them on at the next start, with the shells on nodes.
          What is typed there is your own: the gate does not see it.
        </p>
      </Empty>
    )
  }
  const change = (more: Partial<Opened>) => setOpened((before) => before && { ...before, ...more })
  const events = {
    onOpen: () => change({ isConnected: true }),
    onEnd: (end: TerminalEnd) => change({ end }),
  }
  return (
    <section className="guest-console" aria-label={`Console of ${name}`}>
      <p className="terminal-line" role="note">
        <Mark kind="warn" size={12} />
        <b>
          This is the {what} of <Visible text={name} /> itself.
        </b>{' '}
        JARVIS does not guard it. The journal keeps who, where, how long and how many bytes, not what.
        {isOpen && <small>Shift Tab leaves it by keyboard.</small>}
      </p>
      <div className="form-row">
        {isOpen ? (
          <button type="button" className="button" onClick={() => change({ end: { reason: 'closed' } })}>
            Close the {what}
          </button>
        ) : (
          isOperator && (
            <button
              type="button"
              className="button"
              aria-disabled={!isLive || isStopped}
              onClick={() => {
                if (isLive && !isStopped) setOpened({ vmid, count: (last?.count ?? 0) + 1, isConnected: false })
              }}
            >
              Open the {what}
            </button>
          )
        )}
        <Resting isOperator={isOperator} isLive={isLive || isOpen} />
        {isStopped && !isOpen && <p className="rest-note">A guest that is stopped has no {what}.</p>}
        <p role="status" className="rest-note">
          {isOpen && (opened.isConnected ? 'Connected.' : 'Connecting …')}
        </p>
      </div>
      {opened?.end !== undefined && (
        <p className="form-problem" role="status">
          <Mark kind="none" size={11} />{' '}
          <Visible text={`The ${what} of ${name} ended: ${opened.end.reason ?? 'no reason given'}`} />
        </p>
      )}
      {isOpen && (
        <Suspense fallback={null}>
          {type === 'vm' ? (
            <VmScreen key={opened.count} vmid={vmid} name={name} {...events} />
          ) : (
            <Screen key={opened.count} vmid={vmid} {...events} />
          )}
        </Suspense>
      )}
    </section>
  )
}

import { lazy, Suspense, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { readSettings } from '../../api/settings.ts'
import { useStatus } from '../../api/status.ts'
import { useLoad } from '../../api/use-load.ts'
import { Resting, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { useSearchParams } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import type { TerminalEnd } from '../../realtime/terminal.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Mark } from '../../ui/mark.tsx'
import '../settings/page.css'
import './page.css'

// The terminal widget is large, so it is fetched when a shell is opened.
const Screen = lazy(() => import('../../features/terminal/screen.tsx').then((part) => ({ default: part.Screen })))

/** An owner's own shell on a node. The gate does not check it, and the page says so while it is open. */
export function TerminalPage() {
  const [params, setParams] = useSearchParams()
  const nodes = useCluster().state?.nodes ?? []
  const online = nodes.filter(({ status }) => status === 'online')
  const node = params.get('node') ?? online[0]?.name
  const status = useStatus()
  const isOwner = useValue(signedIn)?.rank === 'owner'
  const isLive = useIsLive()
  const user = useLoad('settings', readSettings).data?.ssh.user ?? 'root'
  const [opened, setOpened] = useState<{ node: string; count: number; end?: TerminalEnd }>()
  const isOpen = opened !== undefined && opened.end === undefined
  return (
    <>
      <PageHead detail={isOpen ? opened.node : undefined}>
        <span className="flex-1" />
      </PageHead>
      <div className="page shell-page">
        {status?.hasTerminal === false ? (
          <Empty title="The terminal is off.">
            <p>
              <code>JARVIS_TERMINAL=1</code> in <code>.env</code> turns it on at the next start. What is typed there is
              your own: the gate does not see it.
            </p>
          </Empty>
        ) : (
          <>
            <p className="terminal-line" role="note">
              <Mark kind="warn" size={12} />
              <b>
                {isOpen ? 'You are' : 'You will be'} <Visible text={user} /> on{' '}
                <Visible text={opened?.node ?? node ?? 'a node'} />.
              </b>{' '}
              JARVIS does not guard this.
              {isOpen && <small>Shift Tab leaves it by keyboard.</small>}
            </p>
            <form
              className="form-row"
              aria-label="Open a shell"
              onSubmit={(event) => {
                event.preventDefault()
                if (node !== undefined && isLive && !isOpen) setOpened({ node, count: (opened?.count ?? 0) + 1 })
              }}
            >
              <label>
                Node
                <select
                  className="field"
                  value={node}
                  disabled={isOpen}
                  onChange={(event) => setParams({ node: event.currentTarget.value })}
                >
                  {online.map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
              {isOpen ? (
                <button
                  type="button"
                  className="button"
                  onClick={() => setOpened({ ...opened, end: { reason: 'closed' } })}
                >
                  Close the shell
                </button>
              ) : (
                isOwner && (
                  <button type="submit" className="button" aria-disabled={!isLive || node === undefined}>
                    Open a shell on {node}
                  </button>
                )
              )}
              <Resting isOperator={isOwner} isLive={isLive || isOpen} who="owner" />
            </form>
            {opened?.end !== undefined && (
              <p className="form-problem" role="status">
                <Mark kind="none" size={11} />{' '}
                <span>
                  {opened.end.code === undefined ? (
                    <Visible text={`The shell on ${opened.node} ended: ${opened.end.reason ?? 'no reason given'}`} />
                  ) : (
                    `The shell on ${opened.node} ended with exit code ${opened.end.code}.`
                  )}
                </span>
              </p>
            )}
            {isOpen && (
              <Suspense fallback={null}>
                <Screen key={opened.count} node={opened.node} onEnd={(end) => setOpened({ ...opened, end })} />
              </Suspense>
            )}
          </>
        )}
      </div>
    </>
  )
}

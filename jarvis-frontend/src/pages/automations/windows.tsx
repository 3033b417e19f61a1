import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { endWindow, makeWindow, readWindows } from '../../api/alert-acts.ts'
import { signedIn } from '../../api/auth.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { when } from '../../features/alerts/words.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useCounts } from './counts.ts'
import './page.css'

const hourMs = 3_600_000
const localOf = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** Maintenance windows: while one is open, alerts of its objects are shown, and nobody is notified. */
export function WindowsPage() {
  const { data, problem, again } = useLoad('windows', readWindows, ['connect', 'alerts'])
  const counts = useCounts('windows', data?.items.length)
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const [refused, setRefused] = useState<ApiError>()
  const now = useNow(10_000)
  const act = async (work: Promise<unknown>) => {
    try {
      await work
      setRefused(undefined)
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
    again()
  }
  const mayAct = isOperator && isLive
  const start = Math.ceil(now / 60_000) * 60_000
  return (
    <>
      <PageHead counts={counts}>
        <span className="flex-1" />
      </PageHead>
      <div className="page scroll windows">
        <PanelHead title="Maintenance windows">alerts are shown, and nobody is told</PanelHead>
        <Problem error={problem} onAgain={again} kept={data !== undefined} />
        {data === undefined && problem === undefined && <Skeletons rows={3} height={44} />}
        {data?.items.length === 0 && <p className="job-none">No window is planned.</p>}
        {data !== undefined && data.items.length > 0 && (
          <ul className="fact-list">
            {data.items.map((window) => {
              const state = window.until < now ? 'over' : window.from > now ? 'planned' : 'open'
              return (
                <li key={window.id}>
                  <Mark kind={state === 'open' ? 'running' : state === 'planned' ? 'stopped' : 'none'} label={state} />
                  <span>
                    <Visible text={window.name} />
                    <small>{state}</small>
                  </span>
                  <span className="text-soft">
                    {when(window.from, now)} until {when(window.until, now)}
                    <small>
                      <Visible text={window.objects.includes('*') ? 'everything' : window.objects.join(', ')} />, by{' '}
                      <Visible text={window.by} />
                    </small>
                  </span>
                  {mayAct && (
                    <button type="button" className="button small faint" onClick={() => void act(endWindow(window.id))}>
                      {state === 'open' ? 'End now' : 'Delete'}
                    </button>
                  )}
                </li>
              )
            })}
          </ul>
        )}
        <Problem error={refused} isRefusal />
        {mayAct ? (
          <form
            className="job-form"
            aria-label="New window"
            onSubmit={(event) => {
              event.preventDefault()
              const form = event.currentTarget
              const given = new FormData(form)
              const read = (name: string) => String(given.get(name) ?? '').trim()
              void act(
                makeWindow({
                  name: read('name'),
                  objects: read('objects')
                    .split(/[\s,]+/)
                    .filter(Boolean),
                  from: new Date(read('from')).getTime(),
                  until: new Date(read('until')).getTime(),
                }),
              )
            }}
          >
            <h2>New window</h2>
            <label>
              Name
              <input className="field" name="name" required maxLength={100} />
            </label>
            <label>
              Objects: vm/101, ct/104, node/pve, or * for everything
              <input className="field mono" name="objects" required placeholder="node/pve" spellCheck={false} />
            </label>
            <div className="pair-fields">
              <label>
                From
                <input className="field" name="from" type="datetime-local" required defaultValue={localOf(start)} />
              </label>
              <label>
                Until
                <input
                  className="field"
                  name="until"
                  type="datetime-local"
                  required
                  defaultValue={localOf(start + 2 * hourMs)}
                />
              </label>
            </div>
            <p className="job-acts">
              <button type="submit" className="button">
                Open the window
              </button>
            </p>
          </form>
        ) : (
          <Resting isOperator={isOperator} isLive={isLive} />
        )}
      </div>
    </>
  )
}

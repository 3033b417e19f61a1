import type { AlertDetail, OfferedRunbook } from 'protocol'
import { ApiError } from 'protocol/client'
import { useRef, useState } from 'react'
import { acknowledge, silence, unacknowledge, unsilence } from '../../api/alert-acts.ts'
import { signedIn } from '../../api/auth.ts'
import { listRunbooks, runRunbook } from '../../api/runbooks.ts'
import { useLoad } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, useIsLive } from '../../app/load-state.tsx'
import { useAskNew } from '../../app/use-ask.ts'
import { usePageKeys } from '../../app/use-page-keys.ts'
import { navigate } from '../../lib/location.tsx'
import { useEscape } from '../../lib/use-escape.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'

type Form = 'acknowledge' | 'silence'
const hourMs = 3_600_000
const spans = [
  ['1 hour', hourMs],
  ['4 hours', 4 * hourMs],
  ['1 day', 24 * hourMs],
  ['7 days', 168 * hourMs],
  ['30 days', 720 * hourMs],
] as const

/** The buttons of an alert, each with a key: ask why, run a runbook, acknowledge, silence. */
export function AlertActs({ alert, now, onChanged }: { alert: AlertDetail; now: number; onChanged: () => void }) {
  const onAsk = useAskNew()
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const [form, setForm] = useState<Form>()
  const root = useRef<HTMLDivElement>(null)
  const [problem, setProblem] = useState<ApiError>()
  const mayAct = isOperator && isLive
  const act = async (work: Promise<unknown>, done: string) => {
    try {
      await work
      setProblem(undefined)
      setForm(undefined)
      say(done)
      // Move the focus, because the removed form had it.
      root.current?.focus({ preventScroll: true })
      onChanged()
    } catch (error) {
      if (error instanceof ApiError) setProblem(error)
    }
  }
  const why = onAsk && isLive ? () => onAsk(`${alert.sentence} Why?`) : undefined
  const isTaken = alert.acknowledged !== undefined
  const isSilent = alert.silenced !== undefined && alert.silenced.window === undefined
  const unacknowledged = () => void act(unacknowledge(alert.id), 'The alert is open again.')
  const unsilenced = () => void act(unsilence(alert.id), 'The alert is heard again.')
  usePageKeys(
    mayAct
      ? {
          w: why,
          e: isTaken ? undefined : () => setForm('acknowledge'),
          s: isSilent ? undefined : () => setForm('silence'),
        }
      : {},
  )
  const close = () => {
    setForm(undefined)
    // Move the focus, because the removed field had it.
    root.current?.focus({ preventScroll: true })
  }
  useEscape(form === undefined ? undefined : close)
  if (!mayAct) return <Resting isOperator={isOperator} isLive={isLive} />
  return (
    <div className="alert-acts" ref={root} tabIndex={-1}>
      <div className="act-row">
        <button type="button" className="button solid" onClick={why}>
          Ask JARVIS why
        </button>
        {alert.runbooks.map((runbook) => (
          <RunOffered key={runbook.name} runbook={runbook} onProblem={setProblem} />
        ))}
        {isTaken ? (
          <button type="button" className="button" onClick={unacknowledged}>
            Take the acknowledgement back
          </button>
        ) : (
          <button
            type="button"
            className="button"
            aria-expanded={form === 'acknowledge'}
            onClick={() => setForm(form === 'acknowledge' ? undefined : 'acknowledge')}
          >
            Acknowledge…
          </button>
        )}
        {isSilent ? (
          <button type="button" className="button" onClick={unsilenced}>
            End the silence
          </button>
        ) : (
          <button
            type="button"
            className="button"
            aria-expanded={form === 'silence'}
            onClick={() => setForm(form === 'silence' ? undefined : 'silence')}
          >
            Silence…
          </button>
        )}
        <span className="keys" aria-hidden="true">
          <kbd>W</kbd> why <kbd>E</kbd> acknowledge <kbd>S</kbd> silence <kbd>X</kbd> evidence
        </span>
      </div>
      <Problem error={problem} isRefusal />
      {form === 'acknowledge' && (
        <Acknowledge alert={alert} onSend={(...given) => void act(acknowledge(alert.id, ...given), 'Acknowledged.')} />
      )}
      {form === 'silence' && (
        <Silence now={now} onSend={(...given) => void act(silence(alert.id, ...given), 'Silenced.')} />
      )}
    </div>
  )
}

/**
 * Starts a runbook, whose card then waits in its chat. A runbook without a step that needs a confirmation would run at once, so it is only opened.
 */
function RunOffered({ runbook, onProblem }: { runbook: OfferedRunbook; onProblem: (problem: ApiError) => void }) {
  const known = useLoad('runbooks', listRunbooks, ['connect', 'runbooks']).data?.items
  const asks = known?.find(({ name }) => name === runbook.name)?.steps.some(({ tier }) => tier === 'red') ?? false
  const open = () =>
    navigate(
      `/automations/runbooks/${encodeURIComponent(runbook.name)}?inputs=${encodeURIComponent(JSON.stringify(runbook.inputs))}`,
    )
  const run = async () => {
    try {
      const { sessionId } = await runRunbook(runbook.name, runbook.inputs)
      navigate(`/chat/${sessionId}`)
    } catch (error) {
      if (error instanceof ApiError) onProblem(error)
    }
  }
  return (
    <button type="button" className="button" onClick={() => (asks ? void run() : open())}>
      <span>
        {asks ? 'Run' : 'Open'} “<Visible text={runbook.title} />”{asks && '…'}
      </span>
    </button>
  )
}

type Acknowledged = (note: string, untilValue: number | undefined) => void

function Acknowledge({ alert, onSend }: { alert: AlertDetail; onSend: Acknowledged }) {
  const hasValue = alert.value !== undefined && /\d/.test(alert.value)
  return (
    <form
      className="alert-form"
      aria-label="Acknowledge"
      onSubmit={(event) => {
        event.preventDefault()
        const given = new FormData(event.currentTarget)
        const until = String(given.get('until') ?? '').trim()
        onSend(String(given.get('note') ?? '').trim(), until === '' ? undefined : Number(until))
      }}
    >
      <p className="text-soft">Nobody is told again while it lasts. It ends with the alert.</p>
      <label>
        Note
        {/* biome-ignore lint/a11y/noAutofocus: it was opened to write into */}
        <input className="field" name="note" maxLength={500} autoFocus />
      </label>
      {hasValue && (
        <label>
          Back if it passes (now {alert.value})
          <input className="field" name="until" type="number" step="any" placeholder="never" />
        </label>
      )}
      <button type="submit" className="button">
        Acknowledge
      </button>
    </form>
  )
}

function Silence({ now, onSend }: { now: number; onSend: (until: number | undefined, note: string) => void }) {
  return (
    <form
      className="alert-form"
      aria-label="Silence"
      onSubmit={(event) => {
        event.preventDefault()
        const given = new FormData(event.currentTarget)
        const ms = Number(given.get('for'))
        onSend(ms === 0 ? undefined : now + ms, String(given.get('note') ?? '').trim())
      }}
    >
      <p className="text-soft">
        It stays in the list, and nobody is told until then. Without an end it holds for the next one of the same thing
        too.
      </p>
      <label>
        For
        {/* biome-ignore lint/a11y/noAutofocus: it was opened to choose in */}
        <select className="field" name="for" defaultValue={4 * hourMs} autoFocus>
          {spans.map(([word, ms]) => (
            <option key={word} value={ms}>
              {word}
            </option>
          ))}
          <option value={0}>without an end</option>
        </select>
      </label>
      <label>
        Why
        <input className="field" name="note" maxLength={500} required />
      </label>
      <button type="submit" className="button">
        Silence
      </button>
    </form>
  )
}

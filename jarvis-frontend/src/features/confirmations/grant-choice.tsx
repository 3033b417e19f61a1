import type { Card, GrantRequest } from 'protocol'
import { useId, useLayoutEffect, useRef } from 'react'
import { shortModel, timeOfDay } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { useNow } from '../../ui/use-now.ts'

const minutes = { 30: '30 min', 120: '2 h', 480: '8 h' }
const uses = { 1: '1', 3: '3', 10: '10' }
/** Choices for a grant with a scope (a folder or website). JARVIS allows at most two hours and 50 uses. */
const scoped = { minutes: { 10: '10 min', 30: '30 min', 120: '2 h' }, uses: { 5: '5', 20: '20', 50: '50' } }
const usual = { exact: { minutes: 30, uses: 3 }, scoped: { minutes: 30, uses: 20 } }
export const firstGrant: GrantRequest = usual.exact

type Props = { card: Card; grant: GrantRequest; onChange: (grant: GrantRequest) => void; children: React.ReactNode }

/** Chooses how long, and how many more times, the same call may run without asking. `children`: the buttons that decide and that close the form. */
export function GrantChoice({ card, grant, onChange, children }: Props) {
  const { toolName, target, requestedBy, scope } = card
  const isScoped = grant.scope !== undefined
  const root = useRef<HTMLDivElement>(null)
  // The form opens below the card, often below the visible part of the page.
  useLayoutEffect(() => {
    root.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const what = useId()
  const widen = (isWide: boolean) => {
    const { scope: _, ...rest } = grant
    onChange(isWide && scope ? { ...rest, ...usual.scoped, scope: scope.id } : { ...rest, ...usual.exact })
  }
  const on = target.vmid ?? target.id.replace(/^\w+\//, '')
  return (
    <div className="grant" ref={root}>
      <h3>Approve this, and allow more without asking</h3>
      <dl>
        <dt>Only</dt>
        {scope === undefined ? (
          <dd>
            <span className="mono">
              <Visible text={toolName} />
            </span>
            {target.kind !== 'none' && (
              <>
                {' on '}
                <span className="num">
                  <Visible text={String(on)} />
                </span>
              </>
            )}
            , exactly this call
          </dd>
        ) : (
          <dd className="grant-what">
            <label>
              <input type="radio" name={what} checked={!isScoped} onChange={() => widen(false)} />
              exactly this call
            </label>
            <label>
              <input type="radio" name={what} checked={isScoped} onChange={() => widen(true)} />
              <span>
                all <Visible text={scope.words} />, in this conversation
              </span>
            </label>
          </dd>
        )}
        <dt>From</dt>
        <dd>
          <Visible text={requestedBy.kind === 'chat' ? shortModel(requestedBy.name) : requestedBy.name} />
        </dd>
        <dt>For</dt>
        <dd>
          <Choice
            label="How long"
            of={isScoped ? scoped.minutes : minutes}
            value={grant.minutes}
            onChoose={(minutes) => onChange({ ...grant, minutes })}
          />
        </dd>
        <dt>At most</dt>
        <dd>
          <Choice
            label="How often"
            of={isScoped ? scoped.uses : uses}
            value={grant.uses}
            onChoose={(uses) => onChange({ ...grant, uses })}
          />{' '}
          <span className="text-dim">more {grant.uses === 1 ? 'time' : 'times'}</span>
        </dd>
        {requestedBy.kind === 'chat' && requestedBy.for === undefined && (
          <>
            <dt>Also</dt>
            <dd>
              <label>
                <input
                  type="checkbox"
                  checked={grant.forHelpers === true}
                  onChange={({ target: { checked } }) => {
                    const { forHelpers: _, ...own } = grant
                    onChange(checked ? { ...own, forHelpers: true } : own)
                  }}
                />{' '}
                for the agents that it asks
              </label>
            </dd>
          </>
        )}
      </dl>
      <div className="grant-acts">{children}</div>
    </div>
  )
}

type ChoiceProps = {
  label: string
  of: Record<number, string>
  value: number | undefined
  onChoose: (value: number) => void
}

function Choice({ label, of, value, onChoose }: ChoiceProps) {
  const group = useId()
  return (
    <span className="segments" role="radiogroup" aria-label={label}>
      {Object.entries(of).map(([choice, words]) => (
        <label key={choice}>
          <input
            type="radio"
            className="vh"
            name={group}
            checked={Number(choice) === value}
            onChange={() => onChoose(Number(choice))}
          />
          {words}
        </label>
      ))}
    </span>
  )
}

/** `Approve and allow 3 until 09:48`, `Approve, and allow 20 more changes of files in "compose/jellyfin" and its folders until 09:48` */
export function GrantWords({ grant, card: { scope } }: { grant: GrantRequest; card: Card }) {
  const now = useNow(1_000)
  const until = `until ${timeOfDay(now + (grant.minutes ?? 0) * 60_000)}`
  if (grant.scope === undefined || scope === undefined) return `Approve and allow ${grant.uses ?? 0} ${until}`
  return (
    <span>
      Approve, and allow {grant.uses} more <Visible text={scope.words} /> {until}
    </span>
  )
}

import type { ConfirmationRow } from 'protocol'
import { useEffect, useRef, useState } from 'react'
import { signedIn } from '../api/auth.ts'
import { confirmations } from '../api/confirmations.ts'
import { actOf } from '../features/confirmations/sentence.ts'
import { Sentence } from '../features/confirmations/sentence-line.tsx'
import { useEscape } from '../lib/use-escape.ts'
import { useValue } from '../lib/use-value.ts'
import { Mark } from '../ui/mark.tsx'
import { Tier } from '../ui/tier.tsx'
import { live } from './live.ts'
import { markDecided } from './live-card.tsx'
import './deny-all.css'

/** Denies all cards that wait at this moment, and lists them first. A card that comes later is not denied. */
export function DenyAll({ rows }: { rows: readonly ConfirmationRow[] }) {
  const [listed, setListed] = useState<readonly ConfirmationRow[]>()
  const [isSending, setSending] = useState(false)
  const [refusals, setRefusals] = useState<readonly string[]>([])
  const open = useRef<HTMLButtonElement>(null)
  const confirm = useRef<HTMLButtonElement>(null)
  const role = useValue(signedIn)?.role
  const link = useValue(live.link.value)
  const still = listed?.filter(({ toolUseId }) => rows.some((row) => row.toolUseId === toolUseId))
  const isOpen = still !== undefined && still.length > 0
  useEffect(() => {
    if (isOpen) confirm.current?.focus()
  }, [isOpen])
  const close = () => {
    setListed(undefined)
    requestAnimationFrame(() => open.current?.focus())
  }
  useEscape(isOpen ? close : undefined)

  if (role !== 'operator' || link.status !== 'live') return null
  if (!isOpen && rows.length < 2 && refusals.length === 0) return null

  const deny = async (chosen: readonly ConfirmationRow[]) => {
    setSending(true)
    const replies = await Promise.all(
      chosen.map(async ({ sessionId, toolUseId }) => {
        const unmark = markDecided(toolUseId)
        const reply = await live.chat.confirm(sessionId, toolUseId, { confirmed: false })
        if (!reply.ok) unmark()
        return reply.ok ? [] : [reply.error.message]
      }),
    )
    confirmations.renew()
    setRefusals([...new Set(replies.flat())])
    setSending(false)
    setListed(undefined)
    // The pressed button was removed. Focus the decided card instead of the page, because on the page single letters are shortcuts.
    const card = document.getElementById(`card-${chosen[0]?.toolUseId}`) ?? document.querySelector<HTMLElement>('.card')
    card?.focus({ preventScroll: true })
  }
  return (
    <section className="deny-all" aria-label="Deny all">
      {refusals.map((refusal) => (
        <p key={refusal} className="refused" role="alert">
          <Mark kind="bad" />
          {refusal}
        </p>
      ))}
      {isOpen ? (
        <>
          <p>{still.length === 1 ? 'This is denied and not run:' : `These ${still.length} are denied and not run:`}</p>
          <ul>
            {still.map((row) => (
              <li key={row.toolUseId}>
                <Tier tier="red" size={11} />
                <span>
                  <Sentence pieces={actOf(row).ask} />
                </span>
              </li>
            ))}
          </ul>
          <div className="deny-all-acts">
            <button
              type="button"
              ref={confirm}
              className="button"
              aria-disabled={isSending}
              onClick={() => {
                if (!isSending) void deny(still)
              }}
            >
              {isSending ? 'Sending your decisions…' : `Deny ${still.length === 1 ? 'it' : `these ${still.length}`}`}
            </button>
            <button type="button" className="button quiet" onClick={close}>
              Back
            </button>
          </div>
        </>
      ) : (
        rows.length > 1 && (
          <div className="deny-all-acts">
            <span className="text-soft">All cards at once</span>
            <button type="button" ref={open} className="button small" onClick={() => setListed(rows)}>
              Deny all {rows.length}…
            </button>
          </div>
        )
      )}
    </section>
  )
}

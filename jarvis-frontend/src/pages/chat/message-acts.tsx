import type { EntryOf } from 'protocol'
import { firstOwnerId } from 'protocol/facts'
import { Suspense, useLayoutEffect, useRef, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { useNameOf } from '../../api/names.ts'
import { useStatus } from '../../api/status.ts'
import { later } from '../../app/later.tsx'
import { useIsLive } from '../../app/load-state.tsx'
import type { Run } from '../../features/chat/runs.ts'
import { Step } from '../../features/chat/step.tsx'
import { dollars, duration, plural, shortModel, thousands } from '../../lib/format.ts'
import { useEscape } from '../../lib/use-escape.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Mark } from '../../ui/mark.tsx'
import './message-acts.css'
import { useOwns } from './owns.ts'
import { useBranch } from './use-branch.ts'
import { useVersions } from './versions.ts'

const EditMessage = later(() => import('./edit-message.tsx').then((part) => part.EditMessage))

const VersionSwitch = later(() => import('./version-switch.tsx').then((part) => part.VersionSwitch))
const Rating = later(() => import('./rating.tsx').then((part) => part.Rating))

const useMayAct = (sessionId: string) => {
  const owns = useOwns(sessionId)
  return useIsLive() && owns
}

/** The name of the person who wrote a message, if it is not the reader. */
function Writer({ by }: { by: string }) {
  const me = useValue(signedIn)
  const nameOf = useNameOf()
  if (by === me?.id || (by !== firstOwnerId && !by.startsWith('per_'))) return null
  return (
    <small className="writer">
      <Visible text={nameOf(by)} />
    </small>
  )
}

type MessageProps = { sessionId: string; user: EntryOf<'user'>; children: React.ReactNode }

/** A person's message, with Edit and the switch between its versions. */
export function MessageActs({ sessionId, user, children }: MessageProps) {
  const mayAct = useMayAct(sessionId)
  const versions = useVersions(sessionId)?.find(({ entry }) => entry === user.seq)
  const [isEditing, setEditing] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  useLayoutEffect(() => {
    if (wasEditing.current && !isEditing) button.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  if (isEditing) {
    return (
      <Suspense fallback={<div className="asked">{children}</div>}>
        <EditMessage sessionId={sessionId} user={user} onEnd={() => setEditing(false)} />
      </Suspense>
    )
  }
  return (
    <div className="asked">
      {children}
      <Writer by={user.by} />
      {versions !== undefined && (
        <Suspense fallback={null}>
          <VersionSwitch versions={versions} />
        </Suspense>
      )}
      {mayAct && (
        <span className="message-acts">
          <CopyButton text={user.text} label="Copy this message" />
          <button
            ref={button}
            type="button"
            className="icon-button"
            aria-label="Edit this message"
            title="Edit"
            onClick={() => setEditing(true)}
          >
            <Icon name="pen" />
          </button>
        </span>
      )}
    </div>
  )
}

/** The buttons beside a text of an answer. */
export function SayActs({ sessionId, seq, text }: { sessionId: string; seq: number; text: string }) {
  const mayAct = useMayAct(sessionId)
  const { branch } = useBranch(sessionId)
  return (
    <span className="message-acts">
      <CopyButton text={text} label="Copy these words" />
      {mayAct && (
        <button
          type="button"
          className="icon-button"
          aria-label="Branch here"
          title="Branch here"
          onClick={() => branch({ after: seq })}
        >
          <Icon name="branch" />
        </button>
      )}
    </span>
  )
}

type UsageProps = { sessionId: string; run: Run; mayRetry: boolean }

/** Time and use of a run, also of a failed one: `52 s · 9 calls · 14.2k in · 0.9k out · 11.8k cached · $0.06`. Copy and retry are beside it. */
export function RunUsage({ sessionId, run, mayRetry }: UsageProps) {
  const { end, user, entries } = run
  if (end?.usage === undefined) return null
  const { inputTokens, outputTokens, cacheReadTokens } = end.usage
  const calls = run.items.filter((item) => item.kind === 'call').length
  const answer = run.items.flatMap((item) => (item.kind === 'text' ? [item.text] : [])).join('\n\n')
  const startedAt = user?.at ?? entries[0]?.at ?? end.at
  const figures = [
    duration(Math.max(0, end.at - startedAt)),
    calls > 0 ? plural(calls, 'call') : '',
    inputTokens > 0 ? `${thousands(inputTokens)} in` : '',
    outputTokens > 0 ? `${thousands(outputTokens)} out` : '',
    cacheReadTokens > 0 ? `${thousands(cacheReadTokens)} cached` : '',
    end.costUsd === undefined ? '' : `${end.isUsagePartial ? 'at least ' : ''}${dollars(end.costUsd)}`,
    end.isUsagePartial ? 'not all of it was counted' : '',
  ].filter((figure) => figure !== '')
  return (
    <Step mark={<Mark kind="step" size={8} />} label="Usage">
      <div className="usage num" title={run.model}>
        {figures.map((figure) => (
          <span key={figure}>{figure}</span>
        ))}
        <span className="acts">
          {answer !== '' && <CopyButton text={answer} label="Copy the answer" />}
          <Suspense fallback={<span className="rating-space" />}>
            <Rating sessionId={sessionId} run={run} />
          </Suspense>
          {mayRetry && user !== undefined && <Retry sessionId={sessionId} user={user} model={run.model} />}
        </span>
      </div>
    </Step>
  )
}

/** Sends the message again as another version, so that the first answer is kept. */
function Retry({ sessionId, user, model }: { sessionId: string; user: EntryOf<'user'>; model: string | undefined }) {
  const { branch } = useBranch(sessionId)
  const mayAct = useMayAct(sessionId)
  const others = (useStatus()?.models ?? []).filter((id) => id !== model)
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(false)
    opener.current?.focus()
  }
  useEscape(isOpen ? close : undefined)
  if (!mayAct) return null
  const retry = (chosen?: string) =>
    branch({
      before: user.seq,
      text: user.text,
      files: user.attachments?.map(({ id }) => id),
      model: chosen,
    })
  return (
    <>
      <button type="button" className="icon-button" aria-label="Retry" title="Retry" onClick={() => retry()}>
        <Icon name="again" />
      </button>
      {others.length > 0 && (
        <span className="retry-with">
          <button
            ref={opener}
            type="button"
            className="button small quiet"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            Retry with… <Icon name="down" />
          </button>
          {isOpen && (
            // biome-ignore lint/a11y/noStaticElementInteractions: leaving its buttons closes it
            <span
              className="retry-models"
              onBlur={(event) => {
                if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false)
              }}
            >
              {others.map((id, at) => (
                <button
                  key={id}
                  type="button"
                  // biome-ignore lint/a11y/noAutofocus: the person opened it to choose
                  autoFocus={at === 0}
                  title={id}
                  onClick={() => retry(id)}
                >
                  {shortModel(id)}
                </button>
              ))}
            </span>
          )}
        </span>
      )}
    </>
  )
}

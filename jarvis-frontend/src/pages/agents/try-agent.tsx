import type { AgentClassifyReply, AgentTryReply, Verdict } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { classifyFor, tryAgents } from '../../api/agents.ts'
import { call } from '../../api/http.ts'
import { useTools } from '../../api/tools.ts'
import { useLoad } from '../../api/use-load.ts'
import { useKnownNames } from '../../app/known-names.ts'
import { Problem } from '../../app/load-state.tsx'
import { Markdown } from '../../features/chat/markdown.tsx'
import { objectIn } from '../../features/tools/arguments.ts'
import { CallChoice } from '../../features/tools/call-choice.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'

/** The verdict on one call for an agent, beside the verdict for main. Nothing is run. */
export function WhatWouldHappen({ id, offered }: { id: string; offered: readonly string[] }) {
  const [found, setFound] = useState<AgentClassifyReply>()
  const [refused, setRefused] = useState<ApiError | string>()
  const ask = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const toolName = String(given.get('tool') ?? '').trim()
    const toolInput = objectIn(String(given.get('inputs') ?? ''))
    setFound(undefined)
    if (toolInput === undefined) return setRefused('The arguments are not JSON, as {"vmid": 104}.')
    try {
      setFound(await classifyFor(id, toolName, toolInput))
      setRefused(undefined)
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
  }
  return (
    <form
      className="agents-form"
      aria-label="What would happen?"
      onSubmit={(event) => {
        event.preventDefault()
        void ask(event.currentTarget)
      }}
    >
      <CallChoice tools={useTools()} offered={offered} names={useKnownNames()} />
      <button type="submit" className="button small">
        Judge it
      </button>
      {refused !== undefined &&
        (typeof refused === 'string' ? (
          <p className="agents-note">{refused}</p>
        ) : (
          <Problem error={refused} isRefusal />
        ))}
      {found !== undefined && (
        <div role="status">
          <VerdictLine who={id} verdict={found.verdict} />
          {id !== 'main' && <VerdictLine who="main" verdict={found.main} />}
        </div>
      )}
    </form>
  )
}

function VerdictLine({ who, verdict: { tier, reason } }: { who: string; verdict: Verdict }) {
  return (
    <p className="agents-verdict">
      <Tier tier={tier} size={12} />
      <span>
        <b>
          {who}: {tierWord[tier]}
        </b>{' '}
        <Visible text={reason} />
      </span>
    </p>
  )
}

/** Sends the same message to one or two agents, each in a rehearsal, and shows the answers side by side. */
export function Compare({ ids }: { ids: readonly string[] }) {
  const [one, setOne] = useState('main')
  const [other, setOther] = useState(ids.find((id) => id !== 'main') ?? '')
  const [tried, setTried] = useState<AgentTryReply>()
  const [refused, setRefused] = useState<ApiError>()
  const ask = async (form: HTMLFormElement) => {
    const message = String(new FormData(form).get('message') ?? '')
    try {
      setTried(
        await tryAgents(
          [...new Set([one, other])].filter((id) => id !== ''),
          message,
        ),
      )
      setRefused(undefined)
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
  }
  return (
    <section className="agents-part" aria-label="Try a message">
      <PanelHead title="Try a message">a rehearsal: reads run, changes are described</PanelHead>
      <form
        className="agents-row"
        onSubmit={(event) => {
          event.preventDefault()
          void ask(event.currentTarget)
        }}
      >
        <Choice label="Ask" ids={ids} value={one} onChoose={setOne} />
        <Choice label="and" ids={ids} value={other} onChoose={setOther} isOptional />
        <label className="flex-1">
          Message
          <input className="field" name="message" required maxLength={2_000} />
        </label>
        <button type="submit" className="button">
          Try it
        </button>
      </form>
      <Problem error={refused} isRefusal />
      {tried !== undefined && (
        <div className="agents-compare">
          {tried.items.map(({ agent, sessionId }) => (
            <Answer key={sessionId} agent={agent} sessionId={sessionId} />
          ))}
        </div>
      )}
    </section>
  )
}

type ChoiceProps = {
  label: string
  ids: readonly string[]
  value: string
  onChoose: (id: string) => void
  isOptional?: boolean
}

function Choice({ label, ids, value, onChoose, isOptional = false }: ChoiceProps) {
  return (
    <label>
      {label}
      <select className="field" value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {isOptional && <option value="">nobody</option>}
        {ids.map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
    </label>
  )
}

function Answer({ agent, sessionId }: { agent: string; sessionId: string }) {
  const read = () => call('GET /api/sessions/:id/entries', { params: { id: sessionId }, query: { limit: 100 } })
  const { data, problem } = useLoad(`trial ${sessionId}`, read, ['connect', 'sessions'])
  const entries = data?.items ?? []
  const end = entries.findLast((entry) => entry.type === 'done' || entry.type === 'error')
  const text = entries
    .flatMap((entry) =>
      entry.type === 'assistant' ? entry.content.flatMap((item) => (item.type === 'text' ? [item.text] : [])) : [],
    )
    .join('\n\n')
  const tried = entries.flatMap((entry) =>
    entry.type === 'assistant'
      ? entry.content.flatMap((item) =>
          item.type === 'tool_call' ? [{ id: item.toolUseId, name: item.toolName }] : [],
        )
      : [],
  )
  const cameOf = (id: string) => {
    const entry = entries.find((one) => (one.type === 'tool_result' || one.type === 'blocked') && one.toolUseId === id)
    return entry?.type === 'tool_result' ? entry.summary : entry?.type === 'blocked' ? `Refused: ${entry.reason}` : '…'
  }
  return (
    <article aria-label={`Answer of ${agent}`} aria-busy={end === undefined}>
      <h3>
        {agent}{' '}
        <Link className="text-link" to={`/chat/${sessionId}`}>
          Open
        </Link>
      </h3>
      <Problem error={problem} />
      <ul>
        {tried.map(({ id, name }) => (
          <li key={id}>
            <code>{name}</code> <Visible text={cameOf(id)} />
          </li>
        ))}
      </ul>
      {text !== '' && <Markdown text={text} />}
      {end === undefined && <p className="text-dim">It answers…</p>}
      {end?.type === 'error' && (
        <p>
          <Visible text={end.error} />
        </p>
      )}
    </article>
  )
}

import type { AgentBody, AgentDetail, AgentsReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { saveAgent } from '../../api/agents.ts'
import { say } from '../../app/announce.tsx'
import { Problem } from '../../app/load-state.tsx'
import { useEscape } from '../../lib/use-escape.ts'
import { agentBodyOf } from './agent-body.ts'
import { LimitFields } from './limit-fields.tsx'
import { RightFields } from './right-fields.tsx'

const efforts = ['off', 'low', 'medium', 'high'] as const

/** Creates or changes an agent. If something is wrong, the server's error names the field and the nearest valid name. */
export function AgentForm({
  all,
  agent,
  onDone,
}: {
  all: AgentsReply | undefined
  agent?: AgentDetail
  onDone: (id?: string) => void
}) {
  const [refused, setRefused] = useState<ApiError | string>()
  const [isSaving, setSaving] = useState(false)
  const body: AgentBody = agent?.body ?? {}
  const isMain = agent?.id === 'main'
  // The hash of the file when the form was opened, so that saving does not overwrite a later change.
  const [hash] = useState(all?.hash)

  const [isTouched, setTouched] = useState(false)
  // Escape does not discard typed text; only Cancel does.
  useEscape(isTouched ? undefined : () => onDone(agent?.id))

  const save = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const next = agentBodyOf(given, body, isMain)
    if ('problem' in next) {
      setRefused(next.problem)
      return
    }
    const id = agent?.id ?? String(given.get('id') ?? '').trim()
    setSaving(true)
    try {
      await saveAgent(id, next.body, hash)
      say(`${id} is saved.`)
      onDone(id)
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
    setSaving(false)
  }
  const field = (name: keyof AgentBody, label: string, hint = '') => (
    <label>
      {label}
      <input
        className="field"
        name={name}
        defaultValue={String(body[name] ?? '')}
        placeholder={hint}
        spellCheck={false}
      />
    </label>
  )
  return (
    <form
      className="agents-form"
      aria-label={agent === undefined ? 'New agent' : `Edit ${agent.id}`}
      onChange={() => setTouched(true)}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isSaving) void save(event.currentTarget)
      }}
    >
      <h2>{agent === undefined ? 'New agent' : `Edit ${agent.id}`}</h2>
      {agent === undefined && (
        <label>
          Id: its folder, and what stands after @
          <input
            className="field mono"
            name="id"
            required
            pattern="[a-z][a-z0-9\-]{0,23}"
            title="At most 24 lower-case letters, digits and -, a letter first"
            spellCheck={false}
          />
        </label>
      )}
      {field('name', 'Name')}
      {field('about', 'What it is for, in a sentence')}
      {field('model', 'Model', 'the one in use')}
      <label>
        Effort
        <select className="field" name="effort" defaultValue={body.effort ?? ''}>
          <option value="">as in the settings</option>
          {efforts.map((effort) => (
            <option key={effort}>{effort}</option>
          ))}
        </select>
      </label>
      {field('temperature', 'Temperature, where its model takes it', '0 to 2')}
      {field('maxTokens', 'Most tokens of a reply', 'as its model has it')}
      {!isMain && <RightFields body={body} />}
      <LimitFields of="day" legend="At most a day" budget={body.budget} />
      <LimitFields of="run" legend="At most in one run" budget={body.budget} />
      <label>
        Bindings, as JSON
        <textarea
          className="field mono"
          name="bindings"
          rows={3}
          defaultValue={body.bindings === undefined || body.bindings.length === 0 ? '' : JSON.stringify(body.bindings)}
          placeholder='[{"door": "mcp", "token": "films"}]'
          spellCheck={false}
        />
      </label>
      {refused !== undefined &&
        (typeof refused === 'string' ? (
          <p className="agents-note" role="alert">
            {refused}
          </p>
        ) : (
          <Problem error={refused} isRefusal />
        ))}
      <p className="agents-note">It may do what you let main do, or less. Saving asks for the password.</p>
      <p>
        <button type="submit" className="button solid" aria-disabled={isSaving}>
          Save the agent
        </button>{' '}
        <button type="button" className="button quiet" onClick={() => onDone(agent?.id)}>
          Cancel
        </button>
      </p>
    </form>
  )
}

import type { AgentBody, AgentDetail, AgentsReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { saveAgent } from '../../api/agents.ts'
import { useStatus } from '../../api/status.ts'
import { say } from '../../app/announce.tsx'
import { Problem, useIsLive } from '../../app/load-state.tsx'
import { useEscape } from '../../lib/use-escape.ts'
import { agentBodyOf } from './agent-body.ts'
import { LimitFields } from './limit-fields.tsx'
import { MoreRightFields, RightFields } from './right-fields.tsx'

/** The fields that are shown at once. The others are under More, which is open if the agent has one of them. */
const firstFields: readonly string[] = ['about', 'model', 'ceiling', 'tools']
const efforts = ['off', 'low', 'medium', 'high'] as const

/** Creates or changes an agent. If something is wrong, the server's error names the field and the nearest valid name. */
export function AgentForm({
  all,
  agent,
  onDone,
}: {
  all: AgentsReply
  agent?: AgentDetail
  onDone: (id?: string) => void
}) {
  const [refused, setRefused] = useState<ApiError | string>()
  const [isSaving, setSaving] = useState(false)
  const isResting = !useIsLive() || isSaving
  const body: AgentBody = agent?.body ?? {}
  const isMain = agent?.id === 'main'
  // The hash of the file when the form was opened, so that saving does not overwrite a later change.
  const [hash] = useState(all.hash)

  const [isMoreOpen, setMoreOpen] = useState(
    () => body.tools?.deny !== undefined || Object.keys(body).some((key) => !firstFields.includes(key)),
  )
  const [isTouched, setTouched] = useState(false)
  // Escape does not discard typed text; only Cancel does.
  useEscape(isTouched ? undefined : () => onDone(agent?.id))

  const save = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const next = agentBodyOf(given, body, isMain)
    if ('problem' in next) {
      setRefused(next.problem)
      setMoreOpen(true)
      return
    }
    const id = agent?.id ?? String(given.get('id') ?? '').trim()
    setSaving(true)
    try {
      await saveAgent(id, next.body, hash)
      say(`${id} is saved.`)
      onDone(id)
    } catch (error) {
      if (error instanceof ApiError) {
        setRefused(error)
        if (!firstFields.some((name) => error.message.includes(name))) setMoreOpen(true)
      }
    }
    setSaving(false)
  }
  const field = (name: keyof AgentBody, label: string, { hint, list }: { hint?: string; list?: string } = {}) => (
    <label>
      {label}
      <input
        className="field"
        name={name}
        defaultValue={String(body[name] ?? '')}
        placeholder={hint}
        list={list}
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
        if (!isResting) void save(event.currentTarget)
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
      {field('about', 'What it is for, in a sentence')}
      {field('model', 'Model', { hint: 'the one in use', list: 'agent-models' })}
      <datalist id="agent-models">
        {useStatus()?.models?.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      {!isMain && <RightFields body={body} />}
      <details open={isMoreOpen} onToggle={(event) => setMoreOpen(event.currentTarget.open)}>
        <summary>More: name, effort, memory, skills, limits, bindings</summary>
        <div className="agents-form">
          {field('name', 'Name', { hint: 'its id' })}
          <label>
            Effort
            <select className="field" name="effort" defaultValue={body.effort ?? ''}>
              <option value="">as in the settings</option>
              {efforts.map((effort) => (
                <option key={effort}>{effort}</option>
              ))}
            </select>
          </label>
          {field('temperature', 'Temperature, where its model takes it', { hint: '0 to 2' })}
          {field('maxTokens', 'Most tokens of a reply', { hint: 'as its model has it' })}
          {!isMain && <MoreRightFields body={body} />}
          <LimitFields of="day" legend="At most a day" budget={body.budget} />
          <LimitFields of="run" legend="At most in one run" budget={body.budget} />
          <label>
            Bindings, as JSON
            <textarea
              className="field mono"
              name="bindings"
              rows={3}
              defaultValue={
                body.bindings === undefined || body.bindings.length === 0 ? '' : JSON.stringify(body.bindings)
              }
              placeholder='[{"door": "mcp", "token": "films"}]'
              spellCheck={false}
            />
          </label>
        </div>
      </details>
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
        <button type="submit" className="button solid" aria-disabled={isResting}>
          Save the agent
        </button>{' '}
        <button type="button" className="button quiet" onClick={() => onDone(agent?.id)}>
          Cancel
        </button>
      </p>
    </form>
  )
}

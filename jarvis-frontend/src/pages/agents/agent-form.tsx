import type { AgentBinding, AgentBody, AgentDetail, AgentsReply } from 'jarvis-backend/protocol'
import { useState } from 'react'
import { saveAgent } from '../../api/agents.ts'
import { ApiError } from '../../api/http.ts'
import { say } from '../../app/announce.tsx'
import { Problem } from '../../app/load-state.tsx'
import { useEscape } from '../../app/use-escape.ts'
import { tierWord } from '../../ui/tier.tsx'

const ceilings = ['green', 'yellow', 'red'] as const
const memories = { own: 'its own', shared: 'main’s', none: 'none' } as const
const efforts = ['off', 'low', 'medium', 'high'] as const
const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)

const units = ['tokens', 'usd', 'calls', 'minutes'] as const
const unitWords = { tokens: 'Tokens', usd: 'US dollars', calls: 'Model calls', minutes: 'Minutes' }

/** Makes or changes an agent. The server says what is wrong, and names the field and the nearest valid name. */
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
  // The hash of the file at the time the form was opened. Saving does not overwrite a later change.
  const [hash] = useState(all?.hash)

  const [isTouched, setTouched] = useState(false)
  // Only Cancel discards what was typed.
  useEscape(isTouched ? undefined : () => onDone(agent?.id))

  const save = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const read = (name: string) => String(given.get(name) ?? '').trim()
    const text = (name: string) => (read(name) === '' ? {} : { [name]: read(name) })
    const number = (name: string) => (read(name) === '' ? {} : { [name]: Number(read(name)) })
    let bindings: AgentBinding[]
    try {
      bindings = JSON.parse(read('bindings') || '[]') as AgentBinding[]
    } catch {
      setRefused('Bindings: not JSON, as [{"door": "mcp", "token": "films"}].')
      return
    }
    const most = (of: 'day' | 'run') =>
      Object.fromEntries(
        units.flatMap((unit) => (read(`${of} ${unit}`) === '' ? [] : [[unit, Number(read(`${of} ${unit}`))]])),
      )
    const run = most('run')
    const budget = { ...most('day'), ...(Object.keys(run).length > 0 && { run }) }
    /** Keeps an empty list, because an absent list allows everything. */
    const list = (name: string, before: readonly string[] | undefined) => {
      const named = words(read(name))
      return named.length > 0 || before?.length === 0 ? { [name]: named } : {}
    }
    const tools = { ...list('allow', body.tools?.allow), ...list('deny', undefined) }
    const next = {
      ...text('name'),
      ...text('about'),
      ...text('model'),
      ...text('effort'),
      ...number('temperature'),
      ...(!isMain && { ceiling: read('ceiling'), memory: read('memory') }),
      ...(Object.keys(tools).length > 0 && { tools }),
      ...list('skills', body.skills),
      ...(Object.keys(budget).length > 0 && { budget }),
      ...(bindings.length > 0 && { bindings }),
    } as AgentBody
    const id = agent?.id ?? read('id')
    setSaving(true)
    try {
      await saveAgent(id, next, hash)
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
  const most = (of: 'day' | 'run', legend: string) => {
    const limits = of === 'day' ? body.budget : body.budget?.run
    return (
      <fieldset className="agents-most">
        <legend>{legend}</legend>
        {units.map((unit) => (
          <label key={unit}>
            {unitWords[unit]}
            <input
              className="field num"
              name={`${of} ${unit}`}
              inputMode="decimal"
              defaultValue={limits?.[unit] ?? ''}
            />
          </label>
        ))}
      </fieldset>
    )
  }
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
      {!isMain && (
        <>
          <label>
            At most
            <select className="field" name="ceiling" defaultValue={body.ceiling ?? 'yellow'}>
              {ceilings.map((tier) => (
                <option key={tier} value={tier}>
                  {tierWord[tier]}
                </option>
              ))}
            </select>
          </label>
          <label>
            Memory
            <select className="field" name="memory" defaultValue={body.memory ?? 'own'}>
              {Object.entries(memories).map(([kind, label]) => (
                <option key={kind} value={kind}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label>
            May use, or all where empty
            <textarea
              className="field mono"
              name="allow"
              rows={3}
              defaultValue={body.tools?.allow?.join(', ')}
              placeholder="get_*, restart_service"
              spellCheck={false}
            />
          </label>
          <label>
            May not use; this wins
            <textarea
              className="field mono"
              name="deny"
              rows={2}
              defaultValue={body.tools?.deny?.join(', ')}
              spellCheck={false}
            />
          </label>
          <label>
            Skills of the workspace that it may load, or all where empty
            <input
              className="field mono"
              name="skills"
              defaultValue={body.skills?.join(', ')}
              placeholder="disk-health, net*"
              spellCheck={false}
            />
          </label>
        </>
      )}
      {most('day', 'At most a day')}
      {most('run', 'At most in one run')}
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

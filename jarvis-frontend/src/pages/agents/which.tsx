import type { AgentBinding, AgentWhichReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { whichAgent } from '../../api/agents.ts'
import { Problem } from '../../app/load-state.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { bindingWords } from './words.ts'

const fields: Record<AgentBinding['door'], readonly (keyof AgentBinding)[]> = {
  dashboard: ['person'],
  mcp: ['token'],
  job: ['job'],
  v1: ['token'],
  channel: ['channel', 'account', 'chat', 'person'],
}
const doors = Object.keys(fields) as AgentBinding['door'][]

/** Says which agent would answer a message, and by which binding. */
export function Which() {
  const [door, setDoor] = useState<AgentBinding['door']>('dashboard')
  const [found, setFound] = useState<AgentWhichReply>()
  const [refused, setRefused] = useState<ApiError>()
  const look = async (form: HTMLFormElement) => {
    const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]))
    try {
      setFound(await whichAgent(given as Partial<AgentBinding>))
      setRefused(undefined)
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
  }
  return (
    <section className="agents-part" aria-label="Which agent would answer?">
      <PanelHead title="Which agent would answer?">the most telling binding wins; a binding admits nobody</PanelHead>
      <form
        className="agents-row"
        onSubmit={(event) => {
          event.preventDefault()
          void look(event.currentTarget)
        }}
      >
        <label>
          Door
          <select
            className="field"
            name="door"
            value={door}
            onChange={(event) => setDoor(event.currentTarget.value as AgentBinding['door'])}
          >
            {doors.map((known) => (
              <option key={known} value={known}>
                {known}
              </option>
            ))}
          </select>
        </label>
        {fields[door].map((field) => (
          <label key={field}>
            {field}
            <input className="field" name={field} spellCheck={false} />
          </label>
        ))}
        <button type="submit" className="button">
          Look
        </button>
      </form>
      <Problem error={refused} isRefusal />
      {found !== undefined && (
        <p className="agents-answer" role="status">
          <Icon name="agents" />
          <span>
            <b>{found.agent}</b>
            {found.binding === undefined ? (
              ', because no binding fits.'
            ) : (
              <>
                , by its binding {found.number}: <Visible text={bindingWords(found.binding)} />.
              </>
            )}
            {found.others.length > 0 && ` Then ${found.others.map(({ agent }) => agent).join(', ')}.`}
          </span>
        </p>
      )}
    </section>
  )
}

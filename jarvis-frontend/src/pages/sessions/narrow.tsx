import { useEffect, useState } from 'react'
import { readAgents } from '../../api/agents.ts'
import { signedIn } from '../../api/auth.ts'
import { readChannels } from '../../api/channels.ts'
import { useNames } from '../../api/names.ts'
import { useLoad } from '../../api/use-load.ts'
import { useValue } from '../../lib/use-value.ts'
import { visibleText } from '../../ui/visible.ts'

/** Names of the filters in the page's address; `since` and `until` are days. */
export const narrowing = ['agent', 'person', 'channel', 'since', 'until'] as const
type Props = { params: URLSearchParams; set: (changes: Record<string, string | undefined>) => void }

/** Narrows the list by agent, person, channel and day. A list with only one choice is left out. */
export function Narrow({ params, set }: Props) {
  const isOperator = useValue(signedIn)?.role === 'operator'
  const agents = useLoad('agents', readAgents, ['connect', 'agents', 'confirmations', 'settings']).data?.items ?? []
  const channels = useLoad('channels', isOperator ? readChannels : undefined, ['connect', 'channels']).data?.items ?? []
  const isNarrowed = narrowing.some((name) => params.has(name))
  // It stays open when the last filter is taken out, for the field that has the focus is in it.
  const [isOpen, setOpen] = useState(isNarrowed)
  useEffect(() => {
    if (isNarrowed) setOpen(true)
  }, [isNarrowed])
  const { people } = useNames()
  const choices = [
    ['agent', 'Agent', agents.map(({ id, name }) => [id, name] as const)],
    ['person', 'Person', people],
    ['channel', 'Channel', channels.filter(({ state }) => state === 'on').map(({ id, name }) => [id, name] as const)],
  ] as const
  return (
    <details className="session-narrow" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Narrow the list</summary>
      {choices
        .filter(([name, , all]) => all.length > (name === 'channel' ? 0 : 1))
        .map(([name, label, all]) => (
          <label key={name}>
            {label}
            <select
              className="field"
              value={params.get(name) ?? ''}
              onChange={(event) => set({ [name]: event.currentTarget.value })}
            >
              <option value="">any</option>
              {all.map(([id, shown]) => (
                <option key={id} value={id}>
                  {visibleText(shown)}
                </option>
              ))}
            </select>
          </label>
        ))}
      {(['since', 'until'] as const).map((name) => (
        <label key={name}>
          {name === 'since' ? 'Changed since' : 'Changed until'}
          <input
            className="field"
            type="date"
            value={params.get(name) ?? ''}
            onChange={(event) => set({ [name]: event.currentTarget.value })}
          />
        </label>
      ))}
    </details>
  )
}

/** The filters in the form that the server takes. A day is a day of this browser's time. */
export function narrowed(params: URLSearchParams) {
  const chosen = (name: 'agent' | 'person' | 'channel') => {
    const value = params.get(name)
    return value === null || value === '' ? {} : { [name]: value }
  }
  const begin = (name: 'since' | 'until', later: number) => {
    const given = params.get(name)
    if (given === null || given === '') return {}
    const [year, month, day] = given.split('-').map(Number)
    const at = new Date(year ?? Number.NaN, (month ?? 1) - 1, (day ?? 1) + later).getTime()
    return Number.isNaN(at) ? {} : { [name]: at }
  }
  return { ...chosen('agent'), ...chosen('person'), ...chosen('channel'), ...begin('since', 0), ...begin('until', 1) }
}

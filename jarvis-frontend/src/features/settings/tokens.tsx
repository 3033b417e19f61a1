import type { ApiTokenInfo, Door, TokenArea } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { makeToken, revokeToken } from '../../api/settings.ts'
import { ago, exactTime, longSpan } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import { FormProblem } from './form-problem.tsx'
import { TokenUse } from './token-use.tsx'

const problemOf = (error: unknown) => (error instanceof ApiError ? error.message : 'The answer could not be read.')

const dayMs = 86_400_000
/** Rounds times over two days to whole days, because this clock and the server's differ by seconds. */
export const daysLeft = (ms: number) => longSpan(ms > 2 * dayMs ? Math.round(ms / dayMs) * dayMs : ms)

/** Tokens of programs: the doors and scope of each, and its last use. */
export function TokenList({ tokens, onChanged }: { tokens: readonly ApiTokenInfo[]; onChanged: () => void }) {
  if (tokens.length === 0) return <p className="text-soft">No tokens yet: no program can connect.</p>
  return (
    <ul className="fact-list">
      {tokens.map((token) => (
        <TokenRow key={token.name} token={token} onChanged={onChanged} />
      ))}
    </ul>
  )
}

function TokenRow({ token, onChanged }: { token: ApiTokenInfo; onChanged: () => void }) {
  const now = useNow(60_000)
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const {
    name,
    doors,
    scope,
    areas = [],
    hint,
    clientName,
    createdAt,
    expiresAt,
    lastUsedAt,
    calls,
    requestsPerMinute,
  } = token
  const isExpired = expiresAt !== undefined && expiresAt <= now
  const revoke = async () => {
    try {
      await revokeToken(name)
      onChanged()
    } catch (error) {
      setProblem(problemOf(error))
    }
  }
  return (
    <li>
      <Mark
        kind={isExpired ? 'unknown' : lastUsedAt === undefined ? 'stopped' : 'running'}
        size={11}
        label={isExpired ? 'expired' : lastUsedAt === undefined ? 'never used' : 'used'}
      />
      <span>
        {name} {hint !== undefined && <span className="text-soft">…{hint}</span>}
        <small>
          <code>{doors.join(', ')}</code>
        </small>
        <small className="token-scope">
          <Tier tier={scope === 'read' ? 'green' : 'red'} size={10} />
          {[scope === 'read' ? 'reads only' : 'reads and asks', ...areas].join(', ')}
        </small>
        {clientName !== undefined && (
          <small>
            signed in as “<Visible text={clientName} />”
          </small>
        )}
      </span>
      <span className="text-soft">
        {lastUsedAt === undefined
          ? 'never used'
          : `last used ${ago(lastUsedAt, now)}, ${calls} ${calls === 1 ? 'call' : 'calls'}`}
        <small>
          {requestsPerMinute !== undefined && `at most ${requestsPerMinute} a minute, `}made {exactTime(createdAt)},{' '}
          {expiresAt === undefined
            ? 'never expires'
            : isExpired
              ? `expired ${exactTime(expiresAt)}`
              : `expires in ${daysLeft(expiresAt - now)}`}
        </small>
        {problem !== undefined && <small role="alert">{problem}</small>}
      </span>
      {isAsking ? (
        <span className="two-acts">
          <button type="button" className="button small" onClick={() => void revoke()}>
            Revoke {name}
          </button>
          <button type="button" className="button small quiet" onClick={() => setAsking(false)}>
            Keep {name}
          </button>
        </span>
      ) : (
        <button
          type="button"
          className="button small quiet"
          aria-label={`Revoke ${name}…`}
          onClick={() => setAsking(true)}
        >
          Revoke…
        </button>
      )}
    </li>
  )
}

const doors: readonly (readonly [Door, string])[] = [
  ['mcp', 'Tools, for MCP clients.'],
  ['v1', 'Chat with JARVIS as with an OpenAI model.'],
  ['api', 'REST and events, for scripts.'],
  ['metrics', 'Figures, for Prometheus.'],
]

/** Texts that a token may have a right to besides its scope. */
const texts = [
  ['memory', 'Files of the memory', 'read and write'],
  ['agents', 'Files of agents', 'read and write, and agents'],
] as const

const expiries = [
  ['', 'never'],
  ['1', '1 day'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
] as const

/** Makes a token and shows it once. */
export function NewToken({ isMember, onChanged }: { isMember: boolean; onChanged: () => void }) {
  const offered = doors.filter(([door]) => !isMember || door !== 'metrics')
  const [made, setMade] = useState<{ name: string; token: string; doors: readonly Door[] }>()
  const [problem, setProblem] = useState<string>()
  const make = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const chosen = offered.flatMap(([door]) => (given.has(door) ? [door] : []))
    const days = Number(given.get('expires'))
    const rate = Number(given.get('rate'))
    if (chosen.length === 0) return setProblem('Choose at least one door.')
    try {
      const made = await makeToken({
        name: String(given.get('name') ?? '').trim(),
        doors: chosen,
        scope: given.get('scope') === 'ask' ? 'ask' : 'read',
        areas: texts.flatMap(([area]): TokenArea[] => {
          const right = given.get(area)
          return right === 'read' || right === 'write' ? [`${area}:${right}`] : []
        }),
        ...(days > 0 && { expiresInDays: days }),
        ...(rate > 0 && { requestsPerMinute: rate }),
      })
      setMade(made)
      setProblem(undefined)
      form.reset()
      onChanged()
    } catch (error) {
      setProblem(problemOf(error))
    }
  }
  return (
    <>
      {made !== undefined && (
        <>
          <div className="strip once" role="status">
            <span>
              <b>{made.name}: copy it now, it is not shown again.</b>
              <code>{made.token}</code>
            </span>
            <CopyButton text={made.token} label="Copy the token" />
            <button type="button" className="button small" onClick={() => setMade(undefined)}>
              I have it
            </button>
          </div>
          <TokenUse token={made.token} doors={made.doors} />
        </>
      )}
      <form
        className="new-token"
        aria-label="Make a token"
        onSubmit={(event) => {
          event.preventDefault()
          void make(event.currentTarget)
        }}
      >
        <fieldset className="fact-list choices">
          <legend className="vh">Doors</legend>
          {offered.map(([door, what]) => (
            <label key={door}>
              <input type="checkbox" name={door} />
              <code>{door}</code>
              <span className="text-soft">{what}</span>
            </label>
          ))}
        </fieldset>
        <div className="form-row">
          <label>
            Name
            <input className="field" name="name" required maxLength={64} placeholder="ops-laptop" autoComplete="off" />
          </label>
          <label>
            May
            <select className="field" name="scope" defaultValue="read">
              <option value="read">only read</option>
              <option value="ask">read, and ask for changes</option>
            </select>
          </label>
          {!isMember &&
            texts.map(([area, title, writing]) => (
              <label key={area}>
                {title}
                <select className="field" name={area} defaultValue="">
                  <option value="">closed</option>
                  <option value="read">read</option>
                  <option value="write">{writing}</option>
                </select>
              </label>
            ))}
          <label>
            Expires
            <select className="field" name="expires" defaultValue="90">
              {expiries.map(([days, words]) => (
                <option key={days} value={days}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <label>
            Requests a minute
            <input
              className="field"
              name="rate"
              type="number"
              min={1}
              max={1_000_000}
              step={1}
              placeholder="no limit"
            />
          </label>
          <button type="submit" className="button">
            Make a token
          </button>
        </div>
      </form>
      <FormProblem text={problem} />
    </>
  )
}

import type { McpTokenInfo } from 'jarvis-backend/protocol'
import { useState } from 'react'
import { ApiError } from '../../api/http.ts'
import { makeMcpToken, revokeMcpToken } from '../../api/settings.ts'
import { ago, exactTime, longSpan } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { FormProblem } from './form-problem.tsx'

const problemOf = (error: unknown) => (error instanceof ApiError ? error.message : 'The answer could not be read.')

const dayMs = 86_400_000
/** Rounds to days, because this clock and the server's differ by seconds. */
export const daysLeft = (ms: number) => longSpan(ms > 2 * dayMs ? Math.round(ms / dayMs) * dayMs : ms)

/** Tokens of MCP clients, with what each may do and when it was used last. */
export function McpTokenList({ tokens, onChanged }: { tokens: readonly McpTokenInfo[]; onChanged: () => void }) {
  if (tokens.length === 0) return <p className="text-soft">No tokens yet: no MCP client can connect.</p>
  return (
    <ul className="fact-list">
      {tokens.map((token) => (
        <TokenRow key={token.name} token={token} onChanged={onChanged} />
      ))}
    </ul>
  )
}

function TokenRow({ token, onChanged }: { token: McpTokenInfo; onChanged: () => void }) {
  const now = useNow(60_000)
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const { name, clientName, isReadOnly, createdAt, expiresAt, lastUsedAt } = token
  const isExpired = expiresAt !== undefined && expiresAt <= now
  const revoke = async () => {
    try {
      await revokeMcpToken(name)
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
        {name}
        <small>
          {isReadOnly ? 'reads only' : 'reads and asks'}
          {clientName !== undefined && (
            <>
              , signed in as “<Visible text={clientName} />”
            </>
          )}
        </small>
      </span>
      <span className="text-soft">
        {lastUsedAt === undefined ? 'never used' : `last used ${ago(lastUsedAt, now)}`}
        <small>
          made {exactTime(createdAt)},{' '}
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

const expiries = [
  ['', 'never'],
  ['1', '1 day'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
] as const

export const mcpAddress = () => `${location.origin}/mcp`

const clientConfig = (token: string) =>
  JSON.stringify(
    {
      mcpServers: { jarvis: { type: 'http', url: mcpAddress(), headers: { Authorization: `Bearer ${token}` } } },
    },
    undefined,
    2,
  )

/** Makes a token and shows it once. */
export function NewMcpToken({ onChanged }: { onChanged: () => void }) {
  const [made, setMade] = useState<{ name: string; token: string }>()
  const [problem, setProblem] = useState<string>()
  const make = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const name = String(given.get('name') ?? '').trim()
    const days = Number(given.get('expires'))
    try {
      const { token } = await makeMcpToken({
        name,
        isReadOnly: given.get('scope') === 'read',
        ...(days > 0 && { expiresInDays: days }),
      })
      setMade({ name, token })
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
      )}
      {made !== undefined && (
        <details>
          <summary>As most clients write it down</summary>
          <div className="strip once command">
            <pre>{clientConfig(made.token)}</pre>
            <CopyButton text={clientConfig(made.token)} label="Copy the configuration" />
          </div>
        </details>
      )}
      <form
        className="form-row"
        aria-label="Make an MCP token"
        onSubmit={(event) => {
          event.preventDefault()
          void make(event.currentTarget)
        }}
      >
        <label>
          Name
          <input className="field" name="name" required maxLength={64} placeholder="ops-laptop" autoComplete="off" />
        </label>
        <label>
          May
          <select className="field" name="scope" defaultValue="ask">
            <option value="ask">read, and ask for changes</option>
            <option value="read">only read</option>
          </select>
        </label>
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
        <button type="submit" className="button">
          Make a token
        </button>
      </form>
      <FormProblem text={problem} />
    </>
  )
}

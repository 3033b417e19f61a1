import type { AttachedServer, AttachedSignInReply, AttachedTier, AttachedToolInfo } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import {
  allowMcpServer,
  changeMcpServer,
  removeMcpServer,
  retryMcpServer,
  setAttachedTier,
  signInToMcpServer,
  signOutOfMcpServer,
} from '../../api/mcp-servers.ts'
import { exactTime, plural } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { McpServerLog } from './mcp-server-log.tsx'
import { SignInFacts, SignInLink } from './mcp-sign-in.tsx'

const marks = {
  disabled: 'none',
  waiting: 'warn',
  idle: 'stopped',
  connecting: 'unknown',
  connected: 'running',
  failed: 'bad',
} as const
const tiers: readonly AttachedTier[] = ['green', 'yellow', 'red']

/** MCP servers that JARVIS attaches to, with their tools and the tier of each. */
export function McpServerList({
  servers,
  isResting,
  onChanged,
}: {
  servers: readonly AttachedServer[]
  isResting: boolean
  onChanged: () => void
}) {
  if (servers.length === 0) return <p className="text-soft">No servers yet.</p>
  return (
    <ul className="fact-list attached" aria-label="MCP servers">
      {servers.map((server) => (
        <ServerRow key={server.name} server={server} isResting={isResting} onChanged={onChanged} />
      ))}
    </ul>
  )
}

function ServerRow({
  server: { name, type, config, state, program, server, lastError, reconnectedAt, goneSince, signIn, tools, refused },
  isResting,
  onChanged,
}: {
  server: AttachedServer
  isResting: boolean
  onChanged: () => void
}) {
  const [isAsking, setAsking] = useState(false)
  const [begun, setBegun] = useState<AttachedSignInReply>()
  const [problem, setProblem] = useState<string>()
  const attempt = async (work: () => Promise<unknown>) => {
    if (isResting) return
    try {
      await work()
      setProblem(undefined)
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'The answer could not be read.')
    }
    onChanged()
  }
  const act = (words: string, work: () => Promise<unknown>) => (
    <button
      type="button"
      className="button small quiet"
      aria-label={`${words} ${name}`}
      aria-disabled={isResting}
      onClick={() => void attempt(work)}
    >
      {words.replace(/ (?:to|of)$/, '')}
    </button>
  )
  return (
    <li>
      <Mark kind={signIn?.state === 'needed' ? 'warn' : marks[state]} size={11} />
      <span>
        {name}
        <small>
          {type}, {signIn?.state === 'needed' ? 'needs a sign-in' : state}
          {goneSince !== undefined && `, gone since ${exactTime(goneSince)}`}
          {reconnectedAt !== undefined && `, reconnected ${exactTime(reconnectedAt)}`}
        </small>
      </span>
      <span className="text-soft">
        <span className="mono">
          <Visible text={'url' in config ? config.url : [config.command, ...config.args].join(' ')} />
        </span>
        {program !== undefined && (
          <small className="text-ink">
            It came into mcp.json by no owner’s word, so{' '}
            {'url' in config
              ? 'nothing is sent to it. Allowed, it is sent values of JARVIS’s environment'
              : 'it is not started. Allowed, it runs as JARVIS’s own user'}
            {'env' in config && Object.keys(config.env).length > 0 && (
              <>
                , with <Visible text={Object.keys(config.env).join(', ')} /> set
              </>
            )}
            .
          </small>
        )}
        {server !== undefined && (
          <small>
            calls itself “<Visible text={`${server.name} ${server.version}`} />”
          </small>
        )}
        {lastError !== undefined && lastError.at > (signIn?.at ?? 0) && (
          <small className="text-ink">
            {exactTime(lastError.at)}: <Visible text={lastError.message} />
          </small>
        )}
        {signIn !== undefined && <SignInFacts signIn={signIn} />}
        {begun !== undefined && <SignInLink begun={begun} onLeave={() => setBegun(undefined)} />}
        {problem !== undefined && <small role="alert">{problem}</small>}
      </span>
      <span className="two-acts">
        {isAsking ? (
          <>
            <button
              type="button"
              className="button small"
              aria-disabled={isResting}
              onClick={() => void attempt(() => removeMcpServer(name))}
            >
              Remove {name}
            </button>
            <button type="button" className="button small quiet" onClick={() => setAsking(false)}>
              Keep {name}
            </button>
          </>
        ) : (
          <>
            {program !== undefined && act('Allow', () => allowMcpServer(name, program))}
            {signIn !== undefined &&
              signIn.state !== 'signed_in' &&
              act('Sign in to', async () => setBegun(await signInToMcpServer(name)))}
            {signIn?.at !== undefined && act('Sign out of', () => signOutOfMcpServer(name))}
            {state === 'failed' && act('Try again', () => retryMcpServer(name))}
            {act(config.enabled ? 'Disable' : 'Enable', () =>
              changeMcpServer(name, { ...config, enabled: !config.enabled }),
            )}
            <button
              type="button"
              className="button small quiet"
              aria-label={`Remove ${name}…`}
              onClick={() => setAsking(true)}
            >
              Remove…
            </button>
          </>
        )}
      </span>
      {(tools.length > 0 || refused.length > 0) && (
        <details>
          <summary>
            {plural(tools.length, 'tool')}
            {refused.length > 0 && `, ${refused.length} that cannot be used`}
          </summary>
          <ul aria-label={`Tools of ${name}`}>
            {tools.map((tool) => (
              <ToolRow
                key={tool.name}
                tool={tool}
                isResting={isResting}
                onChoose={(tier) => attempt(() => setAttachedTier(tool, tier))}
              />
            ))}
            {refused.map(({ toolName, problem }) => (
              <li key={toolName}>
                <Mark kind="warn" size={11} label="cannot be used:" />
                <span>
                  <Visible text={toolName} />
                  <small>
                    <Visible text={problem} />
                  </small>
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <McpServerLog name={name} />
    </li>
  )
}

function ToolRow({
  tool: { name, toolName, description, tier, suggestedTier, changedAt },
  isResting,
  onChoose,
}: {
  tool: AttachedToolInfo
  isResting: boolean
  onChoose: (tier: AttachedTier) => void
}) {
  return (
    <li>
      <Tier tier={tier} size={12} />
      <span>
        <span className="mono">
          <Visible text={toolName} />
        </span>
        <small>
          it says: “<Visible text={description} />”
        </small>
        <small>
          by its own hint {tierWord[suggestedTier]}
          {changedAt !== undefined && `; its definition changed ${exactTime(changedAt)} and took its tier back`}
        </small>
      </span>
      <select
        className="field"
        aria-label={`Tier of ${name}`}
        value={tier}
        disabled={isResting}
        onChange={(event) => onChoose(event.currentTarget.value as AttachedTier)}
      >
        {tiers.map((known) => (
          <option key={known} value={known}>
            {tierWord[known]}
          </option>
        ))}
      </select>
    </li>
  )
}

import { mcpServers } from '../../api/mcp-servers.ts'
import { mcpTokens } from '../../api/settings.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { McpServerList } from '../../features/settings/mcp-servers.tsx'
import { McpTokenList, mcpAddress, NewMcpToken } from '../../features/settings/mcp-tokens.tsx'
import { NewMcpServer } from '../../features/settings/new-mcp-server.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Section, useRights } from './section.tsx'

export function McpServers() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again } = useLoad(
    isOperator ? 'mcp-servers' : 'none',
    () => (isOperator ? mcpServers() : Promise.resolve({ items: [], problems: [] })),
    ['connect', 'mcp_servers'],
  )
  return (
    <Section id="mcp-servers" title="MCP servers">
      <p>Their tools pass the same gate: each asks until you say otherwise, and again when its definition changes.</p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data?.problems.map((line) => (
        <p key={line} className="form-problem">
          <Mark kind="warn" size={11} label="mcp.json:" />{' '}
          <span>
            <Visible text={line} />
          </span>
        </p>
      ))}
      {data === undefined
        ? problem === undefined && <Skeletons rows={2} height={46} />
        : isOperator && <McpServerList servers={data.items} isResting={isResting} onChanged={again} />}
      {isResting ? <Resting isOperator={isOperator} isLive={isLive} /> : <NewMcpServer onChanged={again} />}
    </Section>
  )
}

export function McpTokens() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again } = useLoad(
    `tokens ${isOperator}`,
    () => (isOperator ? mcpTokens() : Promise.resolve({ items: [] })),
    ['connect'],
  )
  return (
    <Section id="mcp" title="MCP tokens">
      <p>
        A client that speaks MCP uses the tools from outside; what asks waits here, on a card. A token may call tools.
        It can never confirm.
      </p>
      <div className="strip once command">
        <pre>{mcpAddress()}</pre>
        <CopyButton text={mcpAddress()} label="Copy the address for MCP clients" />
      </div>
      <p>
        Give a client this address. One that can sign in by itself asks you here; any other takes a token made below, as{' '}
        <code>Authorization: Bearer …</code>
      </p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined
        ? problem === undefined && <Skeletons rows={2} height={46} />
        : isOperator && <McpTokenList tokens={data.items} onChanged={again} />}
      {isResting ? <Resting isOperator={isOperator} isLive={isLive} /> : <NewMcpToken onChanged={again} />}
    </Section>
  )
}

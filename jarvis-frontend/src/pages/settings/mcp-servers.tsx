import { mcpServers } from '../../api/mcp-servers.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { McpServerList } from '../../features/settings/mcp-servers.tsx'
import { NewMcpServer } from '../../features/settings/new-mcp-server.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Section, useRights } from './section.tsx'

export function McpServers() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again } = useLoad('mcp-servers', isOperator ? mcpServers : undefined, [
    'connect',
    'mcp_servers',
  ])
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
        ? isOperator && problem === undefined && <Skeletons rows={2} height={46} />
        : isOperator && <McpServerList servers={data.items} isResting={isResting} onChanged={again} />}
      {isResting ? <Resting who="owner" isOperator={isOperator} isLive={isLive} /> : <NewMcpServer onChanged={again} />}
    </Section>
  )
}

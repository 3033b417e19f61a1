import { useState } from 'react'
import { mcpServerLog } from '../../api/mcp-servers.ts'
import { useLoad } from '../../api/use-load.ts'
import { exactTime } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'

const sources = { stderr: 'its error output', server: 'its words', jarvis: 'JARVIS' } as const

/** The state changes and output of an attached server. The log is read when the person opens it. */
export function McpServerLog({ name }: { name: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Log</summary>
      {isOpen && <Lines name={name} />}
    </details>
  )
}

function Lines({ name }: { name: string }) {
  const { data, problem, again } = useLoad(`log of MCP server ${name}`, () => mcpServerLog(name), ['mcp_servers'])
  return (
    <>
      {problem !== undefined && <p role="alert">{problem.message}</p>}
      {data?.items.length === 0 && <p className="text-soft">Nothing since the start.</p>}
      {data !== undefined && (
        <ol
          className="attached-log scroll"
          aria-label={`Log of ${name}, newest last`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
          tabIndex={0}
        >
          {data.items.map(({ id, at, source, text }) => (
            <li key={id}>
              <span className="text-soft">
                {exactTime(at)}, {sources[source]}
              </span>{' '}
              <Visible text={text} />
            </li>
          ))}
        </ol>
      )}
      <button type="button" className="button small quiet" onClick={again}>
        Read the log of {name} again
      </button>
    </>
  )
}

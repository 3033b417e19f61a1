import type { Door } from 'protocol'
import { CopyButton } from '../../ui/copy-button.tsx'

export const mcpAddress = () => `${location.origin}/mcp`

/** The configuration lines that a program needs, by door. */
const written: Record<Door, (token: string) => string> = {
  mcp: (token) =>
    JSON.stringify(
      { mcpServers: { jarvis: { type: 'http', url: mcpAddress(), headers: { Authorization: `Bearer ${token}` } } } },
      undefined,
      2,
    ),
  v1: (token) => `OPENAI_BASE_URL=${location.origin}/v1\nOPENAI_API_KEY=${token}`,
  api: (token) => `curl -H "Authorization: Bearer ${token}" ${location.origin}/api/cluster`,
  metrics: (token) =>
    `scrape_configs:\n  - job_name: jarvis\n    authorization: {credentials: ${token}}\n    static_configs: [{targets: ["${location.host}"]}]`,
}

/** Shows a new token as the configuration of a program, for each of its doors. */
export function TokenUse({ token, doors }: { token: string; doors: readonly Door[] }) {
  return (
    <details>
      <summary>As most programs write it down</summary>
      {doors.map((door) => (
        <div key={door} className="strip once command">
          <pre>{written[door](token)}</pre>
          <CopyButton text={written[door](token)} label={`Copy what ${door} takes`} />
        </div>
      ))}
    </details>
  )
}

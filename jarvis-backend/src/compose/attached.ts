import { createOriginOf } from '../auth/public-origin.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Journal } from '../calls/ports.ts'
import { readMcpFile, writeMcpServer } from '../config/mcp-file.ts'
import { sealFiles } from '../config/sealed-files.ts'
import type { Sealing } from '../config/sealing.ts'
import { mcpServerRoutes } from '../http/mcp-servers.ts'
import { mcpSignInRoutes } from '../http/mcp-sign-in.ts'
import type { Clock } from '../lib/clock.ts'
import { createAttachedServers } from '../mcp/attached/attached.ts'
import { clientDocument } from '../mcp/attached/sign-in/client.ts'
import { SignIns } from '../mcp/attached/sign-in/sign-ins.ts'
import type { GrowingRedactor } from '../redaction/growing.ts'
import type { SecretBox } from '../secrets/index.ts'
import { createAttachedStore } from '../store/sqlite/attached.ts'
import { createAttachedSignInStore } from '../store/sqlite/attached-sign-ins.ts'
import type { Database } from '../store/sqlite/database.ts'

/** Wires the MCP servers of `mcp.json`: their processes, connections, tools and routes. */
export function composeAttached(parts: {
  dataDir: string
  sealing: Sealing
  /** What fills `${NAME}` in `mcp.json`, besides the saved settings. */
  variables: Readonly<Record<string, string>>
  secrets: SecretBox
  /** The origin under which a proxy publishes JARVIS. */
  publicUrl: string | undefined
  /** The part of JARVIS's environment that a server's process may see. */
  env: Record<string, string>
  version: string
  database: Database
  journal: Journal
  clock: Clock
  redactor: GrowingRedactor
  announce(text: string, level: 'info' | 'warning'): void
  changed(): void
  stepUp: StepUp
  report(error: unknown, message: string): void
}) {
  const { dataDir, sealing, variables, publicUrl, secrets, database, redactor, stepUp, report, ...rest } = parts
  const source = { ...sealing, variables }
  const signIns = new SignIns({
    ...{ store: createAttachedSignInStore(database, secrets), transactions: database, redact: redactor, report },
    ...{ journal: rest.journal, clock: rest.clock, announce: rest.announce, changed: rest.changed },
  })
  const servers = createAttachedServers({
    ...rest,
    signIns,
    cwd: parts.env.HOME ?? dataDir,
    store: createAttachedStore(database),
    transactions: database,
    redact: redactor,
    file: {
      read() {
        sealFiles(dataDir, secrets, ['mcp.json', 'settings.env'])
        return readMcpFile(source)
      },
      write: (name, config) => writeMcpServer(source, name, config),
    },
    report,
  })
  return {
    tools: servers.tools,
    routes: [
      ...mcpServerRoutes({ ...servers, stepUp }),
      ...mcpSignInRoutes({
        signIns: {
          begin: servers.signIn,
          start: (flow) => signIns.start(flow),
          finish: servers.signedIn,
          signOut: servers.signOut,
          client: clientDocument,
        },
        originOf: createOriginOf(publicUrl),
        publicUrl,
      }),
    ],
    reload() {
      try {
        servers.reload()
      } catch (error) {
        report(error, 'mcp.json could not be taken up')
      }
    },
    start: servers.start,
    stop: servers.stop,
  }
}

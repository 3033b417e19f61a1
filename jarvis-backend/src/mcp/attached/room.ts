import type { GrowingRedactor } from 'redaction/growing'
import type { SecretBox } from 'secrets'
import { createOriginOf } from '../../auth/public-origin.ts'
import type { StepUp } from '../../auth/step-up.ts'
import type { Journal } from '../../calls/ports.ts'
import type { Config } from '../../config/config.ts'
import { readMcpFile, writeMcpServer } from '../../config/mcp-file.ts'
import { sealFiles } from '../../config/sealed-files.ts'
import type { Sealing } from '../../config/sealing.ts'
import type { Foundation } from '../../foundation.ts'
import { defineRoom, type JarvisFacts } from '../../house.ts'
import { mcpServerRoutes } from '../../http/mcp-servers.ts'
import { mcpSignInRoutes } from '../../http/mcp-sign-in.ts'
import type { Clock } from '../../lib/clock.ts'
import { SqliteAttachedStore } from '../../store/sqlite/attached.ts'
import { SqliteAttachedSignInStore } from '../../store/sqlite/attached-sign-ins.ts'
import type { Database } from '../../store/sqlite/database.ts'
import { ServersOfFile } from './attached.ts'
import { clientDocument } from './sign-in/client.ts'
import { SignIns } from './sign-in/sign-ins.ts'

/** The attached MCP servers and their tools. Listens to `files.changed`. */
export const attachedRoom = defineRoom({
  name: 'attached',
  open(needs: {
    foundation: Foundation
    config: Pick<Config, 'inheritedEnv' | 'variables' | 'publicUrl'>
    facts: JarvisFacts
    stepUp: StepUp
    version: string
  }) {
    const { foundation, config, stepUp, version } = needs
    const attached = openAttached({
      ...foundation,
      stepUp,
      version,
      variables: config.variables,
      publicUrl: config.publicUrl,
      env: config.inheritedEnv,
      announce: foundation.announce('mcp'),
      changed: () => foundation.activity.changed({ what: 'mcp_servers' }),
    })
    needs.facts.on('files.changed', attached.reload)
    return { attached, contributes: { routes: attached.routes }, start: attached.start, stop: attached.stop }
  },
})

function openAttached(parts: {
  dataDir: string
  sealing: Sealing
  /** Values for `${NAME}` in `mcp.json`, in addition to the saved settings. */
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
    store: new SqliteAttachedSignInStore(database, secrets),
    transactions: database,
    redact: redactor,
    report,
    journal: rest.journal,
    clock: rest.clock,
    announce: rest.announce,
    changed: rest.changed,
  })
  const servers = new ServersOfFile({
    ...rest,
    signIns,
    cwd: parts.env.HOME ?? dataDir,
    store: new SqliteAttachedStore(database),
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
    tools: () => servers.tools(),
    routes: [
      ...mcpServerRoutes({ servers, stepUp }),
      ...mcpSignInRoutes({
        signIns: {
          begin: (name, asked) => servers.signIn(name, asked),
          start: (flow) => signIns.start(flow),
          finish: (cookie, answer) => servers.signedIn(cookie, answer),
          signOut: (name, by) => servers.signOut(name, by),
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
    start: () => servers.start(),
    stop: () => servers.stop(),
  }
}

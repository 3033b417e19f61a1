import { existsSync } from 'node:fs'
import { ConfigError, readConfig } from '../config/config.ts'
import { JarvisError } from '../protocol/index.ts'
import { DatabaseRefused } from '../store/sqlite/database.ts'
import { mcpToken } from './mcp-token.ts'

const usage = `Usage: npm run jarvis -- COMMAND

  mcp-token create NAME [--read-only] [--expires 30d]   make a token for an MCP client; it is shown once
  mcp-token list                                        names, rights, last use
  mcp-token revoke NAME                                 the client is refused from now on`

const commands: Record<string, (args: string[]) => void> = {
  'mcp-token': (args) => mcpToken(readConfig(process.env), args),
}

try {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const [name = '', ...args] = process.argv.slice(2)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    console.error(usage)
    process.exitCode = name === '' || name === 'help' || name === '--help' ? 0 : 1
  } else {
    command(args)
  }
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof DatabaseRefused || error instanceof JarvisError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const inspector = '@modelcontextprotocol/inspector@2.12.0'

const jarvis = fileURLToPath(new URL('../../../scripts/jarvis.js', import.meta.url))

/**
 * What a person would try first with the inspector's command line, over HTTP in both specifications and over stdio.
 * @param parts `dir`: where it is installed, and its home. `node`: new enough for it.
 * @returns how many answers were as they should be. @throws where one was not.
 */
export async function tryInspector(parts: { dir: string; node: string; url: string; token: string }): Promise<number> {
  const { dir, node, url, token } = parts
  const program = join(dir, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
  const http = [url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]
  const ways = {
    'HTTP, 2025-11-25': [...http, '--protocol-era', 'legacy'],
    'HTTP, 2026-07-28': [...http, '--protocol-era', 'modern'],
    stdio: [process.execPath, jarvis, 'mcp', '--url', url.replace(/\/mcp$/, ''), '-e', `JARVIS_MCP_TOKEN=${token}`],
  }
  let count = 0
  for (const [way, target] of Object.entries(ways)) {
    for (const [what, args, expected] of tries) {
      const output = await said(
        node,
        [program, '--cli', ...target, ...args, '--connect-timeout', '60000', '--format', 'json'],
        {
          PATH: process.env.PATH,
          HOME: dir,
        },
      )
      if (!output.includes(expected))
        throw new Error(`inspector over ${way}: ${what} answered ${output.slice(0, 2_000)}`)
      count += 1
    }
  }
  return count
}

const tries = [
  ['the list of tools', ['--method', 'tools/list'], '"stop_vm"'],
  ['a read', ['--method', 'tools/call', '--tool-name', 'get_vms', '--tool-arg', 'status=running'], 'truenas'],
  ['a resource', ['--method', 'resources/read', '--uri', 'jarvis://guests/103'], 'truenas'],
  [
    'a black call',
    ['--method', 'tools/call', '--tool-name', 'stop_vm', '--tool-arg', 'vmid=103', 'confirm=true'],
    'Nothing was run',
  ],
] as const

/** All it wrote. A tool's error makes it end with a code of its own. */
function said(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    const add = (chunk: Buffer) => {
      text += chunk.toString()
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    child.on('error', reject)
    child.on('close', () => resolve(text))
  })
}

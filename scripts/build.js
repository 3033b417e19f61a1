import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const backend = join(root, 'jarvis-backend')
const frontend = join(root, 'jarvis-frontend')
const packages = join(root, 'packages')
/** Packages of the demo, which a build may leave out. */
export const scenery = ['demo-model', 'fake-proxmox']

/** Bundles the server: it starts in half the time, and the model SDKs load only where they are used. */
export async function buildBackend({ withoutDemo = false } = {}) {
  const outdir = join(backend, 'dist')
  rmSync(outdir, { recursive: true, force: true })
  const programs = { main: join(backend, 'src/main.ts'), cli: join(backend, 'src/cli/main.ts') }
  await bundle(programs, outdir, withoutDemo ? scenery : [])
}

/** Bundles programs that run the server, with its threads beside them. `outdir` must be a folder in `jarvis-backend`. `leftOut`: packages that fail when they are loaded. */
export async function bundle(programs, outdir, leftOut = []) {
  const { build } = await import('esbuild')
  await build({
    entryPoints: {
      ...programs,
      'backup-worker': join(backend, 'src/backup-worker.ts'),
      'memory-worker': join(backend, 'src/memory-worker.ts'),
      'page-worker': join(backend, 'src/workbench/web/page-worker.ts'),
      'sentence-encoder-worker': join(packages, 'sentence-encoder/src/worker.ts'),
    },
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    sourcemap: true,
    // Less text to keep in memory; names stay as they are, so that a stack trace can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'external',
    // Native parts cannot be bundled; pino and playwright-core find what is beside them by path.
    external: ['better-sqlite3', 'sqlite-vec', 'pino', 'ssh2', '@node-rs/argon2', 'playwright-core'],
    // Where aliases are looked up: the program may be started from any folder.
    absWorkingDir: root,
    // Its CommonJS form asks for its parts in a way that no bundler follows.
    alias: {
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      ...Object.fromEntries(leftOut.map((name) => [name, join(root, 'scripts/left-out.js')])),
    },
    // CommonJS code inside the bundle gets Node's own modules from this `require`.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  })
}

export async function buildFrontend() {
  const { build } = await import('vite')
  await build({ root: frontend, configFile: join(frontend, 'vite.config.ts'), logLevel: 'warn' })
}

/** Tests if the server's bundle is missing or older than its sources. */
export const isServerStale = () =>
  isStale(join(backend, 'dist/main.js'), [join(backend, 'src'), join(backend, 'package.json'), packages])

/** Tests if the built dashboard is missing or older than its sources. */
export const isDashboardStale = () => isStale(join(frontend, 'dist/index.html'), dashboardSources())

/** When the newest source of the dashboard was changed, Unix ms. */
export const newestOfDashboard = () => newest(dashboardSources())

const dashboardSources = () => [
  ...['src', 'public', 'index.html', 'vite.config.ts', 'precompress.ts', 'package.json'].map((name) =>
    join(frontend, name),
  ),
  join(packages, 'protocol/src'),
]

/** Builds the server where it is missing or older than its sources. */
export async function buildServer() {
  if (!isServerStale()) return
  console.error('Building the server…')
  await buildBackend()
}

/** Builds the side that is missing or older than its sources. */
export async function buildMissing() {
  await buildServer()
  if (isDashboardStale()) {
    console.error('Building the dashboard…')
    await buildFrontend()
  }
}

const inside = (path) =>
  readdirSync(path)
    .map((name) => join(path, name))
    .filter((one) => !isOfTests(one))

function isStale(output, sources) {
  return !existsSync(output) || newest(sources) > statSync(output).mtimeMs
}

/** No output holds these. */
const isOfTests = (path) => /\.test\.tsx?$|\/(?:test|testing)$/.test(path)

/** When the newest file of these files and folders was changed, Unix ms. Tests below them do not count. */
export function newest(paths) {
  let latest = 0
  for (const path of paths) {
    if (!existsSync(path)) continue
    const stat = statSync(path)
    const time = stat.isDirectory() ? newest(inside(path)) : stat.mtimeMs
    latest = Math.max(latest, time)
  }
  return latest
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildBackend({ withoutDemo: process.argv.includes('--without-demo') })
  await buildFrontend()
}

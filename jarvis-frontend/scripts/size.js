// Fails when what the first page or a session loads is heavier than its budget. Run after `vite build`.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

/** The parts that an open session without cards fetches before the page is at rest. */
const session = ['src/pages/chat/session-stream.tsx', 'src/pages/chat/session-head.tsx', 'src/app/side.tsx']
const budgets = [
  { name: 'js', kind: 'js', most: 130_000, parts: ['src/pages/chat/idle.tsx'] },
  { name: 'css', kind: 'css', most: 25_000, parts: [] },
  { name: 'js with a session', kind: 'js', most: 165_000, parts: session },
]
const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))
const html = readFileSync(new URL('index.html', dist), 'utf8')

/** A chunk and everything it imports statically. */
function withImports(key, seen = new Set()) {
  if (seen.has(key)) return seen
  seen.add(key)
  for (const name of manifest[key].imports ?? []) withImports(name, seen)
  return seen
}
const gzipped = (file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length

/** The files that the page names, and those that they and `parts` import. */
function filesOf(parts) {
  const files = new Set([...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map((match) => match[1]))
  const entries = Object.keys(manifest).filter((key) => manifest[key].isEntry)
  for (const name of [...entries, ...parts].flatMap((key) => [...withImports(key)])) {
    files.add(manifest[name].file)
    for (const css of manifest[name].css ?? []) files.add(css)
  }
  return [...files]
}

let failed = false
for (const { name, kind, most, parts } of budgets) {
  const bytes = filesOf(parts)
    .filter((file) => file.endsWith(`.${kind}`))
    .reduce((sum, file) => sum + gzipped(file), 0)
  process.stdout.write(`${name}: ${(bytes / 1000).toFixed(1)} kB gzipped of ${most / 1000}\n`)
  failed ||= bytes > most || bytes === 0
}
process.exitCode = failed ? 1 : 0

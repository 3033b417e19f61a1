// Fails when what the first page loads is heavier than its budget. Run after `vite build`.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const budget = { js: 150_000, css: 25_000 }
const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))

/** A chunk and everything it imports statically. */
function withImports(key, seen = new Set()) {
  if (seen.has(key)) return seen
  seen.add(key)
  for (const name of manifest[key].imports ?? []) withImports(name, seen)
  return seen
}
const gzipped = (file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length

const html = readFileSync(new URL('index.html', dist), 'utf8')
const files = new Set([...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map((match) => match[1]))
for (const [key, chunk] of Object.entries(manifest)) {
  if (!chunk.isEntry) continue
  for (const name of withImports(key)) {
    files.add(manifest[name].file)
    for (const css of manifest[name].css ?? []) files.add(css)
  }
}

let failed = false
for (const [kind, limit] of Object.entries(budget)) {
  const bytes = [...files].filter((file) => file.endsWith(`.${kind}`)).reduce((sum, file) => sum + gzipped(file), 0)
  process.stdout.write(`${kind}: ${(bytes / 1000).toFixed(1)} kB gzipped of ${limit / 1000}\n`)
  failed ||= bytes > limit || bytes === 0
}
process.exitCode = failed ? 1 : 0

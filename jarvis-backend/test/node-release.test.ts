import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = (name: string) => fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url))

/** Starts a script on a Node that says it is that release. */
function startOn(release: string, name: string) {
  const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${release}' } })`
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(versions)}`, script(name)],
    { encoding: 'utf8' },
  )
  return { status, stderr }
}

test.each([
  ['18.20.4', 'start.js'],
  ['18.20.4', 'jarvis.js'],
  ['20.18.3', 'start.js'],
  ['21.7.3', 'start.js'],
  ['22.11.0', 'start.js'],
])('on Node %s, %s ends with one line that says what to do', (release, name) => {
  const { status, stderr } = startOn(release, name)
  expect(status).toBe(1)
  expect(stderr).toMatch(
    new RegExp(
      `^JARVIS needs Node 20\\.19, 22\\.12 or newer, and .* is ${release}\\. Install a newer one, then run: npm ci\\n$`,
    ),
  )
})

test.each(['20.19.0', '22.12.0', '24.0.0', '26.1.0'])('Node %s is taken', (release) => {
  expect(startOn(release, 'node-release.js')).toEqual({ status: 0, stderr: '' })
})

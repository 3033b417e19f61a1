import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Status } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { folder } from './support/data-dir.ts'
import { program } from './support/program.ts'
import { jwtSecret, password, tokenFor } from './support/start-jarvis.ts'

/** Makes Node find no sqlite-vec, as where `npm ci` left it out. */
const without = `const Module = require('node:module'); const find = Module._resolveFilename
Module._resolveFilename = function (name, ...rest) {
  if (name === 'sqlite-vec') throw Object.assign(new Error("Cannot find module 'sqlite-vec'"), { code: 'MODULE_NOT_FOUND' })
  return find.call(this, name, ...rest)
}`

test('without sqlite-vec the server starts, says so in one line, and finds by words', async () => {
  const hooks = join(folder(), 'without.cjs')
  writeFileSync(hooks, without)
  const child = spawn(process.execPath, program('main'), {
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: `--require ${hooks}`,
      PORT: '0',
      JARVIS_DATA_DIR: folder(),
      JARVIS_PASSWORD: password,
      JWT_SECRET: jwtSecret,
      JARVIS_EMBEDDINGS: 'none',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  await expect.poll(() => said, { timeout: 15_000 }).toContain(' is at http')
  expect(said.split('\n').filter((line) => line.includes('sqlite-vec cannot be loaded'))).toHaveLength(1)
  const [url = ''] = /http:\/\/\S+/.exec(said) ?? []
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${tokenFor('operator')}` } })
  const found = await ask('/api/memory/search?q=jellyfin')
  expect(found.status).toBe(200)
  const memory = async () =>
    ((await (await ask('/api/status')).json()) as Status).parts.find(({ name }) => name === 'Memory')
  await expect.poll(memory).toMatchObject({ health: 'warn', text: expect.stringContaining('npm ci puts it back') })
})

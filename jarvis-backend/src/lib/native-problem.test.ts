import { expect, test } from 'vitest'
import { nativeProblem } from './native-problem.ts'

test('a native part of another Node is one line', () => {
  const path = '/opt/jarvis/node_modules/better-sqlite3/build/Release/better_sqlite3.node'
  const message = `The module '${path}'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115.`
  const line = nativeProblem(Object.assign(new Error(message), { code: 'ERR_DLOPEN_FAILED' }))
  expect(line).toMatch(/^better-sqlite3 was built for another Node than this one \(v.*run npm ci again\.$/)
  expect(nativeProblem(new Error('Could not locate the bindings file. Tried: …'))).toMatch(/^better-sqlite3 was/)
  expect(nativeProblem(new Error('no such table: x'))).toBeUndefined()
  expect(nativeProblem(undefined)).toBeUndefined()
})

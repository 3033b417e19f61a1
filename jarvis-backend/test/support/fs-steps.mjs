// Preloaded into a program: before each change of a secret's file or key, copies the folder STEPS_OF to STEPS_TO/N. A copy is what kill -9 leaves
// there.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const { STEPS_OF: of, STEPS_TO: to } = process.env
const { cpSync } = fs
let steps = 0
let isCopying = false
// True if the file opened last is one of them.
let isOurs = false
const ours = /\/(settings\.env|models\.json|mcp\.json|jwt-secret|vapid-keys|secrets?[-.]key|policy\.yaml)/
for (const name of ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'linkSync', 'rmSync', 'writeFileSync']) {
  const real = fs[name]
  fs[name] = (...args) => {
    const isRead = name === 'openSync' && (args[1] === undefined || args[1] === 'r')
    if (isCopying || isRead) return real(...args)
    if (typeof args[0] === 'string') isOurs = args[0].startsWith(of) && ours.test(args[0])
    if (!isOurs) return real(...args)
    isCopying = true
    cpSync(of, join(to, String(steps).padStart(3, '0')), { recursive: true })
    isCopying = false
    steps += 1
    return real(...args)
  }
}
syncBuiltinESMExports()
